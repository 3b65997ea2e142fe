package text

import "paraph/app/pdf/object"

// A Box describes a field on the page as displayed: Width and Height in points,
// and the Rotate of the page in degrees clockwise (a multiple of 90). On a page
// rotated by 90 or 270 degrees, the width and height of the widget's rectangle
// are swapped.
type Box struct {
	Width, Height float64
	Rotate        int
}

// An Appearance is the appearance of a field: a form XObject that is written
// after its set is embedded.
type Appearance struct {
	*Drawing
	Box Box
}

// NewAppearance returns an empty appearance. It is valid as it is, for an
// unchecked mark or a hidden signature.
func (s *Set) NewAppearance(b Box) *Appearance {
	return &Appearance{Drawing: s.NewDrawing(), Box: b}
}

// Stream returns the form XObject (ISO 32000-2 §8.10), with a Matrix that makes
// it upright on a rotated page. The error is [ErrNotEmbedded].
func (a *Appearance) Stream() (*object.Stream, error) {
	resources, err := a.Resources()
	if err != nil {
		return nil, err
	}
	d := object.Dict{
		"Type": object.Name("XObject"), "Subtype": object.Name("Form"),
		"BBox":      object.Array{0, 0, round(a.Box.Width), round(a.Box.Height)},
		"Resources": resources,
	}
	if m := a.Box.matrix(); m != nil {
		d["Matrix"] = m
	}
	if len(a.ops) < 200 {
		return &object.Stream{Dict: d, Data: a.ops}, nil
	}
	d["Filter"] = object.Name("FlateDecode")
	return &object.Stream{Dict: d, Data: a.set.fonts.flate(a.ops)}, nil
}

// matrix returns the matrix that rotates the box against its page, back into
// the first quadrant, or nil if the page is not rotated.
func (b Box) matrix() object.Array {
	w, h := round(b.Width), round(b.Height)
	switch ((b.Rotate % 360) + 360) % 360 {
	case 90:
		return object.Array{0, 1, -1, 0, h, 0}
	case 180:
		return object.Array{-1, 0, 0, -1, w, h}
	case 270:
		return object.Array{0, -1, 1, 0, 0, w}
	}
	return nil
}

// Alignments of a [Field]. The zero Align is the side where the text begins.
const (
	AlignStart  = ""
	AlignLeft   = "left"
	AlignCenter = "center"
	AlignRight  = "right"
)

// A Field is a value shown as text: that of a text, date, number, name, e-mail
// or select field.
type Field struct {
	Text      string
	Style     Style
	Size      float64 // points; 0 fits the box
	Align     string  // AlignStart, AlignLeft, AlignCenter, AlignRight
	Multiline bool    // wrap from the top instead of one line in the middle
	// VerticalAlign is top, middle or bottom; "" is the middle for one line, else the top.
	VerticalAlign string
	Cells         int // draws one character in the middle of each cell; 0 draws running text
	Color         Color
	OneLine       bool    // is never wrapped, such as a number, whose parts would be read as others
	Smallest      float64 // size in points below which the text is not shrunk; 0 is that of values that people read
}

// Font sizes in fields, in points.
const (
	minSize     = 6  // text is not shrunk further
	anySize     = .1 // of what is drawn whole, however small
	defaultSize = 12 // the maximum if no size is given
	inset       = 2  // distance from the edge of a field to its text
)

// Text draws a value. Text that is too large is shrunk to as little as 6
// points; then a single line is wrapped if the box has room for two, and text
// that still doesn't fit is clipped: see [Fonts.Fits]. Nothing is drawn outside the box.
func (s *Set) Text(b Box, v Field) *Appearance {
	a := s.NewAppearance(b)
	a.begin()
	defer a.end()
	if v.Text == "" {
		return a
	}
	a.Fill(v.Color)
	if v.Cells > 0 {
		s.drawCells(a, v)
		return a
	}
	lines, _ := s.fonts.fit(b, v)
	height := 0.0
	for _, l := range lines {
		height += l.Height()
	}
	top := b.top(v, height)
	for _, l := range lines {
		top -= l.Ascent
		a.Text(left(b, v.Align, l), top, l)
		top -= l.Descent
	}
	return a
}

// top returns the y coordinate of the upper edge of lines of a total height. What is too high
// begins at the top.
func (b Box) top(v Field, height float64) float64 {
	edge := max(0, min(inset, b.Height/8, b.Height-height))
	switch {
	case height > b.Height || v.VerticalAlign == "top" || v.VerticalAlign == "" && v.Multiline:
		return b.Height - edge
	case v.VerticalAlign == "bottom":
		return min(height+edge, b.Height)
	}
	return (b.Height + height) / 2
}

// drawCells draws each character in the middle of its cell; those without a cell are left out.
// Right-to-left text begins in the last one.
func (s *Set) drawCells(a *Appearance, v Field) {
	b := a.Box
	width := b.Width / float64(v.Cells)
	size, _ := s.fonts.cellSize(b, v)
	backwards := s.fonts.Layout(v.Style, size, v.Text).RightToLeft
	for i, letter := range letters(v.Text) {
		if i == v.Cells {
			break
		}
		if backwards {
			i = v.Cells - 1 - i
		}
		l := s.fonts.Layout(v.Style, size, letter)
		a.Text((float64(i)+0.5)*width-l.Width/2, b.top(v, l.Height())-l.Ascent, l)
	}
}

// begin opens a form's variable text and its clip (ISO 32000-2 §12.7.4.3).
func (a *Appearance) begin() {
	a.op("/Tx BMC")
	a.Save()
	a.Clip(0, 0, a.Box.Width, a.Box.Height)
}

func (a *Appearance) end() {
	a.Restore()
	a.op("EMC")
}

// left returns the x coordinate at which a line begins.
func left(b Box, align string, l Run) float64 {
	pad := b.pad()
	if align == AlignStart && l.RightToLeft {
		align = AlignRight
	}
	switch align {
	case AlignCenter:
		return (b.Width - l.Width) / 2
	case AlignRight:
		return b.Width - pad - l.Width
	}
	return pad
}

func (b Box) pad() float64 { return min(inset, b.Width/10) }
