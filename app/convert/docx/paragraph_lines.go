package docx

// contextual removes spacing between paragraphs of the same style.
func (d *document) contextual(p *paragraph, previous, next string) {
	auto := points(14)
	if p.props.beforeAuto == on {
		p.props.before = auto
	}
	if p.props.afterAuto == on {
		p.props.after = auto
	}
	if p.props.contextual != on {
		return
	}
	same := func(id string) bool {
		return id != noStyle && d.styles.paragraph(id).para.style == p.props.style
	}
	if same(previous) {
		p.props.before = length{}
	}
	if same(next) {
		p.props.after = length{}
	}
}

func isDark(c colour) bool { return 0.3*c[0]+0.59*c[1]+0.11*c[2] < 0.35 }

// lineBoxes returns a box for every line.
func (d *document) lineBoxes(p *paragraph) []box {
	if len(p.items) == 1 && (p.items[0].kind == pageBreak || p.items[0].kind == columnBreak) {
		kind := p.items[0].kind
		return []box{{pageBreak: kind == pageBreak || p.props.pageBreak == on, columnBreak: kind == columnBreak}}
	}
	lines := d.breakLines(p)
	out := make([]box, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		b := box{height: d.lineHeight(p, l)}
		first, last := i == 0, i == len(lines)-1
		b.draw = func(d *document, x, y float64) { d.drawLine(p, l, x, y, b.height, first, last) }
		if first {
			b.before = max(p.props.before.points, 0)
			b.pageBreak = p.props.pageBreak == on
		} else {
			b.pageBreak = lines[i-1].after == pageBreak
			b.columnBreak = lines[i-1].after == columnBreak
		}
		b.keep = p.keeps(i, len(lines))
		out = append(out, b)
	}
	out[len(out)-1].after = max(p.props.after.points, 0)
	if after := lines[len(lines)-1].after; after == pageBreak || after == columnBreak {
		out[len(out)-1].keep = false
		out = append(out, box{pageBreak: after == pageBreak, columnBreak: after == columnBreak})
	}
	return out
}

// keeps reports whether line i stays on the page of the next line: because its
// paragraph is kept together or with the next, or to avoid widows and orphans.
func (p *paragraph) keeps(i, n int) bool {
	last := i == n-1
	switch {
	case last:
		return p.props.keepNext == on
	case p.props.keepLines == on:
		return true
	case p.props.widow == off:
		return false
	}
	return i == 0 || i == n-2
}

// lineHeight returns how far a line extends above and below its baseline.
func (d *document) lineHeight(p *paragraph, l *line) float64 {
	up, down, pictures := 0.0, 0.0, 0.0
	text := func(f *format) {
		up, down = max(up, f.size*ascent+f.raise), max(down, f.size*descent-f.raise)
	}
	for _, pc := range l.pieces {
		switch {
		case pc.kind != pictureItem:
			text(pc.f)
		case pc.pic.anchor == nil:
			pictures = max(pictures, pc.pic.height)
		}
	}
	if up == 0 && pictures == 0 {
		text(p.mark)
	}
	natural := up + down
	height := natural
	switch value := p.props.line.points; {
	case !p.props.line.set || value <= 0:
	case p.props.lineRule == "exact":
		height = value
	case p.props.lineRule == "atLeast":
		height = max(height, value)
	default:
		height *= min(max(value, 0.5), 20)
	}
	l.below = down
	l.rise = max(height-natural+up, pictures)
	return l.rise + l.below
}
