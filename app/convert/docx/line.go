package docx

import (
	"strings"
	"unicode"

	"github.com/go-text/typesetting/segmenter"
)

// Height of a line above and below the baseline, for a sans face, as fractions
// of its size.
const (
	ascent  = 0.95
	descent = 0.27
)

// piece is a unit that is broken only if necessary: letters of one format, a
// tab or a picture.
type piece struct {
	kind  itemKind
	f     *format
	text  string
	width float64
	space float64 // how much of the width is white space at the end
	spans int     // white space characters at the end
	pic   *picture
	shape rune
	dots  string // a tab's leader
	level uint8
	glue  bool // no break after it
}

// line is a line of a paragraph.
type line struct {
	pieces      []piece
	width       float64 // without white space at its end
	indent      float64 // from the paragraph's left (or, right to left, right) side
	limit       float64 // maximum width
	hard        bool    // ended by a break or the paragraph's end
	after       itemKind
	lastTab     int // index after the last tab
	rise, below float64
}

// breaker fills lines with the items of a paragraph.
type breaker struct {
	d           *document
	p           *paragraph
	lines       []line
	cur         line
	x           float64 // end of the current line, white space included
	tab         int     // index of the tab that aligns what follows; -1 none
	tabKind     string
	tabDone     bool // a decimal point was found
	segment     segmenter.Segmenter
	firstOfPara bool
}

// breakLines breaks a paragraph into lines. There is at least one, unless the
// paragraph holds only a page break.
func (d *document) breakLines(p *paragraph) []line {
	b := &breaker{d: d, p: p, tab: -1, firstOfPara: true}
	b.begin()
	start := 0
	for i, it := range p.items {
		if it.kind != lineBreak && it.kind != pageBreak && it.kind != columnBreak {
			continue
		}
		b.fill(p.items[start:i])
		b.finish(true, it.kind)
		start = i + 1
	}
	b.fill(p.items[start:])
	if len(b.cur.pieces) > 0 || len(b.lines) == 0 || b.lines[len(b.lines)-1].after == lineBreak {
		b.finish(true, textItem)
	}
	return b.lines
}

func (b *breaker) begin() {
	indent := b.p.start
	if b.firstOfPara {
		indent += b.p.first
	}
	b.cur = line{indent: indent, limit: max(b.p.width-b.p.end-indent, minColumn)}
	b.x, b.tab = 0, -1
}

func (b *breaker) finish(hard bool, after itemKind) {
	b.cur.hard, b.cur.after = hard, after
	b.cur.width = b.x
	if n := len(b.cur.pieces); n > 0 {
		b.cur.width -= b.cur.pieces[n-1].space
	}
	b.lines = append(b.lines, b.cur)
	b.firstOfPara = false
	b.begin()
}

// fill adds items without breaks.
func (b *breaker) fill(items []item) {
	if len(items) == 0 {
		return
	}
	runes, starts := flatten(items)
	b.segment.Init(runes)
	at := 0 // index of the item at the position
	for it := b.segment.LineIterator(); it.Next(); {
		l := it.Line()
		from, to := l.Offset, l.Offset+len(l.Text)
		var chunk []piece
		for from < to {
			for at+1 < len(items) && starts[at+1] <= from {
				at++
			}
			end := to
			if at+1 < len(items) {
				end = min(end, starts[at+1])
			}
			end = shortEnd(runes, from, end)
			if items[at].kind == tabItem {
				b.chunk(chunk)
				b.addTab(items[at])
				chunk = nil
			} else {
				chunk = append(chunk, b.piece(items[at], runes[from:end]))
			}
			from = end
		}
		b.chunk(chunk)
	}
}

// maxPiece bounds the characters of a piece, so that one that has to be cut is
// cut quickly. No column is wide enough for a word of that length anyway.
const maxPiece = 256

// shortEnd ends a piece early if it is too long, not before a mark that
// belongs to the character in front of it.
func shortEnd(runes []rune, from, end int) int {
	if end-from <= maxPiece {
		return end
	}
	to := from + maxPiece
	for to < end && to < from+2*maxPiece &&
		(unicode.Is(unicode.M, runes[to]) || runes[to] == '\u200D' || runes[to-1] == '\u200D') {
		to++
	}
	return to
}

// flatten returns the characters of all items, with a placeholder for each object,
// and where each item starts.
func flatten(items []item) ([]rune, []int) {
	var runes []rune
	starts := make([]int, len(items))
	for i, it := range items {
		starts[i] = len(runes)
		switch it.kind {
		case textItem:
			runes = append(runes, []rune(it.text)...)
		case tabItem:
			runes = append(runes, '\t')
		case fieldItem:
			runes = append(runes, '0')
		case shapeItem:
			runes = append(runes, 'x')
		case skipItem:
			runes = append(runes, '\u2060')
		default:
			runes = append(runes, '\uFFFC')
		}
	}
	return runes, starts
}

