package docx

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
	due      int    // sections that start at the next box
	pages    int    // drawn so far
	number   int    // the number shown on the page
	restart  length // the number after which the next page counts, if a section began within this one
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
	f := &flow{d: d, sections: sections, section: sections[0], perIndex: make([]int, len(sections))}
	if first := sections[0].start; first.set {
		f.number = int(first.points) - 1
	}
	return f
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
