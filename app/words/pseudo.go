package words

import (
	"strings"

	"golang.org/x/text/language"
)

// pseudo is the language of layout tests.
var pseudo = language.MustParse("ar-XB")

// isolateStart and isolateEnd enclose text of its own direction, right to left.
const isolateStart, isolateEnd = "\u2067", "\u2069"

// stretched is the language made a third longer and turned around. The parts that
// dates are made of stay as they are.
func (l *Language) stretched() *Language {
	out := newLanguage(pseudo)
	for key, t := range l.texts {
		if strings.HasPrefix(key, "date.") {
			continue
		}
		forms := text{}
		for form, s := range t {
			forms[form] = isolateStart + s + strings.Repeat(" ~", len(s)/5) + isolateEnd
		}
		out.texts[key] = forms
	}
	return out
}
