package page

import (
	"paraph/app/pdf/text"
)

// A Layout describes the pages of a [Flow]. Lengths are in points; the zero
// Layout is A4 with margins of 56.
type Layout struct {
	Width, Height            float64
	Left, Right, Top, Bottom float64 // margins

	// RightToLeft mirrors tables and aligns all text to the right; each line
	// keeps its own direction.
	RightToLeft bool

	// Header and Footer return the small print for the margins of a page: the
	// text at the start and at the end of the line. page counts from 1. Either
	// function may be nil.
	Header, Footer func(page, pages int) (start, end string)
}

// A Flow sets text from the top of a page to the bottom and begins a new page
// when that one is full.
type Flow struct {
	b      *Builder
	layout Layout
	y      float64 // position of the next element from the top of the page
}

// Flow begins a flow on a new page. Other pages may come before and after it.
func (b *Builder) Flow(l Layout) *Flow {
	f := &Flow{b: b, layout: l.complete()}
	f.Break()
	b.finish = append(b.finish, f.margins)
	return f
}

func (l Layout) complete() Layout {
	set := func(v *float64, value float64) {
		if *v <= 0 {
			*v = value
		}
	}
	set(&l.Width, A4Width)
	set(&l.Height, A4Height)
	for _, m := range []*float64{&l.Left, &l.Right, &l.Top, &l.Bottom} {
		set(m, 56)
	}
	return l
}

// Font sizes in points.
const (
	bodySize  = 10
	smallSize = 8
)

// Break continues on a new page.
func (f *Flow) Break() {
	f.b.NewPage(f.layout.Width, f.layout.Height)
	f.b.page().flow = f
	f.y = f.layout.Top
}

// Room returns the height left on the page, in points.
func (f *Flow) Room() float64 { return f.layout.Height - f.layout.Bottom - f.y }

// Width returns the width of the text, in points.
func (f *Flow) Width() float64 { return f.layout.Width - f.layout.Left - f.layout.Right }

// Y returns the position of the next element, in points from the top of the
// page.
func (f *Flow) Y() float64 { return f.y }

// Left returns the left margin, in points.
func (f *Flow) Left() float64 { return f.layout.Left }

// Need begins a new page unless the current one has the given height left.
// Elements taller than a page begin at the current position.
func (f *Flow) Need(height float64) {
	if height > f.Room() && f.y > f.layout.Top && height <= f.layout.Height-f.layout.Top-f.layout.Bottom {
		f.Break()
	}
}

// Space leaves the given height free, except at the top of a page.
func (f *Flow) Space(height float64) {
	if f.y > f.layout.Top {
		f.y += height
	}
}

// Heading sets a heading of level 1 (the title) to 3 and keeps it together with
// the text after it.
func (f *Flow) Heading(level int, s string) {
	size := [...]float64{20, 14, 11}[min(max(level, 1), 3)-1]
	f.Space(size * 0.9)
	lines := f.b.set.Fonts().WrapLines(text.Style{Bold: true}, size, f.Width(), s)
	f.Need(heightOf(lines) + 40)
	f.lines(lines, text.AlignStart, text.Color{})
	f.y += size * 0.35
}

// A Paragraph describes the look of a paragraph. The zero Paragraph is black,
// 10 points, and aligned to the side where its text begins.
type Paragraph struct {
	Style text.Style
	Size  float64 // points; 0 is 10
	Align string  // as in [text.Field]
	Color text.Color
	After float64 // space below, points
}

// Paragraph sets text in as many lines as needed.
func (f *Flow) Paragraph(s string, p Paragraph) {
	if p.Size <= 0 {
		p.Size = bodySize
	}
	f.lines(f.b.set.Fonts().WrapLines(p.Style, p.Size, f.Width(), s), p.Align, p.Color)
	f.y += p.After
}

// lines sets lines across the width of the text.
func (f *Flow) lines(lines []text.Run, align string, c text.Color) {
	for _, l := range lines {
		if l.Height() > f.Room() && f.y > f.layout.Top {
			f.Break()
		}
		f.line(f.layout.Left, f.Width(), l, align, c)
		f.y += l.Height()
	}
}

// line sets one line in a column with its top at f.y.
func (f *Flow) line(x, width float64, l text.Run, align string, c text.Color) {
	if align == text.AlignStart && (l.RightToLeft || f.layout.RightToLeft) {
		align = text.AlignRight
	}
	switch align {
	case text.AlignRight:
		x += width - l.Width
	case text.AlignCenter:
		x += (width - l.Width) / 2
	}
	p := f.b.page()
	p.Fill(c)
	p.Text(x, p.height-f.y-l.Ascent, l)
}

// Rule draws a thin line across the width of the text.
func (f *Flow) Rule() {
	f.y += 4
	f.b.Line(f.layout.Left, f.y, f.layout.Left+f.Width(), f.y, 0.5, 0.7, 0.7, 0.7)
	f.y += 4
}

// Image draws a picture at 96 dots per inch, scaled down if it exceeds
// maxWidth, maxHeight or the page. The error wraps [text.ErrPicture].
func (f *Flow) Image(data []byte, maxWidth, maxHeight float64) error {
	p, err := f.b.picture(data)
	if err != nil {
		return err
	}
	w, h := float64(p.Width)*0.75, float64(p.Height)*0.75
	page := f.layout.Height - f.layout.Top - f.layout.Bottom
	scale := min(1, maxWidth/w, f.Width()/w, maxHeight/h, page/h)
	w, h = w*scale, h*scale
	f.Need(h)
	x := f.layout.Left
	if f.layout.RightToLeft {
		x += f.Width() - w
	}
	sheet := f.b.page()
	sheet.Picture(x, sheet.height-f.y-h, w, h, p)
	f.y += h
	return nil
}

// margins draws the header and footer on the pages of the flow.
func (f *Flow) margins() {
	var pages []*sheet
	for _, p := range f.b.pages {
		if p.flow == f {
			pages = append(pages, p)
		}
	}
	for i, p := range pages {
		f.margin(p, f.layout.Top*0.55, f.layout.Header, i+1, len(pages))
		f.margin(p, f.layout.Height-f.layout.Bottom*0.45, f.layout.Footer, i+1, len(pages))
	}
}

func (f *Flow) margin(p *sheet, y float64, texts func(page, pages int) (start, end string), page, pages int) {
	if texts == nil {
		return
	}
	start, end := texts(page, pages)
	if f.layout.RightToLeft {
		start, end = end, start
	}
	fonts := f.b.set.Fonts()
	p.Fill(text.Color{R: 0.4, G: 0.4, B: 0.4})
	p.Text(f.layout.Left, p.height-y, fonts.Layout(text.Style{}, smallSize, start))
	right := fonts.Layout(text.Style{}, smallSize, end)
	p.Text(f.layout.Width-f.layout.Right-right.Width, p.height-y, right)
}

func heightOf(lines []text.Run) float64 {
	h := 0.0
	for _, l := range lines {
		h += l.Height()
	}
	return h
}
