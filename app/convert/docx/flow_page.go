package docx

import (
	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

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
	if f.restart.set {
		f.number, f.restart = int(f.restart.points), length{}
	}
	f.number++
	f.perIndex[f.index]++
	f.d.pen.canvas.NewPage(s.width, s.height)
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
			if next.start.set { // this page keeps its number
				f.restart = next.start
			}
			continue
		}
		f.endPage()
		f.index++
		f.section = next
		if f.restart = (length{}); next.start.set {
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
