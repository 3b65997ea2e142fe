package docx

import (
	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// readRows finds rows and cells with their positions in the grid.
func (d *document) readRows(n *node) (rows []*row) {
	cells := 0
	eachWrapped(n, "w:tr", func(tr *node) {
		pr := tr.child("w:trPr")
		if pr.child("w:del") != nil {
			d.findings.add("tracked_changes")
			return
		}
		r := &row{header: readToggle(pr.child("w:tblHeader")) == on, whole: readToggle(pr.child("w:cantSplit")) == on}
		r.except = tr.child("w:tblPrEx")
		r.least = min(max(twips(pr.child("w:trHeight").val()).points, 0), d.tallest())
		at := min(max(integer(pr.child("w:gridBefore").val(), 0), 0), maxColumns-1)
		eachWrapped(tr, "w:tc", func(tc *node) {
			c := readCell(tc, at)
			if c.column+c.span > maxColumns {
				d.fail(refuse.TooLarge("docx_columns", fault.Number("limit", maxColumns)))
				return
			}
			at += c.span
			r.cells = append(r.cells, c)
			cells++
		})
		r.columns = at
		if len(r.cells) > 0 {
			rows = append(rows, r)
		}
		if len(rows) > maxRows || cells > maxCells {
			d.fail(refuse.TooLarge("docx_rows", fault.Number("rows", maxRows), fault.Number("cells", maxCells)))
		}
	})
	if d.err != nil {
		return nil
	}
	return rows
}

// eachWrapped calls fn for the children with a name, including those inside
// wrappers.
func eachWrapped(n *node, name string, fn func(*node)) {
	for _, k := range n.kids {
		switch k.name {
		case name:
			fn(k)
		case "w:del", "w:moveFrom":
		case "mc:AlternateContent":
			eachWrapped(alternative(k), name, fn)
		default:
			eachWrapped(k, name, fn)
		}
	}
}

func readCell(tc *node, column int) *cell {
	pr := tc.child("w:tcPr")
	c := &cell{node: tc, column: column, span: min(max(integer(pr.child("w:gridSpan").val(), 1), 1), maxColumns)}
	if m := pr.child("w:vMerge"); m != nil {
		c.merge = orString("continue", m.val())
	}
	w := pr.child("w:tcW")
	c.wish, c.wishPart = widthOf(w).points/float64(c.span), percentOf(w)/float64(c.span)
	c.align = pr.child("w:vAlign").val()
	return c
}
