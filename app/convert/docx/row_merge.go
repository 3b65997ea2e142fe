package docx

import "slices"

// joinRows computes how many rows each merged cell covers.
func joinRows(rows []*row) {
	for i, r := range rows {
		for _, c := range r.cells {
			c.down, c.isTop, c.isLast = 1, true, true
			if c.merge != "restart" {
				continue
			}
			last := c
			for _, below := range rows[i+1:] {
				k := slices.IndexFunc(below.cells, func(o *cell) bool {
					return o.column == c.column && o.span == c.span && o.merge == "continue"
				})
				if k < 0 {
					break
				}
				last.isLast = false
				last = below.cells[k]
				last.continued = true
				c.down++
			}
		}
	}
	for _, r := range rows {
		for _, c := range r.cells {
			if c.continued {
				c.isTop = false
			}
		}
	}
}

// measureRows makes every row high enough for its cells; the last row of a
// merged cell takes up the rest of its height.
func measureRows(rows []*row) {
	for _, r := range rows {
		r.height = max(r.least, 4)
		for _, c := range r.cells {
			if c.down == 1 && !c.continued {
				r.height = max(r.height, c.heightOf)
			}
		}
	}
	for i, r := range rows {
		for _, c := range r.cells {
			if c.down == 1 {
				continue
			}
			have := 0.0
			for _, o := range rows[i : i+c.down] {
				have += o.height
			}
			if c.heightOf > have {
				rows[i+c.down-1].height += c.heightOf - have
			}
		}
	}
}

// mergeRows decides how merged cells are drawn: as one where their rows stay on
// one page, otherwise their content runs down from row to row. It returns for
// each row whether it stays with the next.
func (d *document) mergeRows(rows []*row, nested bool) []bool {
	together := make([]bool, len(rows))
	for i, r := range rows {
		for _, c := range r.cells {
			if c.down == 1 {
				continue
			}
			c.total = 0
			for _, o := range rows[i : i+c.down] {
				c.total += o.height
			}
			if nested || c.total > d.tallest()*0.6 {
				spread(rows, i, c)
				continue
			}
			for j := i; j < i+c.down-1; j++ {
				together[j] = true
				rows[j+1].below(c).shade = nil // drawn with the first
			}
		}
	}
	return together
}

// below returns the row's part of a cell merged from above.
func (r *row) below(c *cell) *cell {
	return r.cells[slices.IndexFunc(r.cells, func(o *cell) bool { return o.column == c.column })]
}

// spread distributes the content of a merged cell over the rows that it covers.
func spread(rows []*row, i int, c *cell) {
	content := c.content
	first := rows[i : i+c.down]
	c.total = 0
	for k, r := range first {
		part := c
		if k > 0 {
			part = r.below(c)
			part.top, part.bottom, part.left, part.right, part.shade = 0, c.bottom, c.left, c.right, c.shade
			part.align = "top"
		}
		used := part.top
		n := 0
		for n < len(content) {
			h := content[n].before + content[n].height + content[n].after
			if k < len(first)-1 && used+h > r.height {
				break
			}
			used += h
			n++
		}
		part.content, content = content[:n:n], content[n:]
		part.heightOf = used + part.bottom
		if k == len(first)-1 {
			r.height = max(r.height, part.heightOf)
		}
	}
	c.align = "top"
}
