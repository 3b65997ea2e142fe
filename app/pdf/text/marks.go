package text

import "math"

// Check draws a checkbox: a tick when on, nothing when off. The box around it
// belongs to the page.
func (s *Set) Check(b Box, on bool, c Color) *Appearance {
	a := s.NewAppearance(b)
	if !on {
		return a
	}
	side := min(b.Width, b.Height)
	x, y := (b.Width-side)/2, (b.Height-side)/2
	a.Save()
	a.Stroke(c, side*0.12)
	a.op("J", 1)
	a.op("j", 1)
	a.op("m", x+side*0.2, y+side*0.52)
	a.op("l", x+side*0.42, y+side*0.27)
	a.op("l", x+side*0.8, y+side*0.77)
	a.op("S")
	a.Restore()
	return a
}

// Radio draws a radio button: a dot when on, nothing when off.
func (s *Set) Radio(b Box, on bool, c Color) *Appearance {
	a := s.NewAppearance(b)
	if !on {
		return a
	}
	a.Save()
	a.Fill(c)
	a.circle(b.Width/2, b.Height/2, min(b.Width, b.Height)*0.3)
	a.op("f")
	a.Restore()
	return a
}

// circle adds a circle to the path.
func (d *Drawing) circle(x, y, r float64) {
	k := r * 4 * (math.Sqrt2 - 1) / 3 // the Bézier approximation of a quarter circle
	d.op("m", x+r, y)
	d.op("c", x+r, y+k, x+k, y+r, x, y+r)
	d.op("c", x-k, y+r, x-r, y+k, x-r, y)
	d.op("c", x-r, y-k, x-k, y-r, x, y-r)
	d.op("c", x+k, y-r, x+r, y-k, x+r, y)
	d.op("h")
}

// Stamp draws lines of text in a double frame, the first one bold.
func (s *Set) Stamp(b Box, c Color, lines ...string) *Appearance {
	a := s.NewAppearance(b)
	a.Save()
	defer a.Restore()
	a.Clip(0, 0, b.Width, b.Height)
	a.Fill(c)
	unit := min(b.Width, b.Height) / 40
	a.Stroke(c, 1.5*unit)
	a.Frame(unit, unit, b.Width-2*unit, b.Height-2*unit)
	a.Stroke(c, 0.5*unit)
	a.Frame(3*unit, 3*unit, b.Width-6*unit, b.Height-6*unit)
	a.stack(4*unit, 4*unit, b.Width-8*unit, b.Height-8*unit, lines)
	return a
}

// Strikethrough draws a line through the middle of the box.
func (s *Set) Strikethrough(b Box, c Color) *Appearance {
	a := s.NewAppearance(b)
	a.Save()
	defer a.Restore()
	a.Clip(0, 0, b.Width, b.Height)
	a.Stroke(c, min(max(b.Height/12, 0.75), 2))
	a.Line(0, b.Height/2, b.Width, b.Height/2)
	return a
}

// stack centres lines in a rectangle, as large as will fit.
func (a *Appearance) stack(x, y, w, h float64, lines []string) {
	if len(lines) == 0 || w <= 0 || h <= 0 {
		return
	}
	const probe = 100.0
	var runs []Run
	width, height := slack, slack
	for i, l := range lines {
		r := a.set.fonts.Layout(Style{Bold: i == 0}, probe, l)
		runs = append(runs, r)
		width, height = max(width, r.Width), height+r.Height()
	}
	scale := min(w/width, h/height)
	top := y + (h+height*scale)/2
	for _, r := range runs {
		r = r.scaled(scale)
		top -= r.Ascent
		a.Text(x+(w-r.Width)/2, top, r)
		top -= r.Descent
	}
}

// scaled returns the same line at another size.
func (r Run) scaled(by float64) Run {
	glyphs := make([]Glyph, len(r.Glyphs))
	for i, g := range r.Glyphs {
		g.Advance, g.X, g.Y = g.Advance*by, g.X*by, g.Y*by
		glyphs[i] = g
	}
	r.Glyphs = glyphs
	r.Size, r.Width, r.Ascent, r.Descent = r.Size*by, r.Width*by, r.Ascent*by, r.Descent*by
	return r
}

// Attachment draws a submitted file: its name, with its hash below.
func (s *Set) Attachment(b Box, name, hash string) *Appearance {
	a := s.NewAppearance(b)
	a.begin()
	defer a.end()
	pad := b.pad()
	upper := Box{Width: b.Width, Height: b.Height * 0.55}
	lines, _ := s.fonts.fit(upper, Field{Text: name, Smallest: anySize})
	height := 0.0
	for _, l := range lines {
		height += l.Height()
	}
	a.Fill(black)
	top := b.Height*0.45 + (upper.Height+height)/2
	for _, l := range lines {
		a.Text(pad, top-l.Ascent, l)
		top -= l.Height()
	}
	small := s.fonts.Layout(Style{}, min(minSize, b.Height*0.3), "SHA-256 "+hash)
	if room := b.Width - 2*pad; small.Width > room && room > 0 {
		small = small.scaled(room / small.Width)
	}
	a.Fill(gray)
	a.Text(pad, b.Height*0.25-(small.Ascent-small.Descent)/2, small)
	return a
}

var gray = Color{0.35, 0.35, 0.35}
