package signer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/pdf"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// fieldView is a field shown as an input.
type fieldView struct {
	N               int
	ID, Input, Name string
	// text, textarea, number, date, email, tel, checkbox, radio, select, mark, fixed, file
	Kind                           string
	Mark                           string // signature or initials
	Label, Value, Autocomplete     string
	Canonical                      string // the value in the form in which it is stored
	Shown                          string // a fixed value as it will be drawn
	Understood                     string // how a number or a date was understood, "" if it is none
	Drawn                          string // what will be drawn then
	Computed                       bool
	Help, Placeholder              string
	Accept                         string // media types of a file, "" for any
	Checked, Required              bool
	Options                        []page.Option
	Errors                         []string
	Min, Max, Maxlength, Minlength string
	field, key, group, groupKey    string
	x, y, width, height, size      float64 // fractions of the page; size in points
	Least                          int     // how many boxes of its group have to be ticked, besides fixed ones
	Disabled                       bool    // on a preview
	When                           string  // JSON of a dependency; a script then decides about Required
}

// Group returns the name of the field's group.
func (f *fieldView) Group() string { return f.group }

// UnderstoodName is the name of the input with what the page shows about how the value was understood.
func (f *fieldView) UnderstoodName() string { return understood(f.Name) }

// Notes names the elements that describe the input: its hint and its errors.
func (f *fieldView) Notes() string {
	var out []string
	if f.Help != "" {
		out = append(out, f.Input+"-help")
	}
	if f.Understands() {
		out = append(out, f.Input+"-read")
	}
	if len(f.Errors) > 0 {
		out = append(out, f.Input+"-error")
	}
	return strings.Join(out, " ")
}

// Understands reports whether the value is typed in one form and drawn in another.
func (f *fieldView) Understands() bool { return f.Kind == "number" || f.Kind == "date" }

// inputOf returns the name of a field's input, which the radio buttons of one recipient's group share, and the value of
// one of them. Buttons and boxes that are chosen together are one to the form.
func inputOf(of *record.Asked, x *record.Field) (name, value string) {
	if leader := record.Followers(of.Fields)[x]; leader != nil && !x.Prints() {
		x = leader
	}
	if x.Type == pdf.FieldRadio && len(x.Options) == 0 && x.Group != "" {
		return "g." + of.Of.ID + "." + x.Group, x.ID
	}
	return "f." + x.ID, x.ID
}

