package record

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
	"paraph/app/signing/mark"
)

// A Property is a setting of a field, wherever it lies. The bodies, views and description of the API, the editor, the
// list of fields, and text tags read the table of [Properties]. A new one is a member of [Field] and [FieldInput], a row
// there, and whatever checks or draws it.
//
// No properties are the place of a field, and what depends on other fields or on the file: its condition, formula,
// anchor and covered areas.
type Property struct {
	Name    string // in the API, in faults and in forms
	Kind    Kind
	Choices []string        // of KindChoice and KindChoices
	For     []pdf.FieldType // where it has an effect, nil for all types that people fill in
	Longest int             // characters of KindText; 0 for one that is taken as it is, and checked as what it is
	Low     float64         // of KindWhole and KindNumber, besides 0, which stands for none
	High    float64

	// check completes what a field has been given, and returns the code of what is wrong with it; "" if nothing is.
	check func(x *Field) fault.Code

	// at returns where a field has the property, as a pointer to its value, and where an input has it, as a pointer
	// to such a pointer.
	at func(x *Field, in *FieldInput) (stored, given any)
}

// Kind says which values a property has.
type Kind int

// Kinds of properties.
const (
	KindText    Kind = iota // a line of text, "" for none
	KindFlag                // true or false
	KindWhole               // a whole number, 0 for none
	KindNumber              // a number, 0 for none
	KindChoice              // one of some words, "" for none
	KindChoices             // some of some words, none for all
	KindList                // lines of text
	KindColor               // a colour such as #1d5bd1, "" for black
	KindLimit               // a number; of a date, a day
	KindValue               // what the type of the field has for a value
)

// storedLimit is where a field has a limit: as a number, or as a day.
type storedLimit struct {
	number **float64
	day    *string
}

// givenLimit is where an input has a limit.
type givenLimit struct {
	number **float64
	day    **string
}

// Types of fields that share properties.
var (
	drawnTypes   = append(slices.Clip(typedTypes), pdf.FieldLabel, pdf.FieldDate, pdf.FieldDateSigned, pdf.FieldSelect)
	limitedTypes = []pdf.FieldType{pdf.FieldNumber, pdf.FieldText, pdf.FieldDate}
	patternTypes = []pdf.FieldType{pdf.FieldText, pdf.FieldName, pdf.FieldCompany, pdf.FieldJobTitle}
	typedTypes   = []pdf.FieldType{
		pdf.FieldName, pdf.FieldEmail, pdf.FieldCompany, pdf.FieldJobTitle, pdf.FieldPhone, pdf.FieldText, pdf.FieldNumber,
	}
	valueTypes = append(slices.Clip(typedTypes), pdf.FieldLabel, pdf.FieldDate, pdf.FieldCheckbox, pdf.FieldSelect)
)

