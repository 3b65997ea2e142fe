package html

import (
	"fmt"
	"strconv"
	"strings"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// cell is a cell at its place in the grid.
type cell struct {
	node       *node
	style      style
	column     int
	columns    int
	rows       int  // including this one
	continuing bool // of a cell of the row above
}

type row struct {
	cells  []cell
	header bool
}

// grid is a table.
type grid struct {
	rows    []row
	columns int
	caption *node
	widths  []measure // as given
}

// table writes a table.
func (w *writer) table(n *node, s style) error {
	g := &grid{}
	if err := w.readRows(g, n, s, false); err != nil {
		return err
	}
	return w.boxed(s, func() error {
		if g.caption != nil {
			if err := w.node(g.caption, s); err != nil {
				return err
			}
		}
		w.flush()
		if len(g.rows) == 0 {
			return nil
		}
		w.apart()
		return w.writeGrid(n, g, s)
	})
}

// readRows finds the rows, also those without a section.
func (w *writer) readRows(g *grid, n *node, s style, header bool) error {
	for _, k := range n.kids {
		switch k.tag {
		case "thead", "tbody", "tfoot":
			if err := w.readRows(g, k, w.styleOf(k, s.inherited), k.tag == "thead"); err != nil {
				return err
			}
		case "tr":
			if err := w.readRow(g, k, w.styleOf(k, s.inherited), header); err != nil {
				return err
			}
		case "caption":
			g.caption = k
		case "colgroup":
			for _, c := range k.kids {
				g.widths = append(g.widths, w.styleOf(c, s.inherited).width)
			}
		case "col":
			g.widths = append(g.widths, w.styleOf(k, s.inherited).width)
		case "":
			if strings.TrimSpace(k.text) != "" {
				w.text(k.text, s) // misplaced text comes before the table
			}
		default:
			if err := w.node(k, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// readRow places the cells of a row.
func (w *writer) readRow(g *grid, n *node, s style, header bool) error {
	if s.display == "none" || s.hidden {
		return nil
	}
	r := row{header: header}
	above := map[int]cell{}
	if len(g.rows) > 0 {
		for _, c := range g.rows[len(g.rows)-1].cells {
			if c.rows > 1 {
				c.rows, c.continuing = c.rows-1, true
				above[c.column] = c
			}
		}
	}
	at := 0
	continued := func() {
		for c, ok := above[at]; ok; c, ok = above[at] {
			delete(above, at)
			r.cells = append(r.cells, c)
			at += c.columns
		}
	}
	for _, k := range n.kids {
		if k.tag != "td" && k.tag != "th" {
			if k.tag != "" || strings.TrimSpace(k.text) != "" {
				if err := w.node(k, s); err != nil {
					return err
				}
			}
			continue
		}
		continued()
		c := cell{node: k, style: w.styleOf(k, s.inherited), column: at, columns: span(k, "colspan", maxColumns)}
		c.rows = span(k, "rowspan", maxRowSpan)
		if c.style.background == "" {
			c.style.background = s.background
		}
		for i := range c.columns { // a cell of the row above may be in the way
			if _, taken := above[at+i]; taken {
				c.columns = max(i, 1)
				break
			}
		}
		at += c.columns
		r.cells = append(r.cells, c)
		if at > maxColumns {
			return refuse.TooLarge("html_columns", fault.Number("limit", maxColumns))
		}
	}
	for at <= maxColumns && len(above) > 0 {
		continued()
		if len(above) > 0 {
			r.cells = append(r.cells, cell{column: at, columns: 1, rows: 1})
			at++
		}
	}
	if w.cells += len(r.cells); w.cells > maxCells {
		return tooLong()
	}
	if len(r.cells) > 0 {
		g.columns = max(g.columns, at)
		g.rows = append(g.rows, r)
	}
	return nil
}

func span(n *node, key string, most int) int {
	v, err := strconv.Atoi(strings.TrimSpace(n.attr(key)))
	if err != nil {
		return 1
	}
	return min(max(v, 1), most)
}

// layOut returns the widths of the columns: as given, otherwise by the length of what is
// in them.
func (g *grid) layOut(room float64, wanted measure, size float64) []float64 {
	widths, natural := make([]float64, g.columns), make([]float64, g.columns)
	for i := range widths {
		natural[i] = 3 * size
		if i < len(g.widths) {
			widths[i] = max(g.widths[i].of(room), 0)
		}
	}
	for _, r := range g.rows {
		for _, c := range r.cells {
			if c.columns != 1 || c.node == nil || c.continuing {
				continue
			}
			if v := c.style.width.of(room); v > 0 {
				widths[c.column] = max(widths[c.column], v)
			}
			natural[c.column] = max(natural[c.column], float64(letters(c.node))*size*0.55+12)
		}
	}
	given, rest := 0.0, 0.0
	for i := range widths {
		if given += widths[i]; widths[i] == 0 {
			rest += natural[i]
		}
	}
	total := wanted.of(room)
	if total <= 0 {
		total = given + rest
	}
	total = min(total, room)
	left := max(total-given, rest*0.3)
	sum := 0.0
	for i := range widths {
		if widths[i] == 0 {
			widths[i] = natural[i] / rest * left
		}
		sum += widths[i]
	}
	if sum > room || wanted.of(room) > 0 {
		for i := range widths {
			widths[i] *= total / sum
		}
	}
	return widths
}

// letters returns the length of the text in a cell as far as it matters to the width. A field
// is as wide as a signature.
func letters(n *node) (count int) {
	for _, k := range n.kids {
		switch {
		case k.tag == "":
			count += len([]rune(strings.TrimSpace(k.text)))
		case strings.HasSuffix(k.tag, "-field") || k.tag == "img":
			count += 25
		case k.tag == "br":
		default:
			count += letters(k)
		}
	}
	return min(count, 70)
}

// writeGrid writes the table itself.
func (w *writer) writeGrid(n *node, g *grid, s style) error {
	room := max(w.room-w.left-w.right, 36)
	widths := g.layOut(room, s.width, s.size)
	total := 0.0
	for _, v := range widths {
		total += v
	}
	w.body.WriteString("<w:tbl><w:tblPr>")
	fmt.Fprintf(&w.body, `<w:tblW w:w="%d" w:type="dxa"/>`, twips(total))
	if s.marginLeftAuto && s.marginRightAuto || n.attr("align") == "center" {
		w.body.WriteString(`<w:jc w:val="center"/>`)
	} else if w.left > 0 {
		fmt.Fprintf(&w.body, `<w:tblInd w:w="%d" w:type="dxa"/>`, twips(w.left))
	}
	lined, err := strconv.Atoi(n.attr("border"))
	if err == nil && lined > 0 {
		all := border{0.75, "808080"}
		s.borders = [4]border{all, all, all, all}
	}
	w.body.WriteString(edges("w:tblBorders", s.borders))
	w.body.WriteString(`<w:tblLayout w:type="fixed"/><w:tblCellMar>` +
		`<w:top w:w="30" w:type="dxa"/><w:left w:w="60" w:type="dxa"/>` +
		`<w:bottom w:w="30" w:type="dxa"/><w:right w:w="60" w:type="dxa"/></w:tblCellMar></w:tblPr><w:tblGrid>`)
	for _, v := range widths {
		fmt.Fprintf(&w.body, `<w:gridCol w:w="%d"/>`, twips(v))
	}
	w.body.WriteString("</w:tblGrid>")
	for _, r := range g.rows {
		if w.body.Len() > maxWritten {
			return tooLong()
		}
		w.body.WriteString("<w:tr><w:trPr><w:cantSplit/>")
		if r.header {
			w.body.WriteString("<w:tblHeader/>")
		}
		w.body.WriteString("</w:trPr>")
		for _, c := range r.cells {
			if lined > 0 && c.node != nil && c.style.borders == [4]border{} {
				c.style.borders = s.borders
			}
			if err := w.cell(c, widths); err != nil {
				return err
			}
		}
		w.body.WriteString("</w:tr>")
	}
	w.body.WriteString("</w:tbl>")
	w.pending = 0
	return nil
}

// cell writes a cell, with paragraphs of its own.
func (w *writer) cell(c cell, widths []float64) error {
	width := 0.0
	for i := range c.columns {
		if c.column+i < len(widths) {
			width += widths[c.column+i]
		}
	}
	fmt.Fprintf(&w.body, `<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/>`, twips(width))
	if c.columns > 1 {
		fmt.Fprintf(&w.body, `<w:gridSpan w:val="%d"/>`, c.columns)
	}
	switch {
	case c.continuing:
		w.body.WriteString("<w:vMerge/>")
	case c.rows > 1:
		w.body.WriteString(`<w:vMerge w:val="restart"/>`)
	}
	w.body.WriteString(edges("w:tcBorders", c.style.borders))
	if c.style.background != "" {
		w.body.WriteString(`<w:shd w:val="clear" w:color="auto" w:fill="` + c.style.background + `"/>`)
	}
	if p := c.style.padding; p > 0 {
		w.body.WriteString("<w:tcMar>")
		for _, side := range []string{"top", "left", "bottom", "right"} {
			fmt.Fprintf(&w.body, `<w:%s w:w="%d" w:type="dxa"/>`, side, twips(min(p, width/3)))
		}
		w.body.WriteString("</w:tcMar>")
	}
	if v := c.style.vertical; c.node != nil && v != "top" {
		if v != "bottom" {
			v = "center"
		}
		w.body.WriteString(`<w:vAlign w:val="` + v + `"/>`)
	}
	w.body.WriteString("</w:tcPr>")
	around := w.flow
	s := c.style
	s.vertical, s.background, s.borders, s.keep = "", "", [4]border{}, false
	w.flow = flow{room: max(width-8, 12), block: s}
	var err error
	if c.node != nil && !c.continuing {
		err = w.kids(c.node, s)
	}
	w.flush()
	if !strings.HasSuffix(w.body.String(), "</w:p>") {
		w.body.WriteString("<w:p/>")
	}
	w.flow = around
	w.body.WriteString("</w:tc>")
	return err
}
