package record

import (
	"slices"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/detect"
)

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
		case !inv.Signs():
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

// keepAnchor keeps the anchor of a field, which had another place before. A field that is moved
// by hand leaves its anchor; only where filled placeholders will move the phrase, the field
// keeps its distance from it, or what it covers if that is on another page.
func (x *Field) keepAnchor(before *Field, file *File) {
	x.Anchor = before.Anchor
	switch {
	case x.Anchor == nil:
	case x.File == before.File && x.Page != before.Page && x.Anchor.Cover && file != nil && len(file.Placeholders) > 0:
		away := *x.Anchor
		away.Position = detect.Elsewhere
		x.Anchor = &away
	case x.File != before.File || x.Page != before.Page:
		x.Anchor = nil
	case file != nil && len(file.Placeholders) > 0 && x.Page >= 1 && x.Page <= len(file.Pages):
		page := file.Pages[x.Page-1]
		moved := x.Anchor.Moved(before.box(), x.box(), detect.Size{Width: page.Width, Height: page.Height})
		x.Anchor = &moved
	case x.X != before.X || x.Y != before.Y:
		x.Anchor = nil
	}
}

// box returns what the place of an anchored field depends on.
func (x *Field) box() detect.Field {
	return detect.Field{Type: x.Type, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height}
}

// applyCovered writes the parts of pages that are painted over. What a moved field covers
// stays covered.
func (in *FieldInput) applyCovered(f *fault.Fields, x *Field, file *File) {
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
	checkAreas(f, "covered", *in.Covered, file)
	x.Covered = slices.Clone(*in.Covered)
}

// checkAreas checks parts of the pages of a file; without one, any page is good.
func checkAreas(f *fault.Fields, name string, areas []detect.Area, file *File) {
	for i, a := range areas {
		at := f.At(name, i)
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
}
