package page

import (
	"fmt"
	"html/template"
	"strings"
)

// components are the functions that build the data of the templates in
// templates/parts. Each takes pairs of names and values; an unknown name is an
// error.
var components = template.FuncMap{"field": newField, "chip": newChip, "button": newButton, "card": cardOf}

// fieldData is the component "field": a label, an input, its help and its errors.
//
//	{{template "field" (field "email" "type" "email" "label" (t "who.email") "page" $ "required" true)}}
//
// type is an input's type, "textarea", "select" (with options) or "checkbox". Given
// the page, the field shows the submitted value and the errors under its own name,
// or under the name in fault.
type fieldData struct {
	Name, ID, Type, Label, Help, Value           string
	Autocomplete, Inputmode, Pattern, Form, List string
	Min, Max, Step, Placeholder, Accept          string
	Multiple                                     bool
	Rows, Maxlength                              int
	Required, Checked, Autofocus, Ltr            bool
	Options                                      []Option
	Errors                                       []string
}

// Option is one choice of a select.
type Option struct {
	Value, Label string
	Selected     bool
	Disabled     bool
}

// Describedby returns the value of the input's aria-describedby attribute.
func (f fieldData) Describedby() string {
	var ids []string
	if f.Help != "" {
		ids = append(ids, f.ID+"-help")
	}
	if len(f.Errors) > 0 {
		ids = append(ids, f.ID+"-error")
	}
	return strings.Join(ids, " ")
}

func newField(name string, pairs ...any) (fieldData, error) {
	f := fieldData{Name: name, ID: idOf(name), Type: "text", Rows: 4}
	fault := name
	var p *Page
	err := eachPair(pairs, func(key string, v any) bool {
		switch key {
		case "page":
			return assign(v, func(x Framed) { p = new(x.Frame()) })
		case "fault":
			return assign(v, func(x string) { fault = x })
		case "required":
			return assign(v, func(x bool) { f.Required = x })
		case "multiple":
			return assign(v, func(x bool) { f.Multiple = x })
		case "checked":
			return assign(v, func(x bool) { f.Checked = x })
		case "autofocus":
			return assign(v, func(x bool) { f.Autofocus = x })
		case "rows":
			return assign(v, func(x int) { f.Rows = x })
		case "maxlength":
			return assign(v, func(x int) { f.Maxlength = x })
		case "options":
			return assign(v, func(x []Option) { f.Options = x })
		}
		texts := map[string]*string{"type": &f.Type, "label": &f.Label, "help": &f.Help, "value": &f.Value, "id": &f.ID,
			"autocomplete": &f.Autocomplete, "inputmode": &f.Inputmode, "pattern": &f.Pattern, "form": &f.Form,
			"min": &f.Min, "max": &f.Max, "step": &f.Step, "placeholder": &f.Placeholder, "list": &f.List, "accept": &f.Accept}
		into := texts[key]
		return into != nil && assign(v, func(x string) { *into = x })
	})
	if err != nil {
		return f, fmt.Errorf("web: field %s: %w", name, err)
	}
	f.Ltr = f.Type == "email" || f.Type == "url" || f.Type == "tel" || f.Type == "password"
	f.fill(p, fault)
	return f, nil
}

// fill sets the submitted value and its errors.
func (f *fieldData) fill(p *Page, fault string) {
	if p == nil {
		return
	}
	f.Errors = p.Faults[fault]
	if p.Values.Values == nil {
		return
	}
	if f.Type == "checkbox" {
		f.Checked = p.Values.Has(f.Name)
		return
	}
	if f.Type != "password" {
		f.Value = p.value(f.Name, f.Value)
	}
	for i := range f.Options {
		f.Options[i].Selected = f.Options[i].Value == f.Value
	}
}

// idOf derives an element's id from a field's name.
func idOf(name string) string {
	return "i-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
}

// Chip is the component "chip": a state shown as an icon and a word.
type Chip struct{ Kind, Icon, Text string }

func newChip(kind, symbol, text string) Chip { return Chip{kind, symbol, text} }

// buttonData is the component "button": a form's button, or with href a link that
// looks like one. Kinds are primary, secondary, quiet and danger.
type buttonData struct {
	Text, Kind, Href, Name, Value, ID, Icon, Reason string
	Novalidate                                      bool
}

func newButton(text string, pairs ...any) (buttonData, error) {
	b := buttonData{Text: text, Kind: "secondary"}
	texts := map[string]*string{"kind": &b.Kind, "href": &b.Href, "name": &b.Name, "value": &b.Value, "id": &b.ID,
		"icon": &b.Icon, "reason": &b.Reason}
	err := eachPair(pairs, func(key string, v any) bool {
		if key == "novalidate" {
			return assign(v, func(x bool) { b.Novalidate = x })
		}
		into := texts[key]
		return into != nil && assign(v, func(x string) { *into = x })
	})
	return b, err
}

func eachPair(pairs []any, set func(key string, v any) bool) error {
	if len(pairs)%2 != 0 {
		return fmt.Errorf("name without a value")
	}
	for i := 0; i < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok || !set(key, pairs[i+1]) {
			return fmt.Errorf("unknown name or wrong type: %v %T", pairs[i], pairs[i+1])
		}
	}
	return nil
}

func assign[T any](v any, set func(T)) bool {
	x, ok := v.(T)
	if ok {
		set(x)
	}
	return ok
}

// cardOf returns the page as one of its forms should see it: with submitted values
// and errors only if that form was submitted.
func cardOf(view Framed, name string) Page {
	p := view.Frame()
	if p.Values.Values == nil || p.Values.Value("card") == name {
		return p
	}
	return Page{}
}
