package record

import (
	"slices"
	"strconv"
	"strings"

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
	page := Size{Width: 1, Height: 1}
	if file != nil && !f.Has("page") {
		page = file.Pages[x.Page-1]
	}
	across, down := in.scale(f, page)
	set := func(name string, to *float64, v *float64, scale float64) {
		if v != nil {
			*to = *v * scale
		} else if x.ID == "" {
			f.Required(name)
		}
	}
	set("width", &x.Width, in.Width, across)
	set("height", &x.Height, in.Height, down)
	set("x", &x.X, in.X, across)
	set("y", &x.Y, in.Y, down)
	in.turn(f, x)
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

// OnPages returns an input for each page that Pages names in the file; the input itself if it names none. Pages is a
// list of page numbers and ranges such as 1,3-5,8-, of first and last, or all.
func (in *FieldInput) OnPages(f *fault.Fields, p Placement) []FieldInput {
	one := *in
	one.Pages = ""
	if in.Pages == "" {
		return []FieldInput{one}
	}
	ref := ""
	if in.File != nil {
		ref = *in.File
	}
	file := p.File(ref)
	switch {
	case in.ID != "" || in.Anchor != nil || in.Page != nil:
		f.Add("pages", "pages_not_here")
		return []FieldInput{one}
	case file == nil: // Apply says so
		return []FieldInput{one}
	}
	chosen, ok := pageNumbers(in.Pages, len(file.Pages))
	if !ok {
		f.Add("pages", "not_pages", fault.Number("high", len(file.Pages)))
		return []FieldInput{one}
	}
	out := make([]FieldInput, len(chosen))
	for i := range chosen {
		out[i] = one
		out[i].Page = &chosen[i]
	}
	return out
}

// maxPageList is the longest list of pages, in bytes.
const maxPageList = 1000

// pageNumbers returns the pages that a list names, in their order in the file, each once.
func pageNumbers(list string, last int) (numbers []int, ok bool) {
	number := func(s string, otherwise int) int {
		switch s = strings.TrimSpace(s); s {
		case "":
			return otherwise
		case "first":
			return 1
		case "last":
			return last
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			return 0
		}
		return n
	}
	if len(list) > maxPageList {
		return nil, false
	}
	chosen := make([]bool, last+1)
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		low := number(from, 0)
		high := low
		switch {
		case strings.TrimSpace(part) == "all":
			low, high = 1, last
		case ranged:
			high = number(to, last)
		}
		if low < 1 || high < low || high > last {
			return nil, false
		}
		for n := low; n <= high; n++ {
			chosen[n] = true
		}
	}
	for n, is := range chosen {
		if is {
			numbers = append(numbers, n)
		}
	}
	return numbers, true
}

// Units in which a place can be given.
const (
	unitFraction   = "fraction"
	unitPoint      = "pt"
	unitMillimetre = "mm"
)

// Units lists the units in which a place can be given.
func Units() []string { return []string{unitFraction, unitPoint, unitMillimetre} }

// Origins lists the corners of a page that a place can be measured from, to the same corner of the field.
func Origins() []string { return []string{"top_left", "top_right", "bottom_left", "bottom_right"} }

// scale returns what lengths in the unit of the input are multiplied with to be fractions of a page.
func (in *FieldInput) scale(f *fault.Fields, page Size) (across, down float64) {
	switch in.Unit {
	case "", unitFraction:
	case unitPoint:
		return 1 / page.Width, 1 / page.Height
	case unitMillimetre:
		const points = 72 / 25.4
		return points / page.Width, points / page.Height
	default:
		f.OneOf("unit", Units()...)
	}
	return 1, 1
}

// turn measures the place of a field from the top left corner of its page, if the input gives it from another one.
func (in *FieldInput) turn(f *fault.Fields, x *Field) {
	if in.Origin == "" {
		return
	}
	if !slices.Contains(Origins(), in.Origin) {
		f.OneOf("origin", Origins()...)
		return
	}
	if in.X != nil && strings.HasSuffix(in.Origin, "right") {
		x.X = 1 - x.X - x.Width
	}
	if in.Y != nil && strings.HasPrefix(in.Origin, "bottom") {
		x.Y = 1 - x.Y - x.Height
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
	in.Anchor, in.Origin = &a, ""
	if in.Unit != "" && in.Unit != unitFraction {
		f.OneOf("unit", unitFraction) // the size of the page is not known before the phrase is found
		in.Unit = ""
	}
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
