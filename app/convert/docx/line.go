package docx

import (
	"unicode"

	"paraph/app/linebreak"
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
	breaks      linebreak.Finder
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
	at := 0 // index of the item at the position
	for _, part := range b.breaks.Parts(runes) {
		from, to := part.Start, part.End
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
