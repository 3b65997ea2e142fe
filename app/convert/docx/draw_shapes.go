package docx

import "strings"

// drawRules draws underlines and strikethroughs.
func (d *document) drawRules(pc piece, x, baseline float64) {
	f := pc.f
	if pc.kind == pictureItem || pc.width <= 0 {
		return
	}
	rule := func(y float64) {
		d.canvas.Line(x, y, x+pc.width, y, f.size*0.05, f.colour[0], f.colour[1], f.colour[2])
	}
	if f.underline {
		rule(baseline - f.raise + f.size*0.12)
	}
	if f.strike {
		rule(baseline - f.raise - f.size*0.28)
	}
}

// drawLeader fills a tab with dots or a line.
func (d *document) drawLeader(pc piece, x, baseline float64) {
	f := pc.f
	switch pc.dots {
	case "underscore", "heavy":
		d.canvas.Line(x, baseline+f.size*0.1, x+pc.width, baseline+f.size*0.1, 0.5, f.colour[0], f.colour[1],
			f.colour[2])
	case "dot", "hyphen", "middleDot":
		sign := map[string]string{"dot": ".", "hyphen": "-", "middleDot": "·"}[pc.dots]
		step := d.measure(f, sign)
		if step <= 0 {
			return
		}
		n := min(int((pc.width-2)/step), 1000)
		if n > 0 {
			d.canvas.Text(x+pc.width-float64(n)*step, baseline, f.size, f.bold, f.italic, f.colour[0], f.colour[1],
				f.colour[2], strings.Repeat(sign, n))
		}
	}
}

// drawSign draws a check box: empty, ticked, crossed or filled.
func (d *document) drawSign(pc piece, x, baseline float64) {
	f, c := pc.f, d.canvas
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

func (d *document) drawPicture(p *picture, x, baseline, top float64) {
	y := baseline - p.height
	if p.anchor != nil {
		x, y = d.flow.anchored(p, x, top)
	}
	switch {
	case p.rule:
		d.canvas.Rect(x, y, p.width, 1, 0.5, 0.5, 0.5)
	case p.data == nil:
		frame(d.canvas, x, y, p.width, p.height, 0.5, colour{0.6, 0.6, 0.6})
	default:
		if err := d.canvas.Image(x, y, p.width, p.height, p.data); err != nil {
			d.findings.add("picture_format")
			frame(d.canvas, x, y, p.width, p.height, 0.5, colour{0.6, 0.6, 0.6})
		}
	}
}

// drawFrame draws the paragraph's background and borders behind one of its lines.
func (d *document) drawFrame(p *paragraph, x, y, height float64, first, last bool) {
	left, right := x+p.start+min(p.first, 0), x+p.width-p.end
	if p.rtl {
		left, right = x+p.end, x+p.width-p.start-min(p.first, 0)
	}
	e := p.props.borders
	if s := p.props.shade; s != nil {
		d.canvas.Rect(left-e.left.space, y, right-left+e.left.space+e.right.space, height, s[0], s[1], s[2])
	}
	draw := func(b border, x1, y1, x2, y2 float64) {
		if b.visible() {
			d.canvas.Line(x1, y1, x2, y2, b.width, b.colour[0], b.colour[1], b.colour[2])
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
