package docx

import "strings"

func (b *breaker) piece(it item, runes []rune) piece {
	p := piece{kind: it.kind, f: it.f, pic: it.pic, shape: it.shape}
	switch it.kind {
	case textItem:
		b.measure(&p, string(runes))
	case fieldItem:
		p.text = it.text
		p.width = b.d.pen.measure(it.f, b.d.fieldValue(it.text))
	case shapeItem:
		p.width = it.f.size * 0.9
	case skipItem:
		p.width = -b.d.pen.measure(it.f, it.text)
	case pictureItem:
		b.fit(&p)
	}
	return p
}

func (b *breaker) measure(p *piece, s string) {
	p.text = s
	word := strings.TrimRight(s, " \u3000")
	p.spans = len(s) - len(word)
	p.space = float64(p.spans) * b.d.pen.measure(p.f, " ")
	p.width = b.d.pen.measure(p.f, word) + p.space
}

// fit shrinks a picture to fit the column and the page.
func (b *breaker) fit(p *piece) {
	pic := p.pic
	if pic.anchor != nil {
		return
	}
	if pic.rule {
		pic.width = max(b.cur.limit-1, 1)
	}
	if scale := min(b.cur.limit/pic.width, b.d.tallest()/pic.height, 1); scale < 1 {
		scaled := *pic
		scaled.width, scaled.height = pic.width*scale, pic.height*scale
		p.pic = &scaled
	}
	p.width = p.pic.width
}

// chunk adds the pieces between two possible line breaks.
func (b *breaker) chunk(pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	total := 0.0
	for i := range pieces {
		total += pieces[i].width
		pieces[i].glue = i+1 < len(pieces)
	}
	visible := total - pieces[len(pieces)-1].space
	if b.p.need != nil {
		*b.p.need = max(*b.p.need, visible+b.p.props.left.points+b.p.props.right.points)
	}
	if b.overflows(visible) && len(b.cur.pieces) > b.labelPieces() {
		b.finish(false, textItem)
	}
	for _, p := range pieces {
		b.add(p)
	}
}

// labelPieces returns the number of pieces of the label: a line that holds only
// a label counts as empty.
func (b *breaker) labelPieces() int {
	if b.firstOfPara {
		return b.p.labelPieces
	}
	return 0
}

func (b *breaker) overflows(width float64) bool {
	return b.x+width-b.shrink(width) > b.cur.limit+0.01
}

// shrink returns how much the aligning tab narrows to make room for the text
// after it.
func (b *breaker) shrink(width float64) float64 {
	if b.tab < 0 || b.tabDone {
		return 0
	}
	part := 1.0
	if b.tabKind == "center" {
		part = 0.5
	}
	return min(width*part, b.cur.pieces[b.tab].width)
}
