package page

import (
	"fmt"
	"html/template"
	"strings"
)

// components are the functions that build the data of the templates in
// templates/parts. Pairs of names and texts describe what is plain text; functions
// behind a | set the rest. An unknown name is an error.
var components = template.FuncMap{
	"field": newField, "required": required, "requiredif": requiredIf, "checked": checked, "multiple": multiple,
	"autofocus": autofocus, "options": withOptions, "filled": filled,
	"chip": newChip, "button": newButton, "novalidate": novalidate,
}

// fieldData is the component "field": a label, an input, its help and its errors.
//
//	{{template "field" (field "email" "type" "email" "label" (t "who.email") | required | filled $)}}
//
// type is an input's type, "textarea", "select" or "radio" (with options), or "checkbox". A field
// filled from the page shows the submitted value and the errors under its own name,
// or under the name in fault; that comes last.
type fieldData struct {
	Name, ID, Type, Label, Help, Value           string
	Autocomplete, Inputmode, Pattern, Form, List string
	Min, Max, Step, Placeholder, Accept          string
	Rows, Maxlength                              string
	Multiple                                     bool
	Required, Checked, Autofocus, Ltr            bool
	Options                                      []Option
	Errors                                       []string

	fault string // name of its errors
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

func newField(name string, pairs ...string) (fieldData, error) {
	f := fieldData{Name: name, ID: idOf(name), Type: "text", Rows: "4", fault: name}
	err := setTexts(pairs, map[string]*string{"type": &f.Type, "label": &f.Label, "help": &f.Help, "value": &f.Value, "id": &f.ID,
		"autocomplete": &f.Autocomplete, "inputmode": &f.Inputmode, "pattern": &f.Pattern, "form": &f.Form,
		"min": &f.Min, "max": &f.Max, "step": &f.Step, "placeholder": &f.Placeholder, "list": &f.List, "accept": &f.Accept,
		"rows": &f.Rows, "maxlength": &f.Maxlength, "fault": &f.fault})
	if err != nil {
		return f, fmt.Errorf("web: field %s: %w", name, err)
	}
	f.Ltr = f.Type == "email" || f.Type == "url" || f.Type == "tel" || f.Type == "password"
	return f, nil
}

func required(f fieldData) fieldData { return requiredIf(true, f) }

func requiredIf(on bool, f fieldData) fieldData {
	f.Required = on
	return f
}

func checked(on bool, f fieldData) fieldData {
	f.Checked = on
	return f
}

func multiple(f fieldData) fieldData {
	f.Multiple = true
	return f
}

func autofocus(f fieldData) fieldData {
	f.Autofocus = true
	return f
}

func withOptions(options []Option, f fieldData) fieldData {
	f.Options = options
	return f
}

// filled sets the submitted value and its errors.
func filled(view Framed, f fieldData) fieldData {
	p := view.Frame()
	f.Errors = p.Faults[f.fault]
	if p.Values.Values == nil {
		return f
	}
	if f.Type == "checkbox" {
		f.Checked = p.Values.Has(f.Name)
		return f
	}
	if f.Type != "password" {
		f.Value = p.value(f.Name, f.Value)
	}
	for i := range f.Options {
		f.Options[i].Selected = f.Options[i].Value == f.Value
	}
	return f
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

func newButton(text string, pairs ...string) (buttonData, error) {
	b := buttonData{Text: text, Kind: "secondary"}
	err := setTexts(pairs, map[string]*string{"kind": &b.Kind, "href": &b.Href, "name": &b.Name, "value": &b.Value, "id": &b.ID,
		"icon": &b.Icon, "reason": &b.Reason})
	return b, err
}

func novalidate(b buttonData) buttonData {
	b.Novalidate = true
	return b
}

// setTexts sets texts given as pairs of names and values.
func setTexts(pairs []string, into map[string]*string) error {
	if len(pairs)%2 != 0 {
		return fmt.Errorf("name without a value")
	}
	for i := 0; i < len(pairs); i += 2 {
		text := into[pairs[i]]
		if text == nil {
			return fmt.Errorf("unknown name %s", pairs[i])
		}
		*text = pairs[i+1]
	}
	return nil
}