// properties is in the order in which they are read: how a value is read depends on most others.
var properties = []Property{
	{
		Name: "type", Kind: KindChoice, Choices: typeNames(),
		at: func(x *Field, in *FieldInput) (any, any) { return (*string)(&x.Type), &in.Type },
	},
	{
		Name: "name", Kind: KindText, Longest: MaxName,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Name, &in.Name },
	},
	{
		Name: "label", Kind: KindText, Longest: MaxName,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Label, &in.Label },
	},
	{
		Name: "required", Kind: KindFlag,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Required, &in.Required },
	},
	{
		Name: "read_only", Kind: KindFlag,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.ReadOnly, &in.ReadOnly },
	},
	{
		Name: "options", Kind: KindList, For: []pdf.FieldType{pdf.FieldSelect, pdf.FieldRadio},
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Options, &in.Options },
	},
	{
		Name: "group", Kind: KindText, Longest: MaxName, For: []pdf.FieldType{pdf.FieldRadio, pdf.FieldCheckbox},
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Group, &in.Group },
	},
	{
		Name: "group_min", Kind: KindWhole, High: maxTicks, For: []pdf.FieldType{pdf.FieldCheckbox},
		at: func(x *Field, in *FieldInput) (any, any) { return &x.GroupMin, &in.GroupMin },
	},
	{
		Name: "group_max", Kind: KindWhole, High: maxTicks, For: []pdf.FieldType{pdf.FieldCheckbox},
		at: func(x *Field, in *FieldInput) (any, any) { return &x.GroupMax, &in.GroupMax },
	},
	{
		Name: "min", Kind: KindLimit, For: limitedTypes,
		at: func(x *Field, in *FieldInput) (any, any) {
			return storedLimit{&x.Min, &x.Earliest}, givenLimit{&in.Min, &in.Earliest}
		},
	},
	{
		Name: "max", Kind: KindLimit, For: limitedTypes,
		at: func(x *Field, in *FieldInput) (any, any) {
			return storedLimit{&x.Max, &x.Latest}, givenLimit{&in.Max, &in.Latest}
		},
	},
	{
		Name: "pattern", Kind: KindText, For: patternTypes, check: checkPattern,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Pattern, &in.Pattern },
	},
	{
		Name: "pattern_message", Kind: KindText, Longest: MaxHint, For: patternTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.PatternMessage, &in.PatternMessage },
	},
	{
		Name: "format", Kind: KindText, Longest: MaxName, check: checkFieldFormat,
		For: []pdf.FieldType{pdf.FieldNumber, pdf.FieldDate, pdf.FieldDateSigned},
		at:  func(x *Field, in *FieldInput) (any, any) { return &x.Format, &in.Format },
	},
	{
		Name: "help", Kind: KindText, Longest: MaxHint,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Help, &in.Help },
	},
	{
		Name: "placeholder", Kind: KindText, Longest: MaxHint, For: typedTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Placeholder, &in.Placeholder },
	},
	{
		Name: "font_size", Kind: KindNumber, Low: leastSize, High: largestSize, For: drawnTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.FontSize, &in.FontSize },
	},
	{
		Name: "align", Kind: KindChoice, Choices: []string{"left", "center", "right"}, For: drawnTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Align, &in.Align },
	},
	{
		Name: "font_weight", Kind: KindChoice, Choices: []string{"normal", "bold"}, For: drawnTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Weight, &in.Weight },
	},
	{
		Name: "color", Kind: KindColor, For: drawnTypes, check: checkColor,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Color, &in.Color },
	},
	{
		Name: "vertical_align", Kind: KindChoice, Choices: []string{"top", "middle", "bottom"}, For: drawnTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.VerticalAlign, &in.VerticalAlign },
	},
	{
		Name: "cells", Kind: KindWhole, High: maxCells, For: []pdf.FieldType{pdf.FieldText, pdf.FieldNumber},
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Cells, &in.Cells },
	},
	{
		Name: "mask", Kind: KindChoice, Choices: []string{MaskAll, MaskPaper}, For: drawnTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Mask, &in.Mask },
	},
	{
		Name: "signature_types", Kind: KindChoices, Choices: mark.Types(), For: []pdf.FieldType{pdf.FieldSignature, pdf.FieldInitials},
		at: func(x *Field, in *FieldInput) (any, any) { return &x.SignatureTypes, &in.SignatureTypes },
	},
	{
		Name: "value", Kind: KindValue, For: valueTypes,
		at: func(x *Field, in *FieldInput) (any, any) { return &x.Value, &in.Value },
	},
}

// Properties returns all properties of fields.
func Properties() []Property { return properties }

// PropertyNamed returns the property with a name, nil if there is none.
func PropertyNamed(name string) *Property {
	i := slices.IndexFunc(properties, func(p Property) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &properties[i]
}

func typeNames() []string {
	var names []string
	for _, t := range pdf.FieldTypes() {
		names = append(names, string(t))
	}
	return names
}

// nothingGiven is where properties of stored fields are looked up; nothing is written to it.
var nothingGiven FieldInput

// Of returns the property of a field: a string, bool, int, float64 or []string, each empty if it isn't set; of a limit,
// a *float64, or the string that stands for a day.
func (p *Property) Of(x *Field) any {
	stored, _ := p.at(x, &nothingGiven)
	switch v := stored.(type) {
	case *string:
		return *v
	case *bool:
		return *v
	case *int:
		return *v
	case *float64:
		return *v
	case *[]string:
		return *v
	case storedLimit:
		if x.Type == pdf.FieldDate {
			return *v.day
		}
		return *v.number
	}
	return nil
}

// In returns where an input has the property, as a pointer to a pointer: a **string, **bool, **int, **float64 or
// **[]string. A limit, which an input has as a number or as a day, has no such place; see [Property.SetLimit].
func (p *Property) In(in *FieldInput) any {
	_, given := p.at(new(Field), in)
	return given
}

// SetLimit sets a limit of an input, as a number or as a day.
func (p *Property) SetLimit(in *FieldInput, number *float64, day *string) {
	if at, ok := p.In(in).(givenLimit); ok {
		*at.number, *at.day = number, day
	}
}

// Text returns the property of a field as a form shows it to a person, who reads some language; "" if it isn't set.
func (p *Property) Text(x *Field, w Writing) string {
	switch v := p.Of(x).(type) {
	case string:
		if p.Kind == KindLimit || p.Kind == KindValue {
			return x.InInput(v, w.Language)
		}
		return v
	case bool:
		if v {
			return Yes
		}
	case int:
		if v != 0 {
			return strconv.Itoa(v)
		}
	case float64:
		if v != 0 {
			return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
		}
	case []string:
		if p.Kind == KindChoices {
			return strings.Join(v, " ")
		}
		return strings.Join(v, "\n")
	case *float64:
		if v != nil {
			return (&Field{Type: pdf.FieldNumber}).InInput(strconv.FormatFloat(*v, 'f', -1, 64), w.Language)
		}
	}
	return ""
}

// Yes is what a form has for a flag that is set.
const Yes = "yes"

// Read sets the property of an input to what a form has, written by a person or, without a language, by a program. Of
// what can't be read, a limit is kept as it is, to be refused as no number or no day; other numbers are left out.
func (p *Property) Read(in *FieldInput, s string, w Writing) (ok bool) {
	switch to := p.In(in).(type) {
	case **string:
		if p.Kind == KindValue && s != "" {
			s = w.Read(in.read(), s)
		}
		*to = &s
	case **bool:
		*to = new(s == Yes)
	case **int:
		v, ok := readNumber(s)
		if !ok || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return false
		}
		*to = new(int(v))
	case **float64:
		v, ok := readNumber(s)
		if !ok {
			return false
		}
		*to = &v
	case **[]string:
		*to = new(readList(s, p.Kind))
	case givenLimit:
		return to.read(in.read(), strings.TrimSpace(s), w)
	}
	return true
}

