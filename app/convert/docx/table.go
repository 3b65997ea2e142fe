package docx

import "math"

// tableProps are the properties of a table, from its style and its own.
type tableProps struct {
	borders    edges
	margins    [4]length // top, left, bottom, right
	align      string
	indent     float64
	rtl        bool
	width      length
	widthPart  float64 // of the available width, if a percentage
	shade      *colour
	style      string
	look       tableLook
	conditions map[string]condition
	para       paraProps
	run        runProps
	rowBand    int
	colBand    int
	fixed      bool
}

// tableLook selects the conditional formats of the style in use.
type tableLook struct{ firstRow, lastRow, firstCol, lastCol, noH, noV bool }

// condition is a conditional format of a table style (§17.7.6).
type condition struct {
	para    paraProps
	run     runProps
	borders edges
	shade   *colour
}

func (p tableProps) over(n *node) tableProps {
	if n == nil {
		return p
	}
	p.borders = p.borders.over(readEdges(n.child("w:tblBorders")))
	for i, m := range readCellMargins(n.child("w:tblCellMar")) {
		p.margins[i] = p.margins[i].or(m)
	}
	p.align = orString(p.align, n.child("w:jc").val())
	if l := widthOf(n.child("w:tblInd")); l.set {
		p.indent = l.points
	}
	if t := readToggle(n.child("w:bidiVisual")); t != unset {
		p.rtl = t == on
	}
	if w := n.child("w:tblW"); w != nil {
		p.width, p.widthPart = widthOf(w), percentOf(w)
	}
	if c, ok := shade(n.child("w:shd")); ok {
		p.shade = &c
	}
	p.rowBand = max(integer(n.child("w:tblStyleRowBandSize").val(), p.rowBand), 1)
	p.colBand = max(integer(n.child("w:tblStyleColBandSize").val(), p.colBand), 1)
	return p
}

func readCellMargins(n *node) (m [4]length) {
	m[0], m[2] = widthOf(n.child("w:top")), widthOf(n.child("w:bottom"))
	m[1] = widthOf(n.child("w:left")).or(widthOf(n.child("w:start")))
	m[3] = widthOf(n.child("w:right")).or(widthOf(n.child("w:end")))
	return m
}

// widthOf reads a width in twips; "auto", "nil" and percentages are not set.
func widthOf(n *node) length {
	switch n.attr("w:type") {
	case "dxa", "":
		if n != nil {
			return twips(n.attr("w:w"))
		}
	}
	return length{}
}

// percentOf reads a width in fiftieths of a percent, or with a percent sign.
func percentOf(n *node) float64 {
	if n.attr("w:type") != "pct" {
		return 0
	}
	s := n.attr("w:w")
	if len(s) > 1 && s[len(s)-1] == '%' {
		return min(max(measure(s[:len(s)-1], 0.01).points, 0), 2)
	}
	return min(max(measure(s, 1.0/5000).points, 0), 2)
}

func (d *document) tableProps(n *node) tableProps {
	pr := n.child("w:tblPr")
	p := tableProps{conditions: map[string]condition{}, rowBand: 1, colBand: 1}
	p.margins = [4]length{points(0), points(5.4), points(0), points(5.4)}
	p.style = pr.child("w:tblStyle").val()
	for _, st := range d.styles.chain(p.style, "table") {
		p = p.over(st.table.child("w:tblPr"))
		p.para, p.run = p.para.over(st.para), p.run.over(st.run)
		for _, k := range st.table.kids {
			if k.name == "w:tblStylePr" {
				kind := k.attr("w:type")
				p.conditions[kind] = p.conditions[kind].over(k)
			}
		}
	}
	p = p.over(pr)
	p.fixed = pr.child("w:tblLayout").attr("w:type") == "fixed"
	p.look = readLook(pr.child("w:tblLook"))
	return p
}

