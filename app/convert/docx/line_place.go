package docx

import (
	"strings"
	"unicode/utf8"

	"paraph/app/linebreak"
)

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
			width = b.d.pen.measure(p.f, p.text[:strings.LastIndexAny(p.text, ".,")])
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
	runes, n := []rune(p.text), 0
	var ends []int // in bytes
	for i, ok := range linebreak.Within(runes) {
		if ok && i > 0 {
			ends = append(ends, n)
		}
		if i < len(runes) {
			n += utf8.RuneLen(runes[i])
		}
	}
	// Binary search, because the piece may be very long.
	lo, hi := 0, len(ends)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if b.overflows(b.d.pen.canvas.Measure(p.f.size, p.f.bold, p.f.italic, p.text[:ends[mid-1]])) {
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
