package docx

import "strings"

// pen draws the parts of a line on the canvas, and measures texts.
type pen struct {
	canvas Canvas
	widths map[widthKey]float64
}

func newPen(c Canvas) *pen { return &pen{c, map[widthKey]float64{}} }

type widthKey struct {
	size         float64
	bold, italic bool
	text         string
}

const maxWidths = 50_000 // cached word widths

// measure returns the width of a text, measuring each word only once.
func (p *pen) measure(f *format, s string) float64 {
	if s == "" {
		return 0
	}
	key := widthKey{f.size, f.bold, f.italic, s}
	if w, ok := p.widths[key]; ok {
		return w
	}
	w := p.canvas.Measure(f.size, f.bold, f.italic, s)
	if len(p.widths) >= maxWidths {
		clear(p.widths)
	}
	p.widths[key] = w
	return w
}

// text draws a text, mirrored if its piece runs from right to left.
func (p *pen) text(pc piece, x, baseline float64, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if pc.level%2 == 1 {
		x += pc.width - p.measure(pc.f, s) // the space that justification added is at its end, on the left
		if !isRTL([]rune(s)) {
			s = mirrored(s)
		}
	}
	f := pc.f
	p.canvas.Text(x, baseline, f.size, f.bold, f.italic, f.colour[0], f.colour[1], f.colour[2], s)
}

// rules draws underlines and strikethroughs.
func (p *pen) rules(pc piece, x, baseline float64) {
	f := pc.f
	if pc.kind == pictureItem || pc.width <= 0 {
		return
	}
	rule := func(y float64) {
		p.canvas.Line(x, y, x+pc.width, y, f.size*0.05, f.colour[0], f.colour[1], f.colour[2])
	}
	if f.underline {
		rule(baseline - f.raise + f.size*0.12)
	}
	if f.strike {
		rule(baseline - f.raise - f.size*0.28)
	}
}

// leader fills a tab with dots or a line.
func (p *pen) leader(pc piece, x, baseline float64) {
	f := pc.f
	switch pc.dots {
	case "underscore", "heavy":
		p.canvas.Line(x, baseline+f.size*0.1, x+pc.width, baseline+f.size*0.1, 0.5, f.colour[0], f.colour[1],
			f.colour[2])
	case "dot", "hyphen", "middleDot":
		sign := map[string]string{"dot": ".", "hyphen": "-", "middleDot": "·"}[pc.dots]
		step := p.measure(f, sign)
		if step <= 0 {
			return
		}
		n := min(int((pc.width-2)/step), 1000)
		if n > 0 {
			p.canvas.Text(x+pc.width-float64(n)*step, baseline, f.size, f.bold, f.italic, f.colour[0], f.colour[1],
				f.colour[2], strings.Repeat(sign, n))
		}
	}
}

// sign draws a check box: empty, ticked, crossed or filled.
func (p *pen) sign(pc piece, x, baseline float64) {
	f, c := pc.f, p.canvas
	side := f.size * 0.7
	if pc.shape == '▪' || pc.shape == '▫' {
		side = f.size * 0.35
	}
	x, bottom := x+(pc.width-side)/2, baseline
	top, right := bottom-side, x+side
	if side < f.size/2 {
		top, bottom = top-side*0.5, bottom-side*0.5
	}
	r, g, b := f.colour[0], f.colour[1], f.colour[2]
	width := f.size * 0.06
	switch pc.shape {
	case '■', '▪', '◼':
		c.Rect(x, top, side, side, r, g, b)
		return
	case '☒':
		c.Line(x+width, top+width, right-width, bottom-width, width, r, g, b)
		c.Line(x+width, bottom-width, right-width, top+width, width, r, g, b)
	case '☑':
		c.Line(x+side*0.2, top+side*0.5, x+side*0.42, bottom-side*0.2, width*1.3, r, g, b)
		c.Line(x+side*0.42, bottom-side*0.2, right-side*0.15, top+side*0.2, width*1.3, r, g, b)
	}
	frame(c, x, top, side, side, width, f.colour)
}

func frame(c Canvas, x, y, w, h, width float64, k colour) {
	c.Line(x, y, x+w, y, width, k[0], k[1], k[2])
	c.Line(x+w, y, x+w, y+h, width, k[0], k[1], k[2])
	c.Line(x+w, y+h, x, y+h, width, k[0], k[1], k[2])
	c.Line(x, y+h, x, y, width, k[0], k[1], k[2])
}

// frame draws a paragraph's background and borders behind one of its lines.
func (p *pen) frame(of *paragraph, x, y, height float64, first, last bool) {
	left, right := x+of.start+min(of.first, 0), x+of.width-of.end
	if of.rtl {
		left, right = x+of.end, x+of.width-of.start-min(of.first, 0)
	}
	e := of.props.borders
	if s := of.props.shade; s != nil {
		p.canvas.Rect(left-e.left.space, y, right-left+e.left.space+e.right.space, height, s[0], s[1], s[2])
	}
	draw := func(b border, x1, y1, x2, y2 float64) {
		if b.visible() {
			p.canvas.Line(x1, y1, x2, y2, b.width, b.colour[0], b.colour[1], b.colour[2])
		}
	}
	if first {
		draw(e.top, left, y-e.top.space, right, y-e.top.space)
	}
	if last {
		draw(e.bottom, left, y+height+e.bottom.space, right, y+height+e.bottom.space)
	}
	draw(e.left, left-e.left.space, y, left-e.left.space, y+height)
	draw(e.right, right+e.right.space, y, right+e.right.space, y+height)
}
