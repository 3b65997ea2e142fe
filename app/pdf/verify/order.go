package verify

import (
	"regexp"
	"slices"
	"unicode"

	"paraph/app/pdf/text"
)

// setAs reports whether pieces of text, in the order in which they are drawn, are a
// value as it is set: divided into lines or cells, each of them in visual order (UAX
// #9). Only blanks between the characters don't count.
func setAs(value string, pieces []string) bool {
	all := slices.DeleteFunc([]rune(attachedHash.ReplaceAllString(value, " SHA-256 $1")), func(r rune) bool {
		return isBlank(r) && !unicode.IsSpace(r)
	})
	at := 0
	for _, piece := range pieces {
		drawn := inked([]rune(piece))
		if len(drawn) == 0 {
			continue
		}
		at += blanks(all[at:])
		n := holding(all[at:], len(drawn))
		if n == 0 || !drawnAs(all, at, at+n, drawn) {
			return false
		}
		at += n
	}
	return blanks(all[at:]) == len(all)-at
}

// drawnAs reports whether all[from:to], a line of a text, is drawn as these characters
// with ink, from left to right. Its direction is that of its paragraph, of all of the
// text if that is one line, or its own if it is a cell.
func drawnAs(all []rune, from, to int, drawn []rune) bool {
	start, end := from, to
	for start > 0 && !broken(all[start-1]) {
		start--
	}
	for end < len(all) && !broken(all[end]) {
		end++
	}
	line := all[from:to]
	return slices.ContainsFunc([][]rune{all[start:end], all, line}, func(whole []rune) bool {
		return slices.Equal(inked(text.Visual(line, text.RightToLeft(whole))), drawn)
	})
}

// attachedHash is the end of the value of a field that names an attached file.
var attachedHash = regexp.MustCompile(` sha256:([0-9a-f]+)$`)

// broken reports whether a paragraph ends with a character.
func broken(r rune) bool { return r == '\n' || r == '\r' }

// isBlank reports whether a character leaves no ink: spaces, and those that only
// control layout.
func isBlank(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// inked returns the characters that leave ink.
func inked(s []rune) []rune {
	return slices.DeleteFunc(slices.Clone(s), isBlank)
}

// blanks returns how many characters without ink a text begins with.
func blanks(s []rune) int {
	n := slices.IndexFunc(s, func(r rune) bool { return !isBlank(r) })
	if n < 0 {
		return len(s)
	}
	return n
}

// holding returns the length of the shortest beginning of a text that has a number of
// characters with ink, or 0.
func holding(s []rune, inks int) int {
	for i, r := range s {
		if !isBlank(r) {
			if inks--; inks == 0 {
				return i + 1
			}
		}
	}
	return 0
}
