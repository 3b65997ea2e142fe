package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf"
	"paraph/app/signing/format"
	"paraph/app/signing/pattern"
)

// Placement resolves the references in a field input. In a one-shot request, files
// and people have no identifiers yet, so positions and e-mail addresses are accepted
// too.
type Placement struct {
	Files       []File
	Invitations []Invitation
	Writing     // of values
}

// File returns the file that an input refers to, nil if there is none.
func (p Placement) File(ref string) *File {
	if ref == "" && len(p.Files) > 0 {
		return &p.Files[0]
	}
	if i, err := strconv.Atoi(ref); err == nil && i >= 0 && i < len(p.Files) {
		return &p.Files[i]
	}
	i := slices.IndexFunc(p.Files, func(f File) bool { return f.ID == ref || f.Name == ref })
	if i < 0 {
		return nil
	}
	return &p.Files[i]
}

func (p Placement) invitation(ref string) *Invitation {
	if i, err := strconv.Atoi(ref); err == nil && i >= 0 && i < len(p.Invitations) {
		return &p.Invitations[i]
	}
	var found *Invitation
	for i := range p.Invitations {
		inv := &p.Invitations[i]
		switch {
		case inv.ID == ref:
			return inv
		case ref == "" || !strings.EqualFold(inv.Email, ref) && !strings.EqualFold(inv.RoleName, ref):
		case found != nil: // people who share an address
			return nil
		default:
			found = inv
		}
	}
	return found
}

// Apply checks the input and writes it to the field.
func (in *FieldInput) Apply(f *fault.Fields, x *Field, p Placement) {
	before := *x
	if in.Pages != "" {
		f.Add("pages", "pages_not_here")
	}
	file := in.applyPlace(f, x, p)
	for i := range properties {
		properties[i].apply(f, in, x)
	}
	if x.Type == "" {
		f.Required("type")
	}
	in.applyBox(f, x, file)
	x.Anchor = in.Anchor
	if in.Placed != nil {
		before = *in.Placed
		before.File, before.Type, before.Anchor = x.File, x.Type, in.Anchor
	}
	if x.Anchor == nil || in.Placed != nil {
		x.keepAnchor(&before, file)
	}
	in.applyCovered(f, x, file)
	in.applyRules(f, x, p.Writing)
	in.applyFormula(f, x)
	in.applyCondition(f, x)
}

// Succeed makes a field made from an input the successor of another, whose identity it
// keeps, and what the input leaves out of how it was placed.
func (x *Field) Succeed(before *Field, in *FieldInput, file *File) {
	x.ID = before.ID
	if x.File != before.File {
		return
	}
	if in.Covered == nil {
		x.Covered = before.Covered
	}
	if in.Anchor == nil {
		x.keepAnchor(before, file)
	}
}

// rounding is how far an edge may exceed the page.
const rounding = 1e-6

func (in *FieldInput) applyRules(f *fault.Fields, x *Field, written Writing) {
	if in.Required == nil && x.ID == "" {
		x.Required = x.Type != pdf.FieldCheckbox && x.Type != pdf.FieldAttachment
	}
	if x.Fixed() {
		x.Required, x.ReadOnly = false, true
	}
	if in.Min != nil {
		x.Min = in.Min
	}
	if in.Max != nil {
		x.Max = in.Max
	}
	if x.Min != nil && x.Max != nil && *x.Min > *x.Max {
		f.Add("max", "max_below_min")
	}
	in.applyDays(f, x)
	if x.GroupMax > 0 && x.GroupMin > x.GroupMax {
		f.Add("group_max", "max_below_min")
	}
	in.applyOptions(f, x)
	if x.Type == pdf.FieldImage {
		if x.Value = ""; in.Value != nil && *in.Value != "" {
			f.Add("value", "image_with_value")
		}
		return
	}
	if in.Value != nil && !f.Has("type") && !f.Has("pattern") && !f.Has("options") && !f.Has("format") {
		x.Value = input.Lines(f, "value", in.Value, MaxValue)
		if x.Value != "" && !x.Drawn() {
			if v, why := x.accept(written.Read(x, x.Value)); why != nil {
				f.Add("value", why.code, why.args...)
			} else {
				x.Value = v
			}
		}
	}
}

// checkPattern checks a regular expression.
func checkPattern(x *Field) fault.Code {
	switch err := pattern.Check(x.Pattern); {
	case errors.Is(err, pattern.ErrComplex):
		return "pattern_too_complex"
	case err != nil:
		return "not_a_pattern"
	}
	return ""
}

// checkColor checks a colour such as #1d5bd1.
func checkColor(x *Field) fault.Code {
	x.Color = strings.ToLower(x.Color)
	if _, ok := channels(x.Color); !ok && x.Color != "" {
		return "not_a_color"
	}
	return ""
}

// checkFieldFormat checks the format of numbers and dates. Other types ignore theirs.
func checkFieldFormat(x *Field) fault.Code {
	if x.Format == "" {
		return ""
	}
	switch x.Type {
	case pdf.FieldNumber:
		if _, err := format.ParseNumber(x.Format); err != nil {
			return "not_a_number_format"
		}
	case pdf.FieldDate, pdf.FieldDateSigned:
		if _, err := format.ParseDate(x.Format); err != nil {
			return "not_a_date_format"
		}
	}
	return ""
}

func (in *FieldInput) applyOptions(f *fault.Fields, x *Field) {
	if len(x.Options) > 500 {
		f.TooMany("options", 500)
		return
	}
	seen := map[string]bool{}
	for i, o := range x.Options {
		o = input.Line(f, fmt.Sprintf("options.%d", i), &o, MaxName)
		if o == "" || seen[o] {
			f.Add("options", "not_distinct")
			break
		}
		seen[o], x.Options[i] = true, o
	}
	if x.Type == pdf.FieldSelect && len(x.Options) == 0 {
		f.Required("options")
	}
	if x.Type == pdf.FieldRadio && x.Group == "" && len(x.Options) == 0 && in.Group == nil {
		x.Group = x.Name
	}
}