func (s *signPage) addField(
	v *Visitor, of *record.Asked, x *record.Field, repeats bool, sent page.Form, now time.Time,
) {
	on := s.sheetOf(x)
	if on == nil {
		return
	}
	n := len(s.Fields) + 1
	name, choice := inputOf(of, x)
	f := &fieldView{
		N:     n,
		ID:    "f" + strconv.Itoa(n),
		Input: "i" + strconv.Itoa(n),
		Name:  name,
		Label: cmp.Or(x.Label, x.Name, v.Say("field."+string(x.Type))),

		Required: x.Required && !x.ReadOnly && x.Condition == nil,
		Help:     x.Help,
		field:    x.ID,
		key:      x.Key(),
		group:    x.Group,
		groupKey: x.GroupKey(),

		x: x.X, y: x.Y, width: x.Width, height: x.Height,
		size: cmp.Or(x.FontSize, 10),
	}
	f.Canonical = x.Automatic(of.Of, now)
	if saved, ok := v.Answers.Values[x.ID]; ok {
		f.Canonical = saved
	}
	f.Value = x.InInput(f.Canonical, v.Words)
	if sent.Values != nil && !x.ReadOnly && isFilled(x.Type) {
		f.Value = sent.Value(f.Name)
		f.Canonical = x.Typed(f.Value, v.Words, now)
	}
	if x.Type == pdf.FieldStamp && f.Help == "" {
		f.Help = v.Say("field.stamp.help")
	}
	f.Computed = x.Formula != "" || repeats
	f.shape(x, x.Height*float64(on.Height)/float64(on.Width)*on.points)
	if repeats {
		f.Kind, f.Required = "fixed", false
	}
	if f.Kind == "date" {
		f.Min, f.Max = x.Days(now.In(v.Company.Zone()))
	}
	drawn := page.WordsIn(v.Request, v.Document.Locale)
	if f.Understands() && f.Canonical != "" && x.Accepts(f.Canonical, now) {
		f.Understood, f.Drawn = x.Understood(f.Canonical, v.Words, drawn), x.Shown(f.Canonical, drawn)
	}
	if f.Kind == "fixed" && !f.Computed && f.Value != "" {
		f.Value, f.Shown = f.Canonical, x.Shown(f.Canonical, drawn)
	}
	if f.Kind == "radio" && f.Name != "f."+x.ID {
		f.Checked = f.Value == "true" || f.Value == choice
		f.Value = choice
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
	pdf.FieldPhone: "tel",
}

// pictures are the media types of the pictures that fields take.
const pictures = "image/jpeg,image/png,image/webp,image/gif,image/tiff,image/bmp"

// shape chooses the input for a field of a height in points.
func (f *fieldView) shape(x *record.Field, height float64) {
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
	case pdf.FieldDateSigned:
		f.Kind = "fixed"
	case pdf.FieldAttachment:
		f.Kind, f.Value = "file", ""
	case pdf.FieldImage:
		f.Kind, f.Value, f.Accept = "file", "", pictures
	case pdf.FieldStamp:
		f.Kind, f.Value, f.Accept, f.Required = "file", "", pictures, false
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
		f.Kind = "number"
	case pdf.FieldPhone:
		f.Kind = "tel"
	case pdf.FieldText:
		f.Minlength, f.Maxlength = number(x.Min), number(x.Max)
		if x.Divided() {
			f.Maxlength = strconv.Itoa(x.Cells)
		} else if height >= 3*f.size || strings.Contains(f.Value, "\n") {
			f.Kind = "textarea"
		}
	}
	f.Autocomplete = autocomplete[x.Type]
	if slices.Contains([]string{"text", "textarea", "number", "email", "tel"}, f.Kind) {
		f.Placeholder = x.Placeholder
	}
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

// dependency is a field's condition as the script evaluates it.
type dependency struct {
	Then     string       `json:"then"`
	Any      bool         `json:"any"`
	Required bool         `json:"required"` // when shown
	When     []comparison `json:"when"`
}

// comparison compares the value of fields of the page.
type comparison struct {
	Of     []string `json:"of"`              // IDs on the page; several form a group
	Names  []string `json:"names,omitempty"` // values of a group, by button
	Op     string   `json:"op,omitempty"`
	Value  string   `json:"value,omitempty"`
	Number bool     `json:"number,omitempty"`
}

// requireTicks says at each box how many of its group have to be ticked. If that depends
// on fixed boxes that may be hidden, only the server knows.
func (s *signPage) requireTicks(own []*record.Field) {
	least := map[string]int{}
	for name, g := range record.BoxesOf(own) {
		least[name] = g.Min
		for _, x := range g.Fields {
			switch {
			case !x.ReadOnly:
			case x.Condition != nil:
				least[name] = 0
			case x.Value == record.Checked:
				least[name]--
			}
		}
	}
	for _, f := range s.Fields {
		if f.Kind == "checkbox" {
			f.Least = max(least[f.group], 0)
		}
	}
}

// compute fills in the fields that follow from the values entered so far.
func (s *signPage) compute(v *Visitor, asked []record.Asked, values map[string]string, now time.Time) {
	var rules *record.Rules
	var entered map[string]string
	views := s.byField()
	for _, x := range record.FieldsIn(asked) {
		f := views[x.ID]
		if f == nil || !f.Computed {
			continue
		}
		if rules == nil {
			today := now.In(v.Company.Zone())
			entered = record.EnteredIn(asked, values, now)
			rules = record.RulesFor(v.Document, v.Invitation.ID, entered, today)
		}
		f.Value = entered[x.ID]
		if x.Formula != "" {
			f.Value, _ = rules.Computed(x) // what is wrong is said when it is checked
		}
		f.Shown = x.Shown(f.Value, page.WordsIn(v.Request, v.Document.Locale))
	}
}

func (s *signPage) byField() map[string]*fieldView {
	out := map[string]*fieldView{}
	for _, f := range s.Fields {
		out[f.field] = f
	}
	return out
}

// depend describes the conditions of the fields to the script.
func (s *signPage) depend(rules *record.Rules, own []*record.Field) error {
	views := s.byField()
	for _, x := range own {
		f := views[x.ID]
		if x.Condition == nil || f == nil {
			continue
		}
		c := dependency{Then: x.Condition.Then, Any: x.Condition.Match == record.MatchAny,
			Required: f.Mark != "" || x.Required && !x.ReadOnly}
		rules.Comparisons(x, func(t record.Test, o *record.Operand) { c.When = append(c.When, compare(t, o, views)) })
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		f.When = string(text)
	}
	return nil
}

func compare(t record.Test, with *record.Operand, views map[string]*fieldView) comparison {
	c := comparison{Names: with.Choices(), Op: t.Op, Value: t.Value, Number: with.IsNumber()}
	for _, o := range with.Fields {
		id := ""
		if f := views[o.ID]; f != nil {
			id = f.ID
		}
		c.Of = append(c.Of, id)
	}
	return c
}

// isFilled reports whether people enter the value of a field of this type.
func isFilled(kind pdf.FieldType) bool {
	switch kind {
	case pdf.FieldSignature, pdf.FieldInitials, pdf.FieldStamp, pdf.FieldDateSigned, pdf.FieldAttachment, pdf.FieldImage:
		return false
	}
	return true
}
