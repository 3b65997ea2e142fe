package docx

import (
	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// MaxPages is the number of pages beyond which a document is refused.
const MaxPages = 2000

// box is a unit that the flow places on pages: a line or a table row.
type box struct {
	before, height, after  float64
	keep                   bool // on the same page as the next box
	pageBreak, columnBreak bool // before it
	draw                   func(d *document, x, y float64)
	split                  func(room float64) (head, tail *box) // nil: cannot be split; head is nil if nothing fits
	repeat                 []box                                // rows to draw again at the top of a page
}

// flow fills columns and pages.
type flow struct {
	d        *document
	sections []*section
	section  *section
	index    int
	due      int // sections that start at the next box
	pages    int // drawn so far
	number   int // the number shown on the page
	perIndex []int
	y        float64
	top      float64 // of the columns
	bottom   float64
	deepest  float64 // of all columns so far
	column   int
	fresh    bool // nothing on the column yet
	forced   bool // the column began by an explicit break
	chain    []box
	footer   []box
}

func newFlow(d *document, sections []*section) *flow {
	return &flow{d: d, sections: sections, section: sections[0], perIndex: make([]int, len(sections))}
}

// maxChain bounds how many boxes may ask to stay together.
const maxChain = 400

// add puts a box after the others.
func (f *flow) add(b box) {
	f.chain = append(f.chain, b)
	if !b.keep || len(f.chain) >= maxChain {
		f.flush()
	}
}

// flush places boxes that stay together: on a new page if they fit only there.
func (f *flow) flush() {
	chain := f.chain
	f.chain = nil
	if len(chain) == 0 || f.d.stopped() {
		return
	}
	f.beginSections()
	total := 0.0
	for i, b := range chain {
		if total += b.height; i > 0 {
			total += b.before + chain[i-1].after
		}
		if i > 0 && (b.pageBreak || b.columnBreak) {
			total = 0 // they can't stay together anyway
			break
		}
	}
	first := chain[0]
	if len(chain) > 1 && !first.pageBreak && !first.columnBreak && !f.fresh &&
		f.y+first.before+total > f.bottom && total <= f.bottom-f.top {
		f.advance(first.repeat)
	}
	for _, b := range chain {
		f.place(b)
	}
}

func (f *flow) place(b box) {
	switch {
	case f.pages == 0:
		f.newPage()
		f.forced = true
	case b.pageBreak:
		f.newPage()
		f.forced = true
	case b.columnBreak:
		f.advance(nil)
		f.forced = true
	}
	for range MaxPages + 1 {
		if f.d.stopped() {
			return
		}
		before := b.before
		if f.fresh && !f.forced {
			before = 0
		}
		if f.y+before+b.height <= f.bottom+0.01 {
			f.put(b, before)
			return
		}
		var head, tail *box
		if b.split != nil {
			head, tail = b.split(f.bottom - f.y - before)
		}
		switch {
		case head != nil && tail != nil:
			f.put(*head, before)
			tail.repeat = b.repeat
			b = *tail
			f.advance(b.repeat)
		case f.fresh:
			f.put(b, before)
			return
		default:
			f.advance(b.repeat)
		}
	}
}

func (f *flow) put(b box, before float64) {
	f.y += before
	if b.draw != nil {
		b.draw(f.d, f.left(), f.y)
	}
	f.y += b.height + b.after
	f.deepest = max(f.deepest, f.y)
	if b.height > 0 {
		f.fresh, f.forced = false, false
	}
}

// advance goes to the next column or page.
func (f *flow) advance(repeat []box) {
	if f.column+1 < f.section.columns {
		f.column++
		f.y = f.top
		f.fresh, f.forced = true, false
	} else {
		f.newPage()
	}
	for _, b := range repeat {
		f.put(b, 0)
	}
	if len(repeat) > 0 {
		f.fresh = true // a row that fits nowhere must not request pages forever
	}
}

// left returns the left edge of the column, width its width.
func (f *flow) left() float64 {
	return f.section.left + float64(f.column)*(f.width()+f.section.gap)
}

func (f *flow) width() float64 { return f.section.columnWidth() }

// newPage ends a page and begins the next, with its header.
func (f *flow) newPage() {
	f.endPage()
	if f.pages == MaxPages {
		f.d.fail(refuse.TooLarge("docx_pages", fault.Number("limit", MaxPages)))
	}
	if f.d.stopped() {
		return
	}
	s := f.section
	f.pages++
	f.number++
	f.perIndex[f.index]++
	f.d.canvas.NewPage(s.width, s.height)
	f.column, f.y = 0, 0
	head, foot := f.d.headers(s, f.perIndex[f.index] == 1, f.number)
	f.top = max(s.top, s.header+height(head))
	f.bottom = min(s.height-s.bottom, s.height-s.footer-height(foot))
	if f.bottom-f.top < 36 { // headers that leave no room are drawn over the text
		f.top, f.bottom = min(s.top, s.height/4), max(s.height-s.bottom, s.height*3/4)
	}
	f.draw(head, s.header)
	f.footer = foot
	f.y, f.deepest, f.fresh, f.forced = f.top, f.top, true, false
}

// endPage draws the footer, last so that it is read last.
func (f *flow) endPage() {
	f.draw(f.footer, f.section.height-f.section.footer-height(f.footer))
	f.footer = nil
}

func (f *flow) draw(boxes []box, y float64) {
	for _, b := range boxes {
		y += b.before
		if b.draw != nil {
			b.draw(f.d, f.section.left, y)
		}
		y += b.height + b.after
	}
}

func height(boxes []box) (h float64) {
	for _, b := range boxes {
		h += b.before + b.height + b.after
	}
	return h
}

// endSection is called at the end of a section's content.
func (f *flow) endSection() {
	f.flush()
	if f.index+f.due+1 < len(f.sections) {
		f.due++
	}
}

// beginSections starts the sections that are due.
func (f *flow) beginSections() {
	for ; f.due > 0; f.due-- {
		if f.pages == 0 { // a section without content still takes a page
			f.newPage()
		}
		old := f.section
		next := f.sections[f.index+1]
		sameSize := old.width == next.width && old.height == next.height
		if next.kind == "continuous" && sameSize {
			f.index++
			f.section = next
			f.top, f.y = f.deepest, f.deepest
			f.column, f.fresh = 0, f.fresh && f.column == 0
			continue
		}
		f.endPage()
		f.index++
		f.section = next
		if next.start.set {
			f.number = int(next.start.points) - 1
		}
		f.newPage()
		if odd := f.number%2 == 1; next.kind == "evenPage" && odd || next.kind == "oddPage" && !odd {
			f.newPage()
		}
		f.forced = true
	}
}

// finish ends the last page; even an empty document has one.
func (f *flow) finish() {
	f.flush()
	if f.pages == 0 {
		f.newPage()
	}
	f.endPage()
}

// anchored returns the position of a picture outside the line.
func (f *flow) anchored(p *picture, x, top float64) (float64, float64) {
	s, a := f.section, p.anchor
	left, width := f.left(), f.width()
	switch a.fromH {
	case "page":
		left, width = 0, s.width
	case "margin":
		left, width = s.left, s.width-s.left-s.right
	case "leftMargin":
		left, width = 0, s.left
	case "rightMargin":
		left, width = s.width-s.right, s.right
	case "character":
		left = x
	}
	up, height := top, 0.0
	switch a.fromV {
	case "page":
		up, height = 0, s.height
	case "margin":
		up, height = s.top, s.height-s.top-s.bottom
	case "topMargin":
		up, height = 0, s.top
	case "bottomMargin":
		up, height = s.height-s.bottom, s.bottom
	}
	return align(a.alignH, left, width, p.width, a.x), align(a.alignV, up, height, p.height, a.y)
}

func align(how string, from, room, size, offset float64) float64 {
	switch how {
	case "center":
		return from + (room-size)/2
	case "right", "bottom", "outside":
		return from + room - size
	case "left", "top", "inside":
		return from
	}
	return from + offset
}
