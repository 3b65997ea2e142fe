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
	out := newLanguage(pseudo)
	for key, t := range l.texts {
		if strings.HasPrefix(key, "date.") {
			continue
		}
		longer := text{forms: map[plural.Form]string{}, counts: t.counts}
		for form, s := range t.forms {
			longer.forms[form] = isolateStart + s + strings.Repeat(" ~", len(s)/5) + isolateEnd
		}
		out.texts[key] = longer
	}
	out.fallback = l
	return out
}
