package docx

import "strings"

// drawLine draws a line of a paragraph whose column starts at x; y is the
// line's top.
func (d *document) drawLine(p *paragraph, l *line, x, y, height float64, first, last bool) {
	d.pen.frame(p, x, y, height, first, last)
	at, stretch := p.place(l)
	baseline := y + l.rise
	pieces := d.visual(p, l, stretch)
	at += x
	for _, pc := range pieces {
		d.drawPiece(pc, at, baseline, y)
		at += pc.width
	}
}

// place returns where a line starts, from the column's left, and how much wider
// each space becomes.
func (p *paragraph) place(l *line) (at, stretch float64) {
	room := l.limit - l.width
	left := l.indent
	if p.rtl {
		left = p.end
	}
	align := p.props.align
	switch align {
	case "center":
		return left + room/2, 0
	case "both", "distribute", "lowKashida", "mediumKashida", "highKashida", "thaiDistribute":
		if n := l.spaces(); n > 0 && !l.hard && room > 0 {
			return left, room / float64(n)
		}
	case "right", "end":
		if !p.rtl {
			return left + room, 0
		}
		return left, 0
	}
	if p.rtl {
		return left + room, 0
	}
	return left, 0
}

// spaces counts the spaces that may be stretched: those after the last tab,
// except at the end.
func (l *line) spaces() (n int) {
	for i := l.lastTab; i < len(l.pieces)-1; i++ {
		n += l.pieces[i].spans
	}
	return n
}

// visual returns the pieces of a line from left to right, each as long as can
// be drawn at once.
func (d *document) visual(p *paragraph, l *line, stretch float64) []piece {
	pieces := make([]piece, len(l.pieces))
	copy(pieces, l.pieces)
	if n := len(pieces); n > 0 {
		pieces[n-1].width -= pieces[n-1].space
		pieces[n-1].text = strings.TrimRight(pieces[n-1].text, " \u3000")
	}
	for i := l.lastTab; i < len(pieces)-1; i++ {
		pieces[i].width += stretch * float64(pieces[i].spans)
	}
	text, starts := lineText(pieces)
	if p.rtl || isRTL(text) {
		pieces = d.split(pieces, levels(text, p.rtl), starts, text)
	}
	if stretch == 0 {
		pieces = merge(pieces)
	}
	reorder(pieces, func(p piece) uint8 { return p.level })
	return pieces
}

func lineText(pieces []piece) (text []rune, starts []int) {
	for _, pc := range pieces {
		starts = append(starts, len(text))
		switch pc.kind {
		case textItem:
			text = append(text, []rune(pc.text)...)
		case tabItem:
			text = append(text, '\t')
		case fieldItem:
			text = append(text, '0')
		default:
			text = append(text, '\uFFFC')
		}
	}
	return text, append(starts, len(text))
}

// split cuts pieces where the direction changes.
func (d *document) split(pieces []piece, level []uint8, starts []int, text []rune) (out []piece) {
	for i, pc := range pieces {
		from, end := starts[i], starts[i+1]
		if from == end {
			out = append(out, pc)
			continue
		}
		extra := pc.width
		first := len(out)
		for from < end {
			to := from + 1
			for to < end && level[to] == level[from] {
				to++
			}
			part := pc
			part.level = level[from]
			if pc.kind == textItem {
				part.text = string(text[from:to])
				part.width = d.pen.measure(pc.f, part.text)
				part.spans, part.space = 0, 0
			}
			extra -= part.width
			out = append(out, part)
			from = to
		}
		if pc.kind == textItem && len(out) > first { // justification
			out[len(out)-1].width += extra
		}
	}
	return out
}

// merge joins neighbours of the same format and direction, so that they are
// shaped, and can be searched, as one text.
func merge(pieces []piece) []piece {
	out := pieces[:0]
	for _, pc := range pieces {
		if n := len(out); n > 0 && pc.kind == textItem && out[n-1].kind == textItem && out[n-1].f == pc.f &&
			out[n-1].level == pc.level {
			out[n-1].text += pc.text
			out[n-1].width += pc.width
			continue
		}
		out = append(out, pc)
	}
	return out
}

func (d *document) drawPiece(pc piece, x, baseline, top float64) {
	c, f := d.pen.canvas, pc.f
	if f.hasBack && pc.width > 0 && pc.kind != pictureItem {
		c.Rect(x, baseline-f.size*ascent, pc.width, f.size*(ascent+descent), f.back[0], f.back[1], f.back[2])
	}
	if f.border.visible() && pc.width > 0 && pc.kind != pictureItem {
		frame(c, x, baseline-f.size*ascent, pc.width, f.size*(ascent+descent), f.border.width, f.border.colour)
	}
	switch pc.kind {
	case textItem:
		d.pen.text(pc, x, baseline-f.raise, pc.text)
	case fieldItem:
		d.pen.text(pc, x, baseline-f.raise, d.fieldValue(pc.text))
	case tabItem:
		d.pen.leader(pc, x, baseline)
	case shapeItem:
		d.pen.sign(pc, x, baseline)
	case pictureItem:
		d.drawPicture(pc.pic, x, baseline, top)
	}
	d.pen.rules(pc, x, baseline)
}

func (d *document) drawPicture(p *picture, x, baseline, top float64) {
	y := baseline - p.height
	if p.anchor != nil {
		x, y = d.flow.anchored(p, x, top)
	}
	switch {
	case p.rule:
		d.pen.canvas.Rect(x, y, p.width, 1, 0.5, 0.5, 0.5)
	case p.data == nil:
		frame(d.pen.canvas, x, y, p.width, p.height, 0.5, colour{0.6, 0.6, 0.6})
	default:
		if err := d.pen.canvas.Image(x, y, p.width, p.height, p.data); err != nil {
			d.findings.add("picture_format")
			frame(d.pen.canvas, x, y, p.width, p.height, 0.5, colour{0.6, 0.6, 0.6})
		}
	}
	if p.border.visible() {
		frame(d.pen.canvas, x, y, p.width, p.height, p.border.width, p.border.colour)
	}
}