func (c condition) over(k *node) condition {
	c.para = c.para.over(readParaProps(k.child("w:pPr")))
	c.run = c.run.over(readRunProps(k.child("w:rPr")))
	c.borders = c.borders.over(readEdges(k.child("w:tblPr", "w:tblBorders"))).over(readEdges(k.child("w:tcPr", "w:tcBorders")))
	for _, pr := range []string{"w:tblPr", "w:tcPr"} {
		if s, ok := shade(k.child(pr, "w:shd")); ok {
			c.shade = &s
		}
	}
	return c
}

// readLook reads the attributes, or the older number that encodes them as bits.
func readLook(n *node) tableLook {
	bits, _ := hex(n.attr("w:val"))
	is := func(name string, bit rune) bool {
		if v := n.attr(name); v != "" {
			return readFlag(v) == on
		}
		return bits&bit != 0
	}
	return tableLook{
		firstRow: is("w:firstRow", 0x20), lastRow: is("w:lastRow", 0x40), firstCol: is("w:firstColumn", 0x80),
		lastCol: is("w:lastColumn", 0x100), noH: is("w:noHBand", 0x200), noV: is("w:noVBand", 0x400),
	}
}

// cellProps returns the conditions that apply to a cell, weakest first.
func (p *tableProps) cellProps(row, rows, col, cols, span int) condition {
	var c condition
	apply := func(kind string) {
		if k, ok := p.conditions[kind]; ok {
			c.para, c.run, c.borders = c.para.over(k.para), c.run.over(k.run), c.borders.over(k.borders)
			if k.shade != nil {
				c.shade = k.shade
			}
		}
	}
	apply("wholeTable")
	l := p.look
	isFirstRow, isLastRow := l.firstRow && row == 0, l.lastRow && row == rows-1
	isFirstCol, isLastCol := l.firstCol && col == 0, l.lastCol && col+span >= cols
	if !l.noV && !isFirstCol && !isLastCol {
		apply(bandName("Vert", col, l.firstCol, p.colBand))
	}
	if !l.noH && !isFirstRow && !isLastRow {
		apply(bandName("Horz", row, l.firstRow, p.rowBand))
	}
	for _, a := range []struct {
		is   bool
		kind string
	}{
		{isFirstCol, "firstCol"}, {isLastCol, "lastCol"}, {isFirstRow, "firstRow"}, {isLastRow, "lastRow"},
		{isFirstRow && isFirstCol, "nwCell"}, {isFirstRow && isLastCol, "neCell"},
		{isLastRow && isFirstCol, "swCell"}, {isLastRow && isLastCol, "seCell"},
	} {
		if a.is {
			apply(a.kind)
		}
	}
	return c
}

func bandName(kind string, i int, header bool, size int) string {
	if header {
		i--
	}
	if i/size%2 == 0 {
		return "band1" + kind
	}
	return "band2" + kind
}

const maxColumns = 256

// columns computes the widths of the grid: as written, then fitted to the
// width of the table and to the available room.
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
	fillFromCells(grid, rows)
	total := sum(grid)
	wanted := total
	switch {
	case p.width.set && p.width.points > 0:
		wanted = p.width.points
	case p.widthPart > 0:
		wanted = room * p.widthPart
	}
	wanted = min(max(wanted, minColumn*float64(count)/4), max(room-min(p.indent, 0), minColumn))
	if room-p.indent < wanted && p.align == "" {
		p.indent = max(min(p.indent, room-wanted), -36)
	}
	for i := range grid {
		grid[i] *= wanted / total
	}
	return grid
}

// fillFromCells sets the width of columns that have none, from a cell in the column or else to an
// equal share of the table.
func fillFromCells(grid []float64, rows []*row) {
	for _, r := range rows {
		for _, c := range r.cells {
			if c.span == 1 && grid[c.column] <= 0 {
				grid[c.column] = max(c.wish, 0)
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

// widen gives columns that are too narrow width from those that have more than
// they need, and then from the room beside the table. It returns nil if nothing
// has to change.
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
