package text

import "math"

// A Point is a position on a signature pad: x to the right, y down, in any
// unit. Pen is the width of the line there, relative to the usual one; 0 is
// the usual one.
type Point struct{ X, Y, Pen float64 }

// A Mark is a person's signature or initials. The first of Strokes, Picture and
// Typed that is set is drawn.
type Mark struct {
	Strokes [][]Point // drawn with a pen
	Picture *Picture  // uploaded or drawn as an image; see [Set.Picture]
	Typed   string    // a name
	Face    string    // of Typed, one of Scripts; "" is Script1
	Color   Color
}

// Ink returns the default colour of signatures.
func Ink() Color { return Color{0.05, 0.1, 0.35} }

// Black returns the alternative colour of signatures.
func Black() Color { return Color{} }

// Signature draws a mark as large as the box allows, keeping its aspect ratio,
// with lines of small print below (who, when, how) if the box is high enough.
func (s *Set) Signature(b Box, m Mark, caption ...string) *Appearance {
	a := s.NewAppearance(b)
	a.Save()
	defer a.Restore()
	a.Clip(0, 0, b.Width, b.Height)
	foot := a.caption(caption)
	pad := min(inset, b.Width/10, (b.Height-foot)/10)
	a.Mark(pad, foot+pad, b.Width-2*pad, b.Height-foot-2*pad, m)
	return a
}

// caption writes the small print at the bottom and returns its height. It is as large as it can be whole in
// less than half of the box; what does not fit at the smallest size is left out, whole lines of it.
func (a *Appearance) caption(lines []string) float64 {
	const size, floor, step = 6.0, 4.0, 0.5
	room, width := a.Box.Height*0.45, a.Box.Width-2*inset
	if len(lines) == 0 || a.Box.Height < 24 || width <= 0 {
		return 0
	}
	var runs []Run
	height := 0.0
	for at, whole := size, false; !whole && at >= floor; at -= step {
		runs, height, whole = a.set.fonts.captionAt(at, width, room, lines)
	}
	a.Fill(gray)
	y := height
	for _, r := range runs {
		y -= r.Ascent
		x := float64(inset)
		if r.RightToLeft {
			x = a.Box.Width - inset - r.Width
		}
		a.Text(x, y, r)
		y -= r.Descent
	}
	return height
}

// captionAt wraps lines of small print at a size. Those for which there is no room are left out.
func (f *Fonts) captionAt(size, width, room float64, lines []string) (runs []Run, height float64, whole bool) {
	whole = true
	for _, l := range lines {
		wrapped, high := f.WrapLines(Style{}, size, width, l), 0.0
		for _, r := range wrapped {
			high += r.Height()
		}
		if height+high > room {
			whole = false
			continue
		}
		runs, height = append(runs, wrapped...), height+high
	}
	return runs, height, whole
}

// Mark draws a mark as large as a rectangle allows, keeping its aspect ratio.
// x, y is the bottom left corner.
func (d *Drawing) Mark(x, y, w, h float64, m Mark) {
	if w <= 0 || h <= 0 {
		return
	}
	switch {
	case len(m.Strokes) > 0:
		d.strokes(x, y, w, h, m)
	case m.Picture != nil:
		pw, ph := m.Picture.fit(w, h)
		d.Save()
		d.Multiply()
		d.Picture(x, y+(h-ph)/2, pw, ph, m.Picture)
		d.Restore()
	case m.Typed != "":
		d.typed(x, y, w, h, m)
	}
}

func (d *Drawing) typed(x, y, w, h float64, m Mark) {
	const probe, largest = 100.0, 36.0
	r := d.set.fonts.Layout(d.set.fonts.TypedIn(m.Face, m.Typed), probe, m.Typed)
	if r.Width <= 0 || r.Height() <= 0 {
		return
	}
	r = r.scaled(min(w/r.Width, h/r.Height(), largest/probe))
	d.Fill(m.Color)
	if r.RightToLeft {
		x += w - r.Width
	}
	d.Text(x, y+(h-r.Height())/2+r.Descent, r)
}

// strokes draws pen strokes as smooth lines: curves through the midpoints
// between the points, with the points as controls.
func (d *Drawing) strokes(x, y, w, h float64, m Mark) {
	low, high, ok := bounds(m.Strokes)
	if !ok {
		return
	}
	pen := min(1.4, h/16)
	x, y, w, h = x+pen, y+pen, w-2*pen, h-2*pen
	scale := min(w/max(high.X-low.X, slack), h/max(high.Y-low.Y, slack))
	y += (h + (high.Y-low.Y)*scale) / 2 // of the highest point
	at := func(p Point) Point { return Point{X: x + (p.X-low.X)*scale, Y: y - (p.Y-low.Y)*scale} }
	d.Stroke(m.Color, pen)
	d.op("J", 1)
	d.op("j", 1)
	for _, s := range m.Strokes {
		if s = finite(s); len(s) > 0 {
			d.stroke(s, pen, at)
		}
	}
}

func (d *Drawing) stroke(s []Point, pen float64, at func(Point) Point) {
	for _, t := range Traces(s) {
		d.op("w", pen*t.Pen)
		p := at(t.Start)
		d.op("m", p.X, p.Y)
		for _, c := range t.Curves {
			// A quadratic curve as a cubic one.
			q, end := at(c.Control), at(c.End)
			d.op("c", p.X+(q.X-p.X)*2/3, p.Y+(q.Y-p.Y)*2/3, end.X+(q.X-end.X)*2/3, end.Y+(q.Y-end.Y)*2/3, end.X, end.Y)
			p = end
		}
		last := at(t.End)
		d.op("l", last.X, last.Y)
		d.op("S")
	}
}

// A Trace is a part of a stroke that is drawn with one width: curves that each begin where
// the one before ends, and a straight line.
type Trace struct {
	Pen    float64 // width, relative to the usual one
	Start  Point
	Curves []Curve
	End    Point // of the line
}

// A Curve is quadratic.
type Curve struct{ Control, End Point }

// penSteps is the number of widths between none and the usual one. Finer steps look no
// smoother.
const penSteps = 8

// width returns the width of the line at a point.
func (p Point) width() float64 {
	if p.Pen == 0 {
		return 1
	}
	return max(1, math.Round(p.Pen*penSteps)) / penSteps
}

// Traces divides a stroke where its width changes. The curves end halfway between the points,
// with the points as controls, so that the line is smooth.
func Traces(s []Point) []Trace {
	if len(s) == 0 {
		return nil
	}
	t := Trace{Pen: s[0].width(), Start: s[0], End: s[0]}
	var all []Trace
	for i := 1; i+1 < len(s); i++ {
		q, next := s[i], s[i+1]
		if w := q.width(); w != t.Pen {
			all = append(all, t)
			t = Trace{Pen: w, Start: t.End}
		}
		t.End = Point{X: (q.X + next.X) / 2, Y: (q.Y + next.Y) / 2}
		t.Curves = append(t.Curves, Curve{q, t.End})
	}
	t.End = s[len(s)-1]
	return append(all, t)
}

func finite(s []Point) []Point {
	kept := make([]Point, 0, len(s))
	for _, p := range s {
		if sum := p.X + p.Y + p.Pen; !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			kept = append(kept, p)
		}
	}
	return kept
}

func bounds(strokes [][]Point) (low, high Point, ok bool) {
	for _, s := range strokes {
		for _, p := range finite(s) {
			if !ok {
				low, high, ok = p, p, true
			}
			low = Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
			high = Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
		}
	}
	return low, high, ok
}
