package words

import (
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// pseudo is the language of layout tests.
var pseudo = language.MustParse("ar-XB")

// isolateStart and isolateEnd enclose text of its own direction, right to left.
const isolateStart, isolateEnd = "\u2067", "\u2069"

// Pseudo tells whether this is the language of layout tests, which nobody reads.
func (l *Language) Pseudo() bool { return l.tag == pseudo }

// stretched is the language made a third longer and turned around. The parts that
// dates are made of stay as they are.
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
	return out
}
