package signer

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"paraph/app/pdf"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// fieldView is a field shown as an input.
type fieldView struct {
	N               int
	ID, Input, Name string
	// text, textarea, number, date, email, checkbox, radio, select, mark, fixed, file
	Kind                                    string
	Mark                                    string // signature or initials
	Label, Value, Autocomplete              string
	Checked, Required                       bool
	Options                                 []page.Option
	Errors                                  []string
	Min, Max, Pattern, Maxlength, Minlength string
	key, group                              string
	x, y, width, height, size               float64 // fractions of the page; size in points
	Disabled                                bool    // on a preview
}

// inputName returns the name of a field's input, which the radio buttons of a group
// share.
func inputName(x *signing.Field) string {
	if x.Type == pdf.FieldRadio && len(x.Options) == 0 && x.Group != "" {
		return "g." + x.Group
	}
	return "f." + x.ID
}

func (s *signPage) addField(v *Visitor, x *signing.Field, sent page.Form, now time.Time) {
	on := s.sheetOf(x)
	if on == nil {
		return
	}
	n := len(s.Fields) + 1
	f := &fieldView{
		N:     n,
		ID:    "f" + strconv.Itoa(n),
		Input: "i" + strconv.Itoa(n),
		Name:  inputName(x),
		Label: cmp.Or(x.Label, x.Name, v.Say("field."+string(x.Type))),

		Required: x.Required && !x.ReadOnly,
		Pattern:  x.Pattern,
		key:      x.Key(),
		group:    x.Group,

		x: x.X, y: x.Y, width: x.Width, height: x.Height,
		size: cmp.Or(x.FontSize, 10),
	}
	f.Value = x.Automatic(v.Invitation, now)
	if saved, ok := v.Answers.Values[x.ID]; ok {
		f.Value = saved
	}
	if sent.Values != nil && !x.ReadOnly && isFilled(x.Type) {
		f.Value = sent.Value(f.Name)
	}
	f.shape(x, x.Height*float64(on.Height)/float64(on.Width)*on.points)
	if f.Kind == "radio" && f.Name != "f."+x.ID {
		f.Checked = f.Value == "true" || f.Value == x.ID
		f.Value = x.ID
	}
	s.Initialled = s.Initialled || f.Mark == "initials"
	s.Attaches = s.Attaches || f.Kind == "file"
	s.Signs = s.Signs || f.Mark == "signature"
	s.Fields = append(s.Fields, f)
	on.Fields = append(on.Fields, f)
}

// autocomplete holds the HTML autofill tokens of field types.
var autocomplete = map[pdf.FieldType]string{
	pdf.FieldName: "name", pdf.FieldEmail: "email", pdf.FieldCompany: "organization", pdf.FieldJobTitle: "organization-title",
}

// shape chooses the input for a field of a height in points.
func (f *fieldView) shape(x *signing.Field, height float64) {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	f.Kind = "text"
	switch x.Type {
	case pdf.FieldSignature, pdf.FieldInitials:
		f.Kind, f.Mark = "mark", string(x.Type)
	case pdf.FieldDateSigned, pdf.FieldStamp:
		f.Kind = "fixed"
	case pdf.FieldAttachment:
		f.Kind, f.Value = "file", ""
	case pdf.FieldCheckbox:
		f.Kind, f.Checked, f.Value = "checkbox", f.Value == "true" || f.Value == "yes", "yes"
	case pdf.FieldRadio:
		f.Kind = "radio"
		if len(x.Options) > 0 {
			f.Kind = "select"
		} else if x.Group == "" {
			f.Checked = f.Value == "true" || f.Value == x.ID
			f.Value = x.ID
		}
	case pdf.FieldSelect:
		f.Kind = "select"
	case pdf.FieldDate, pdf.FieldEmail:
		f.Kind = string(x.Type)
	case pdf.FieldNumber:
		f.Kind, f.Min, f.Max = "number", number(x.Min), number(x.Max)
	case pdf.FieldText:
		f.Minlength, f.Maxlength = number(x.Min), number(x.Max)
		if height >= 3*f.size || strings.Contains(f.Value, "\n") {
			f.Kind = "textarea"
		}
	}
	f.Autocomplete = autocomplete[x.Type]
	if f.Kind == "select" {
		f.Options = []page.Option{{}}
		for _, o := range x.Options {
			f.Options = append(f.Options, page.Option{Value: o, Label: o, Selected: o == f.Value})
		}
	}
	if x.ReadOnly && f.Mark == "" {
		f.Kind = "fixed"
	}
}

// isFilled reports whether people enter the value of a field of this type.
func isFilled(kind pdf.FieldType) bool {
	switch kind {
	case pdf.FieldSignature, pdf.FieldInitials, pdf.FieldStamp, pdf.FieldDateSigned, pdf.FieldAttachment:
		return false
	}
	return true
}
