package docx

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
