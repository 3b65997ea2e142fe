package docx

import "math"

const maxColumns = 256

// columns computes the widths of the grid: as written at the cells or else for the
// columns, then fitted to the width of the table and to the available room.
func (d *document) columns(n *node, p *tableProps, rows []*row, room float64) []float64 {
	var grid []float64
	if g := n.child("w:tblGrid"); g != nil {
		for _, k := range g.kids {
			if k.name == "w:gridCol" && len(grid) < maxColumns {
				grid = append(grid, max(twips(k.attr("w:w")).points, 0))
			}
		}
	}
	count := 1
	for _, r := range rows {
		count = max(count, r.columns)
	}
	if len(grid) > count {
		grid = grid[:count]
	}
	for len(grid) < count {
		grid = append(grid, 0)
	}
	wanted := 0.0
	switch {
	case p.width.set && p.width.points > 0:
		wanted = p.width.points
	case p.widthPart > 0:
		wanted = room * p.widthPart
	}
	fillFromCells(grid, rows, orNumber(wanted, room))
	total := sum(grid)
	wanted = orNumber(wanted, total)
	wanted = min(max(wanted, minColumn*float64(count)/4), max(room-min(p.indent, 0), minColumn))
	if room-p.indent < wanted && p.align == "" {
		p.indent = max(min(p.indent, room-wanted), -36)
	}
	for i := range grid {
		grid[i] *= wanted / total
	}
	return grid
}

func orNumber(v, otherwise float64) float64 {
	if v > 0 {
		return v
	}
	return otherwise
}

// fillFromCells sets the width of columns from the first cell in the column that has one, whatever the
// grid says, which some programs fill with any numbers. Columns without a width get an equal share.
func fillFromCells(grid []float64, rows []*row, table float64) {
	seen := make([]bool, len(grid))
	for _, r := range rows {
		for _, c := range r.cells {
			if w := orNumber(c.wish, c.wishPart*table); c.span == 1 && !seen[c.column] && w > 0 {
				grid[c.column], seen[c.column] = w, true
			}
		}
	}
	known, n := 0.0, 0
	for _, w := range grid {
		if w > 0 {
			known += w
			n++
		}
	}
	share := 72.0
	if n > 0 {
		share = known / float64(n)
	}
	for i, w := range grid {
		if w <= 0 || math.IsNaN(w) {
			grid[i] = share
		}
	}
}

// columnNeeds returns how wide each column has to be so that no word is cut.
func columnNeeds(rows []*row, count int) []float64 {
	needs := make([]float64, count)
	for _, spanned := range []bool{false, true} {
		for _, r := range rows {
			for _, c := range r.cells {
				last := c.column + c.span - 1
				switch {
				case !spanned && c.span == 1:
					needs[last] = max(needs[last], c.need)
				case spanned && c.span > 1:
					needs[last] += max(c.need-sum(needs[c.column:last+1]), 0)
				}
			}
		}
	}
	return needs
}

// widen makes columns that are too narrow wider, at the expense of those that are wider than
// they need to be, and then of the room beside the table. It returns nil if nothing has to
// change.
func widen(grid, needs []float64, room float64, fixed bool) []float64 {
	missing, spare := 0.0, 0.0
	for i, w := range grid {
		missing += max(needs[i]-w, 0)
		spare += max(w-needs[i], 0)
	}
	if missing < 0.05 {
		return nil
	}
	total := sum(grid)
	if fixed { // grows no more than the letters, which are wider than those it was made for
		room = min(room, total*1.25)
	}
	total = min(max(total, sum(needs)), max(room, total))
	out := make([]float64, len(grid))
	give := min(max(missing-(total-sum(grid)), 0), spare)
	for i, w := range grid {
		out[i] = max(w, needs[i])
		if over := w - needs[i]; over > 0 && spare > 0 {
			out[i] = w - give*over/spare
		}
	}
	if have := sum(out); have > total {
		for i := range out {
			out[i] *= total / have
		}
	}
	return out
}

func sum(v []float64) (t float64) {
	for _, x := range v {
		t += x
	}
	return t
}
