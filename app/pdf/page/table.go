package page

import (
	"slices"

	"paraph/app/pdf/text"
)

// A Table has rows of cells in columns. A row is split only if it is taller
// than a page; the head is repeated on every page.
type Table struct {
	Widths []float64 // relative width of each column; missing ones equal the last
	Head   []string  // nil: no head
	Rows   [][]string
	Size   float64 // font size in points; 0 means 9
	Labels bool    // the first column holds labels, in grey
	Plain  bool    // no lines between the rows
}

// keyWidths returns the column widths of [Flow.KeyValues] and [Flow.KeyMark].
func keyWidths() []float64 { return []float64{3, 7} }

// KeyValues sets pairs in two columns, names first.
func (f *Flow) KeyValues(pairs ...[2]string) {
	t := Table{Widths: keyWidths(), Labels: true, Size: keySize}
	for _, p := range pairs {
		t.Rows = append(t.Rows, p[:])
	}
	f.Table(t)
}

// keySize is small enough for a SHA-256 to fit on one line.
const keySize = 8.5

// KeyMark sets a name and, in place of its value, a mark of at most the given
// width and height.
func (f *Flow) KeyMark(key string, m text.Mark, width, height float64) {
	columns := f.columns(Table{Widths: keyWidths(), Head: []string{"", ""}})
	label := f.row(columns[:1], []string{key}, keySize, false, true)
	f.Need(max(label.height, height+4*cellY))
	top := f.y
	f.draw(columns[:1], label)
	f.y = max(f.y, top+height+4*cellY)
	c := columns[1]
	width = min(width, c.width-2*cellX)
	x := c.x + cellX
	if f.layout.RightToLeft {
		x += c.width - 2*cellX - width
	}
	p := f.b.page()
	p.Mark(x, p.height-top-2*cellY-height, width, height, m)
	f.underline(0.85)
}

// Cell padding in points.
const (
	cellX = 4
	cellY = 3
)

// Table sets a table across the width of the text.
func (f *Flow) Table(t Table) {
	if t.Size <= 0 {
		t.Size = 9
	}
	columns := f.columns(t)
	var head row
	if t.Head != nil {
		head = f.row(columns, t.Head, t.Size, true, false)
		f.Need(head.height + 2*cellY + 4*t.Size)
		f.draw(columns, head)
		f.underline(0.4)
	}
	for _, cells := range t.Rows {
		r := f.row(columns, cells, t.Size, false, t.Labels)
		if f.fits(r, head) && r.height > f.Room() {
			f.Break()
			if t.Head != nil {
				f.draw(columns, head)
				f.underline(0.4)
			}
		}
		f.draw(columns, r)
		if !t.Plain {
			f.underline(0.85)
		}
	}
}

// fits reports whether a row fits on an empty page.
func (f *Flow) fits(r, head row) bool {
	return f.y > f.layout.Top && r.height+head.height <= f.layout.Height-f.layout.Top-f.layout.Bottom
}

// A column is a horizontal range for cells.
type column struct{ x, width float64 }

func (f *Flow) columns(t Table) []column {
	count := len(t.Head)
	for _, r := range t.Rows {
		count = max(count, len(r))
	}
	shares := make([]float64, count)
	total := 0.0
	for i := range shares {
		switch {
		case i < len(t.Widths):
			shares[i] = max(t.Widths[i], 0.01)
		case i > 0:
			shares[i] = shares[i-1]
		default:
			shares[i] = 1
		}
		total += shares[i]
	}
	columns := make([]column, count)
	x := f.layout.Left
	if f.layout.RightToLeft {
		x += f.Width()
	}
	for i, share := range shares {
		w := f.Width() * share / total
		if f.layout.RightToLeft {
			x -= w
			columns[i] = column{x, w}
		} else {
			columns[i] = column{x, w}
			x += w
		}
	}
	return columns
}

// A row holds cells broken into lines.
type row struct {
	cells  [][]text.Run
	colors []text.Color
	height float64 // including padding
}

func (f *Flow) row(columns []column, cells []string, size float64, bold, labels bool) row {
	var r row
	for i, c := range cells {
		lines := f.b.set.Fonts().WrapLines(text.Style{Bold: bold}, size, columns[i].width-2*cellX, c)
		r.cells = append(r.cells, lines)
		color := text.Color{}
		if labels && i == 0 {
			color = text.Color{R: 0.4, G: 0.4, B: 0.4}
		}
		r.colors = append(r.colors, color)
		r.height = max(r.height, heightOf(lines)+2*cellY)
	}
	return r
}

// draw sets a row, over several pages if it is taller than one.
func (f *Flow) draw(columns []column, r row) {
	for {
		rest := slices.Clone(r.cells)
		bottom := f.y
		top := f.y
		for i, lines := range r.cells {
			f.y = top + cellY
			rest[i] = f.cell(columns[i], lines, r.colors[i])
			bottom = max(bottom, f.y+cellY)
		}
		f.y = bottom
		r.cells = rest
		if !slices.ContainsFunc(rest, func(l []text.Run) bool { return len(l) > 0 }) {
			return
		}
		f.Break()
	}
}

// cell sets lines until the page is full and returns the rest.
func (f *Flow) cell(c column, lines []text.Run, color text.Color) []text.Run {
	for i, l := range lines {
		if l.Height() > f.Room() && (i > 0 || f.y > f.layout.Top+cellY) {
			return lines[i:]
		}
		align := text.AlignLeft // cells line up in their column regardless of text direction
		if f.layout.RightToLeft {
			align = text.AlignRight
		}
		f.line(c.x+cellX, c.width-2*cellX, l, align, color)
		f.y += l.Height()
	}
	return nil
}

func (f *Flow) underline(gray float64) {
	f.b.Line(f.layout.Left, f.y, f.layout.Left+f.Width(), f.y, 0.5, gray, gray, gray)
}
