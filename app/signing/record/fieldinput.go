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
	"paraph/app/signing/detect"
	"paraph/app/signing/format"
	"paraph/app/signing/pattern"
)

// Placement resolves the references in a field input. In a one-shot request, files
// and people have no identifiers yet, so positions and e-mail addresses are accepted
// too.
type Placement struct {
	Files       []File
	Invitations []Invitation
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
	i := slices.IndexFunc(p.Invitations, func(inv Invitation) bool {
		return inv.ID == ref || ref != "" && (strings.EqualFold(inv.Email, ref) || strings.EqualFold(inv.RoleName, ref))
	})
	if i < 0 {
		return nil
	}
	return &p.Invitations[i]
}

// Apply checks the input and writes it to the field.
func (in *FieldInput) Apply(f *fault.Fields, x *Field, p Placement) {
	file := in.applyPlace(f, x, p)
	if in.Type != nil {
		x.Type = input.OneOf(f, "type", (*pdf.FieldType)(in.Type), pdf.FieldTypes()...)
	} else if x.Type == "" {
		f.Required("type")
	}
	in.applyBox(f, x, file)
	in.applyCovered(f, x, file)
	in.applyTexts(f, x)
	in.applyRules(f, x)
}

func (in *FieldInput) applyPlace(f *fault.Fields, x *Field, p Placement) *File {
	ref := x.File
	if in.File != nil {
		ref = *in.File
	}
	file := p.File(ref)
	if file == nil {
		f.Selected("file_id")
	} else {
		x.File = file.ID
	}
	if in.Invitation == nil && x.Invitation == "" {
		f.Required("invitation_id")
	} else if in.Invitation != nil {
		inv := p.invitation(*in.Invitation)
		switch {
		case inv == nil:
			f.Selected("invitation_id")
		case inv.Role == Viewer:
			f.Add("invitation_id", "viewer_with_fields")
		default:
			x.Invitation = inv.ID
		}
	}
	return file
}

func (in *FieldInput) applyBox(f *fault.Fields, x *Field, file *File) {
	if in.Page != nil {
		x.Page = *in.Page
	} else if x.Page == 0 {
		x.Page = 1
	}
	if file != nil && (x.Page < 1 || x.Page > len(file.Pages)) {
		f.Between("page", 1, len(file.Pages))
	}
	set := func(name string, to *float64, v *float64) {
		if v != nil {
			*to = *v
		} else if x.ID == "" {
			f.Required(name)
		}
	}
	set("x", &x.X, in.X)
	set("y", &x.Y, in.Y)
	set("width", &x.Width, in.Width)
	set("height", &x.Height, in.Height)
	inside := func(name string, v, low float64) {
		if !f.Has(name) && !(v >= low && v <= 1) {
			f.Add(name, "not_a_fraction", fault.Decimal("low", low), fault.Decimal("high", 1))
		}
	}
	inside("x", x.X, 0)
	inside("y", x.Y, 0)
	inside("width", x.Width, detect.SmallestEdge)
	inside("height", x.Height, detect.SmallestEdge)
	if !f.Has("width") && !f.Has("x") && x.X+x.Width > 1+rounding {
		f.Add("width", "over_right_edge")
	}
	if !f.Has("height") && !f.Has("y") && x.Y+x.Height > 1+rounding {
		f.Add("height", "over_bottom_edge")
	}
}

// Bounds of an anchor.
const (
	maxOccurrence = 10_000
	maxOffset     = 2_000 // points
)

// CheckAnchor checks the anchor of an input and completes it.
func (in *FieldInput) CheckAnchor(f *fault.Fields) {
	a := *in.Anchor
	in.Anchor = &a
	if a.Text = input.Line(f, "anchor.text", &a.Text, MaxName); a.Text == "" && !f.Has("anchor.text") {
		f.Required("anchor.text")
	}
	if a.Occurrence < 1 || a.Occurrence > maxOccurrence {
		f.Between("anchor.occurrence", 1, maxOccurrence)
	}
	a.Position = input.OneOf(f, "anchor.position", &a.Position, detect.Positions()...)
	for name, v := range map[string]float64{"anchor.offset_x": a.X, "anchor.offset_y": a.Y} {
		if !(v >= -maxOffset && v <= maxOffset) {
			f.Between(name, -maxOffset, maxOffset)
		}
	}
}

// maxCovered is the maximum number of parts that are covered for one field.
const maxCovered = 16