func (b *breaker) piece(it item, runes []rune) piece {
	p := piece{kind: it.kind, f: it.f, pic: it.pic, shape: it.shape}
	switch it.kind {
	case textItem:
		b.measure(&p, string(runes))
	case fieldItem:
		p.text = it.text
		p.width = b.d.measure(it.f, b.d.fieldValue(it.text))
	case shapeItem:
		p.width = it.f.size * 0.9
	case skipItem:
		p.width = -b.d.measure(it.f, it.text)
	case pictureItem:
		b.fit(&p)
	}
	return p
}

func (b *breaker) measure(p *piece, s string) {
	p.text = s
	word := strings.TrimRight(s, " \u3000")
	p.spans = len(s) - len(word)
	p.space = float64(p.spans) * b.d.measure(p.f, " ")
	p.width = b.d.measure(p.f, word) + p.space
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

// add appends a piece; one that is too wide for a whole line is cut.
func (b *breaker) add(p piece) {
	for p.kind == textItem && b.overflows(p.width-p.space) {
		head, tail := b.cut(p)
		if head.text == "" {
			if len(b.cur.pieces) > b.labelPieces() {
				b.finish(false, textItem)
				continue
			}
			break
		}
		b.push(head)
		b.finish(false, textItem)
		if p = tail; p.text == "" {
			return
		}
	}
	b.push(p)
}

func (b *breaker) push(p piece) {
	width := p.width
	if b.tab >= 0 && !b.tabDone {
		if b.tabKind == "decimal" && strings.ContainsAny(p.text, ".,") {
			width = b.d.measure(p.f, p.text[:strings.LastIndexAny(p.text, ".,")])
			defer func() { b.tabDone = true }()
		}
		s := b.shrink(width)
		b.cur.pieces[b.tab].width -= s
		b.x -= s
	}
	b.x += p.width
	b.cur.pieces = append(b.cur.pieces, p)
}

// cut splits a piece into as many whole characters as fit into the line, at
// least one if the line is empty, and the rest.
func (b *breaker) cut(p piece) (head, tail piece) {
	var seg segmenter.Segmenter
	seg.Init([]rune(p.text))
	var ends []int // in bytes
	n := 0
	for it := seg.GraphemeIterator(); it.Next(); {
		n += len(string(it.Grapheme().Text))
		ends = append(ends, n)
	}
	// Binary search, because the piece may be very long.
	lo, hi := 0, len(ends)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if b.overflows(b.d.canvas.Measure(p.f.size, p.f.bold, p.f.italic, p.text[:ends[mid-1]])) {
			hi = mid - 1
		} else {
			lo = mid
		}
	}
	if lo == 0 && len(b.cur.pieces) <= b.labelPieces() {
		lo = 1
	}
	head, tail = p, p
	at := 0
	if lo > 0 {
		at = ends[min(lo, len(ends))-1]
	}
	b.measure(&head, p.text[:at])
	b.measure(&tail, p.text[at:])
	return head, tail
}

// addTab moves to the next stop (§17.3.1.37). Positions count from the
// paragraph's margin, not from its indent.
func (b *breaker) addTab(it item) {
	x := b.cur.indent + b.x
	stop := b.nextStop(x)
	if stop.at > b.cur.indent+b.cur.limit+0.5 {
		if b.x > b.cur.limit-1 && len(b.cur.pieces) > 0 { // no room: the tab goes to a new line
			b.finish(false, textItem)
			x = b.cur.indent
			stop = b.nextStop(x)
		}
		stop.at = min(stop.at, b.cur.indent+b.cur.limit)
	}
	b.tab = -1
	b.cur.pieces = append(b.cur.pieces, piece{kind: tabItem, f: it.f, width: max(stop.at-x, 0), dots: stop.leader})
	b.cur.lastTab = len(b.cur.pieces)
	b.x = max(b.x, stop.at-b.cur.indent)
	switch stop.kind {
	case "right", "end", "center", "decimal", "num-right":
		b.tab, b.tabKind, b.tabDone = len(b.cur.pieces)-1, stop.kind, false
	}
}

func (b *breaker) nextStop(x float64) tabStop {
	hanging := b.firstOfPara && b.p.first < 0
	for _, t := range b.p.props.tabs {
		if t.at <= x+0.1 {
			continue
		}
		if hanging && b.p.start > x+0.1 && b.p.start < t.at {
			break
		}
		return t
	}
	if hanging && b.p.start > x+0.1 {
		return tabStop{at: b.p.start}
	}
	every := b.d.settings.tab
	return tabStop{at: (float64(int((x+0.1)/every)) + 1) * every}
}
