package page

import (
	"html/template"
	"strings"
	"unicode"
)

// initials returns the initials of a name, of its first and last word: at most two
// characters with their combining marks.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(c rune) bool { return !unicode.In(c, unicode.L, unicode.N, unicode.M) })
	if len(words) == 0 {
		return "?"
	}
	out := firstLetter(words[0])
	if len(words) > 1 {
		out += firstLetter(words[len(words)-1])
	}
	return out
}

// firstLetter returns the first character of a word, in upper case.
func firstLetter(word string) string {
	for i, c := range word {
		if i > 0 && !unicode.Is(unicode.M, c) {
			return strings.ToUpper(word[:i])
		}
	}
	return strings.ToUpper(word)
}

// avatar returns a person's initials in a circle, to stand beside the name; screen readers skip it.
func avatar(name string) template.HTML {
	return template.HTML(`<span class="avatar" aria-hidden="true">` + template.HTMLEscapeString(initials(name)) + `</span>`)
}