// Try is like [Property.Read] for what a file says, as programs write it. Numbers, words and colours that make no sense
// are ignored; a pattern or a format that is none is refused with the field, which would take what nobody wanted.
func (p *Property) Try(in *FieldInput, s string) {
	if p.Kind == KindText {
		p.Read(in, s, Writing{})
		return
	}
	var f fault.Fields
	tried := FieldInput{Type: in.Type, Format: in.Format}
	if !p.Read(&tried, s, Writing{}) {
		return
	}
	if p.apply(&f, &tried, tried.read()); f.Empty() {
		p.Read(in, s, Writing{})
	}
}

// read returns the field that the input describes, as far as values are read by it.
func (in *FieldInput) read() *Field {
	var x Field
	if in.Type != nil {
		x.Type = pdf.FieldType(*in.Type)
	}
	if in.Format != nil {
		x.Format = *in.Format
	}
	return &x
}

func (to givenLimit) read(x *Field, s string, w Writing) (ok bool) {
	switch {
	case s == "":
		return true
	case x.Type == pdf.FieldDate:
		day := DayLimit(s)
		if day == nil {
			s = w.Read(x, s)
			day = DayLimit(s)
		}
		if *to.day = day; day == nil {
			*to.day = &s
		}
		return day != nil
	}
	v, err := strconv.ParseFloat(w.Read(&Field{Type: pdf.FieldNumber}, s), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		*to.day = &s
		return false
	}
	*to.number = &v
	return true
}

// readNumber reads a number with either decimal separator, 0 if there is none.
func readNumber(s string) (v float64, ok bool) {
	if s = strings.Replace(strings.TrimSpace(s), ",", ".", 1); s == "" {
		return 0, true
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func readList(s string, kind Kind) (out []string) {
	if kind == KindChoices {
		return strings.Fields(s)
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// apply writes a property to a field if the input has it, and checks what its kind says. Limits and values, which
// depend on more, have rules of their own.
func (p *Property) apply(f *fault.Fields, in *FieldInput, x *Field) {
	stored, given := p.at(x, in)
	switch v := given.(type) {
	case **string:
		p.applyText(f, *v, stored, x)
	case **bool:
		set(stored, *v)
	case **int:
		if set(stored, *v) {
			p.inRange(f, float64(**v))
		}
	case **float64:
		if set(stored, *v) {
			p.inRange(f, **v)
		}
	case **[]string:
		switch {
		case *v == nil:
		case p.Kind == KindChoices:
			set(stored, new(input.Subset(f, p.Name, **v, p.Choices...)))
		default:
			set(stored, new(slices.Clone(**v)))
		}
	}
}

// set writes what an input has, if it has anything.
func set[T any](stored any, given *T) bool {
	if given != nil {
		*stored.(*T) = *given
	}
	return given != nil
}

func (p *Property) applyText(f *fault.Fields, given *string, stored any, x *Field) {
	switch {
	case given == nil || p.Kind == KindValue:
		return
	case p.Kind == KindText && p.Longest > 0:
		given = new(input.Line(f, p.Name, given, p.Longest))
	case p.Kind == KindChoice && *given != "":
		given = new(input.OneOf(f, p.Name, given, p.Choices...))
	}
	set(stored, given)
	if p.check != nil && !f.Has(p.Name) {
		if code := p.check(x); code != "" {
			f.Add(p.Name, code)
		}
	}
}

func (p *Property) inRange(f *fault.Fields, v float64) {
	if v != 0 && !(v >= p.Low && v <= p.High) {
		f.Between(p.Name, int(p.Low), int(p.High))
	}
}