// applyCovered writes the parts of pages that are painted over. A field that is moved
// by hand leaves its anchor; what it covers stays covered.
func (in *FieldInput) applyCovered(f *fault.Fields, x *Field, file *File) {
	if in.Anchor != nil {
		x.Anchor = in.Anchor
	} else if in.Page != nil || in.X != nil || in.Y != nil {
		x.Anchor = nil
	}
	if in.Covered == nil {
		return
	}
	if len(*in.Covered) > maxCovered {
		f.TooMany("covered", maxCovered)
		return
	}
	if file != nil && file.Presigned && len(*in.Covered) > 0 { // painting would break the signatures in it
		f.Add("covered", "tags_in_signed_file", fault.Text("file", file.Name))
		return
	}
	for i, a := range *in.Covered {
		at := f.At("covered", i)
		if file != nil && (a.Page < 1 || a.Page > len(file.Pages)) {
			at.Between("page", 1, len(file.Pages))
		}
		for _, side := range []struct {
			name        string
			value, most float64
		}{{"x", a.X, 1}, {"y", a.Y, 1}, {"width", a.Width, 1 - a.X}, {"height", a.Height, 1 - a.Y}} {
			if !(side.value >= 0 && side.value <= side.most+rounding) {
				at.Add(side.name, "not_a_fraction", fault.Decimal("low", 0), fault.Decimal("high", 1))
			}
		}
	}
	x.Covered = slices.Clone(*in.Covered)
}

// Succeed makes a field made from an input the successor of another, whose identity it
// keeps, and what the input leaves out of how it was placed.
func (x *Field) Succeed(before *Field, in *FieldInput) {
	x.ID = before.ID
	if x.File != before.File {
		return
	}
	if in.Covered == nil {
		x.Covered = before.Covered
	}
	if in.Anchor == nil && x.Page == before.Page && x.X == before.X && x.Y == before.Y {
		x.Anchor = before.Anchor
	}
}

// rounding is how far an edge may exceed the page.
const rounding = 1e-6

func (in *FieldInput) applyTexts(f *fault.Fields, x *Field) {
	text := func(name string, to *string, v *string) {
		if v != nil {
			*to = input.Line(f, name, v, MaxName)
		}
	}
	text("name", &x.Name, in.Name)
	text("label", &x.Label, in.Label)
	text("group", &x.Group, in.Group)
	text("format", &x.Format, in.Format)
	if in.Align != nil {
		x.Align = input.OneOf(f, "align", in.Align, "left", "center", "right")
	}
	if in.FontSize != nil {
		if x.FontSize = *in.FontSize; x.FontSize != 0 && (x.FontSize < 4 || x.FontSize > 144) {
			f.Between("font_size", 4, 144)
		}
	}
}

func (in *FieldInput) applyRules(f *fault.Fields, x *Field) {
	if in.Required != nil {
		x.Required = *in.Required
	} else if x.ID == "" {
		x.Required = x.Type != pdf.FieldCheckbox && x.Type != pdf.FieldAttachment
	}
	if in.ReadOnly != nil {
		x.ReadOnly = *in.ReadOnly
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
	in.applyOptions(f, x)
	in.applyFormat(f, x)
	if in.Pattern != nil {
		x.Pattern = *in.Pattern
		switch err := pattern.Check(x.Pattern); {
		case errors.Is(err, pattern.ErrComplex):
			f.Add("pattern", "pattern_too_complex")
		case err != nil:
			f.Add("pattern", "not_a_pattern")
		}
	}
	if in.Value != nil && !f.Has("type") && !f.Has("pattern") && !f.Has("options") && !f.Has("format") {
		x.Value = input.Lines(f, "value", in.Value, MaxValue)
		if x.Value != "" && !x.Drawn() {
			if v, why := x.accept(x.Value); why != nil {
				f.Add("value", why.code, why.args...)
			} else {
				x.Value = v
			}
		}
	}
}

// applyFormat checks the format of numbers and dates. Other types ignore theirs.
func (in *FieldInput) applyFormat(f *fault.Fields, x *Field) {
	if in.Format == nil || x.Format == "" || f.Has("format") {
		return
	}
	switch x.Type {
	case pdf.FieldNumber:
		if _, err := format.ParseNumber(x.Format); err != nil {
			f.Add("format", "not_a_number_format")
		}
	case pdf.FieldDate, pdf.FieldDateSigned:
		if _, err := format.ParseDate(x.Format); err != nil {
			f.Add("format", "not_a_date_format")
		}
	}
}

func (in *FieldInput) applyOptions(f *fault.Fields, x *Field) {
	if in.Options != nil {
		x.Options = slices.Clone(*in.Options)
	}
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
