package words

import (
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// pseudo is a language for layout tests.
var pseudo = language.MustParse("ar-XB")

// isolateStart and isolateEnd enclose text in a separate right-to-left direction.
const isolateStart, isolateEnd = "\u2067", "\u2069"

// Pseudo reports whether this is the language for layout tests, which nobody reads.
func (l *Language) Pseudo() bool { return l.tag == pseudo }

// stretched returns the language with texts a third longer and reversed in direction. The
// components of dates are unchanged.
func (l *Language) stretched() *Language {
	longer := func(s string) string {
		return isolateStart + s + strings.Repeat(" ~", len(s)/5) + isolateEnd
	}
	out := newLanguage(pseudo, func() map[string]text {
		texts := map[string]text{}
		for key, t := range l.texts() {
			switch {
			case strings.HasPrefix(key, "date."):
				continue
			case t.counts():
				forms := map[plural.Form]string{}
				t.each(func(form plural.Form, s string) { forms[form] = longer(s) })
				t = text{forms: forms}
			default:
				t = text{single: longer(t.single)}
			}
			texts[key] = t
		}
		return texts
	})
	out.fallback = l
	return out
}
