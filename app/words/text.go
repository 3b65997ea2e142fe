package words

import (
	"encoding/json"
	"fmt"
	"strings"

	"golang.org/x/text/feature/plural"
)

// text is one sentence, or one for each plural form (CLDR). Few texts have plural forms, and a
// map takes more memory than most sentences.
type text struct {
	single string                 // if there are no plural forms
	forms  map[plural.Form]string // with the form "other"; it may be the only one of a language
}

var formNames = map[string]plural.Form{"zero": plural.Zero, "one": plural.One, "two": plural.Two,
	"few": plural.Few, "many": plural.Many, "other": plural.Other}

// UnmarshalJSON reads a string, or an object of strings by plural form.
func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.single)
	}
	var forms map[string]string
	if err := json.Unmarshal(b, &forms); err != nil {
		return err
	}
	t.forms = make(map[plural.Form]string, len(forms))
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

// counts reports whether the text has plural forms.
func (t text) counts() bool { return t.forms != nil }

func (t text) in(form plural.Form) string {
	if !t.counts() {
		return t.single
	}
	if s, ok := t.forms[form]; ok {
		return s
	}
	return t.forms[plural.Other]
}

// each visits the sentences of all forms.
func (t text) each(visit func(form plural.Form, s string)) {
	if !t.counts() {
		visit(plural.Other, t.single)
	}
	for form, s := range t.forms {
		visit(form, s)
	}
}

func (t text) byName() map[string]string {
	if !t.counts() {
		return map[string]string{"other": t.single}
	}
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
