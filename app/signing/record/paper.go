package record

import (
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/text"
	"paraph/app/words"
)

// Paper tells how values look on paper before anything is drawn there.
type Paper struct {
	Fonts *text.Fonts
	Words *words.Catalogue
}

// Identifies reports whether the value says who the person is. It never stops them from signing: a
// character that no font has is written as its code point.
func (x *Field) Identifies() bool {
	switch x.Type {
	case pdf.FieldName:
		return true
	case pdf.FieldEmail, pdf.FieldCompany, pdf.FieldJobTitle:
		return x.ReadOnly
	}
	return false
}

// isSet reports whether a value of the field is set as text in its box.
func (x *Field) isSet() bool {
	return x.Prints() || x.Type == pdf.FieldLabel || x.Type == pdf.FieldRadio && len(x.Options) > 0
}

// BoxOn returns a field's size in points, as the page is displayed.
func (x *Field) BoxOn(f *File) text.Box {
	page := f.Pages[x.Page-1]
	return text.Box{Width: x.Width * page.Width, Height: x.Height * page.Height, Rotate: page.Rotate}
}

// TextIn returns how a text is drawn in the box of a field. Numbers and dates are never divided, as their parts
// would be read as others.
func (x *Field) TextIn(box text.Box, s string) text.Field {
	rgb := x.RGB()
	out := text.Field{Text: s, Size: x.FontSize, Align: x.Align, VerticalAlign: x.VerticalAlign, Multiline: x.Multiline(box),
		Style: text.Style{Bold: x.Weight == "bold"}, Color: text.Color{R: rgb[0], G: rgb[1], B: rgb[2]}}
	out.OneLine = x.Type == pdf.FieldNumber || x.Type == pdf.FieldDate || x.Type == pdf.FieldDateSigned
	if x.Divided() {
		out.Cells = x.Cells
	}
	if x.unchangeable() || x.Mask != "" {
		out.Smallest = .1
	}
	return out
}

// unchangeable reports whether nobody who signs has a say in the value. It has been tried when the document
// was sent, and does not stop anybody whose name is longer than that of the person whom they stand in for.
func (x *Field) unchangeable() bool {
	return x.Formula == "" && x.Settled() && x.Type != pdf.FieldLabel
}

// Multiline reports whether a text field has room for several lines, or has a value of
// several lines.
func (x *Field) Multiline(box text.Box) bool {
	size := x.FontSize
	if size == 0 {
		size = 10
	}
	return (x.Type == pdf.FieldText || x.Type == pdf.FieldLabel) && !x.Divided() && (strings.Contains(x.Value, "\n") || box.Height >= 3*size)
}

// Check returns the flaw that keeps a value from being drawn in a field of a document, or nil.
func (p *Paper) Check(d *Document, x *Field, v string) *Flaw {
	return p.check(d, x, v, x.unchangeable())
}

// check is Check, for values that may be smaller than what people read easily if they are shrunk.
func (p *Paper) check(d *Document, x *Field, v string, shrunk bool) *Flaw {
	if why := p.undrawable(v); why != nil && !x.Identifies() {
		return why
	}
	if room, fits := p.room(d, x, v, shrunk); !fits {
		return NewFlaw("no_room", fault.Number("limit", room))
	}
	return nil
}

// undrawable returns the flaw of a text with characters that no font has, or nil.
func (p *Paper) undrawable(s string) *Flaw {
	if missing := p.Fonts.Missing(s); len(missing) > 0 {
		return NewFlaw("undrawable_characters", fault.Text("characters", strconv.Quote(string(missing))))
	}
	return nil
}

// room returns how many characters of a value fit into a field, and whether all of it does. Shrunk is whether it
// may be smaller than what people read easily.
func (p *Paper) room(d *Document, x *Field, v string, shrunk bool) (n int, fits bool) {
	f := d.File(x.File)
	if v == "" || !x.isSet() || f == nil || x.Page < 1 || x.Page > len(f.Pages) {
		return 0, true
	}
	box := x.BoxOn(f)
	in := x.TextIn(box, x.Masked(x.Shown(v, p.Words.Match(d.Locale))))
	if strings.Contains(v, "\n") && x.Type == pdf.FieldText && !x.Divided() {
		in.Multiline = true // as its value makes it
	}
	if !shrunk && x.Mask == "" {
		in.Smallest = 0
	}
	if p.Fonts.Fits(box, in) {
		return 0, true
	}
	return p.Fonts.Room(box, in), false
}

// peopleProblems names the people whose names have characters that no font has.
func (p *Paper) peopleProblems(d *Document) []Problem {
	var out []Problem
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if missing := p.Fonts.Missing(inv.Name); len(missing) > 0 {
			out = append(out, Problem{Code: "name_undrawable", Severity: SeverityWarning, Invitation: inv.ID, part: "invitations",
				Args: []fault.Arg{fault.Text("name", inv.Name), fault.Text("characters", string(missing))}})
		}
	}
	return out
}
