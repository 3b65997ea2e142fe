package docx

// Bounds of one table.
const (
	maxRows  = 20_000
	maxCells = 100_000
)

// row is a table row being laid out.
type row struct {
	cells   []*cell
	columns int // of the grid that it covers
	least   float64
	height  float64
	header  bool
	whole   bool  // may not be split
	except  *node // w:tblPrEx: what differs from the table's properties
}

// cell is a table cell.
type cell struct {
	node          *node
	column, span  int
	merge         string  // "", restart, continue
	down          int     // rows that a merged cell covers, itself included
	wish          float64 // width by its own properties, of one column
	wishPart      float64 // the same, as a part of the table's
	x, width      float64
	content       []box
	top, bottom   float64 // margins
	left, right   float64
	align         string
	shade         *colour
	borders       edges
	heightOf      float64 // of content with margins
	need          float64 // width needed by its words, with margins
	continued     bool    // draws only borders
	total         float64 // height of all rows covered, if drawn as one
	isTop, isLast bool    // edges of the merged area
}

// table lays out a w:tbl with one box per row.
func (d *document) table(n *node, in *part, env environment) []box {
	if !d.enter() {
		return nil
	}
	defer d.leave()
	if n.child("w:tblPr", "w:tblpPr") != nil {
		d.findings.add("floating_table")
	}
	p := d.tableProps(n)
	rows := d.readRows(n)
	if len(rows) == 0 || d.err != nil {
		return nil
	}
	grid := d.columns(n, &p, rows, env.width)
	grid = d.layoutTable(rows, grid, &p, in, env)
	left := tableLeft(&p, sum(grid), env.width)
	joinRows(rows)
	measureRows(rows)
	whole := d.mergeRows(rows, env.inRow)
	return d.rowBoxes(rows, whole, left)
}

// maxRelaid is the nesting depth up to which tables are laid out a second time.
const maxRelaid = 3

// layoutTable lays out the cells, and again if words were cut that would fit
// with other column widths. It returns the column widths.
func (d *document) layoutTable(rows []*row, grid []float64, p *tableProps, in *part, env environment) []float64 {
	counts, found := d.nums.save(), d.findings.clone()
	d.layoutRows(rows, grid, p, in, env)
	needs := columnNeeds(rows, len(grid))
	if env.need != nil {
		*env.need = max(*env.need, sum(needs))
	}
	wider := widen(grid, needs, max(env.width-max(p.indent, 0), sum(grid)), p.fixed)
	if wider == nil || d.depth > maxRelaid || d.err != nil {
		return grid
	}
	d.nums.restore(counts)
	*d.findings = *found
	d.layoutRows(rows, wider, p, in, env)
	return wider
}

func tableLeft(p *tableProps, width, room float64) float64 {
	align := p.align
	if p.rtl && (align == "" || align == "left" || align == "start") {
		return room - width - p.indent
	}
	switch align {
	case "center":
		return (room - width) / 2
	case "right", "end":
		return room - width
	}
	return p.indent
}

// layoutRows positions every cell and lays out its content.
func (d *document) layoutRows(rows []*row, grid []float64, p *tableProps, in *part, env environment) {
	edge := make([]float64, len(grid)+1)
	for i, w := range grid {
		edge[i+1] = edge[i] + w
	}
	table := p
	for i, r := range rows {
		if p = table; r.except != nil {
			own := table.over(r.except)
			p = &own
		}
		for _, c := range r.cells {
			if d.stopped() {
				return
			}
			c.x, c.width = edge[c.column], edge[c.column+c.span]-edge[c.column]
			if p.rtl {
				c.x = edge[len(grid)] - c.x - c.width
			}
			cond := p.cellProps(i, len(rows), c.column, len(grid), c.span)
			d.layoutCell(c, p, cond, in, env)
			c.outline(p, cond, i == 0, i == len(rows)-1, c.column == 0, c.column+c.span == len(grid))
		}
	}
}

func (d *document) layoutCell(c *cell, p *tableProps, cond condition, in *part, env environment) {
	pr := c.node.child("w:tcPr")
	m := p.margins
	for i, own := range readCellMargins(pr.child("w:tcMar")) {
		m[i] = m[i].or(own)
	}
	side := func(l length) float64 { return min(max(l.points, 0), 200) }
	c.top, c.left, c.bottom, c.right = side(m[0]), side(m[1]), side(m[2]), side(m[3])
	if c.left+c.right > c.width-minColumn {
		c.left, c.right = 0, 0
	}
	if v := pr.child("w:textDirection").val(); v != "" && v != "lrTb" && v != "lr" {
		d.findings.add("text_direction")
	}
	c.shade = p.shade
	if cond.shade != nil {
		c.shade = cond.shade
	}
	if s, ok := shade(pr.child("w:shd")); ok {
		c.shade = &s
	}
	inner := environment{
		need:  &c.need,
		width: max(c.width-c.left-c.right, minColumn), inRow: true, note: env.note,
		para: p.para.over(cond.para), table: p.run.over(cond.run),
		dark: c.shade != nil && isDark(*c.shade),
	}
	c.need = 0
	if c.merge != "continue" {
		c.content = d.blocks(c.node.kids, in, inner)
	}
	c.need += c.left + c.right + 0.1
	c.heightOf = height(c.content) + c.top + c.bottom
}

// outline returns the borders of a cell: its own, or else the outer or inner
// borders of the table.
func (c *cell) outline(p *tableProps, cond condition, top, bottom, left, right bool) {
	table := p.borders.over(cond.borders)
	pick := func(outer bool, edge, inside border) border {
		if outer {
			return edge
		}
		return inside
	}
	b := edges{
		top: pick(top, table.top, table.insideH), bottom: pick(bottom, table.bottom, table.insideH),
		left: pick(left, table.left, table.insideV), right: pick(right, table.right, table.insideV),
	}
	// A conditional format applies to the cell's own edges.
	b = b.over(edges{top: cond.borders.top, bottom: cond.borders.bottom, left: cond.borders.left,
		right: cond.borders.right})
	c.borders = b.over(readEdges(c.node.child("w:tcPr", "w:tcBorders")))
	if p.rtl {
		c.borders.left, c.borders.right = c.borders.right, c.borders.left
	}
}
