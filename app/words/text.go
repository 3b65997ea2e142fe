package words

import (
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/text/feature/plural"
)

// text is one sentence, or one for each plural form (CLDR). It always has the form "other".
type text struct {
	forms  map[plural.Form]string
	counts bool // has plural forms, even if the language knows only one
}

var formNames = map[string]plural.Form{"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other}

// UnmarshalJSON reads a string, or an object of strings by plural form.
func (t *text) UnmarshalJSON(b []byte) error {
	var single string
	if err := json.Unmarshal(b, &single); err == nil {
		*t = text{forms: map[plural.Form]string{plural.Other: single}}
		return nil
	}
	var forms map[string]string
	if err := json.Unmarshal(b, &forms); err != nil {
		return err
	}
	*t = text{forms: map[plural.Form]string{}, counts: true}
	for name, s := range forms {
		form, ok := formNames[name]
		if !ok {
			return fmt.Errorf("%q is not a plural form", name)
		}
		t.forms[form] = s
	}
	if _, ok := t.forms[plural.Other]; !ok {
		return fmt.Errorf("%s lacks the plural form other", b)
	}
	return nil
}

func (t text) in(form plural.Form) string {
	if s, ok := t.forms[form]; ok {
		return s
	}
	return t.forms[plural.Other]
}

func (t text) byName() map[string]string {
	out := map[string]string{}
	for name, form := range formNames {
		if s, ok := t.forms[form]; ok {
			out[name] = s
		}
	}
	return out
}

// fill replaces the names in braces that have a value. Braces within values are kept.
func fill(s string, value func(name string) (string, bool)) string {
	var out strings.Builder
	for {
		before, rest, opened := strings.Cut(s, "{")
		out.WriteString(before)
		if !opened {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		v, ok := value(name)
		if !closed || !ok {
			out.WriteByte('{')
			s = rest
			continue
		}
		out.WriteString(v)
		s = after
	}
}
