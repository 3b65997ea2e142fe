package html

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"
)

// writer writes the body of a DOCX.
type writer struct {
	ctx      context.Context
	sheet    *sheet
	found    *findings
	body     strings.Builder
	page     page
	lists    []list
	pictures []picture
	cells    int // of all tables

	flow
}

// flow is the state of a column of paragraphs: the page, or a cell.
type flow struct {
	room        float64 // width
	left, right float64 // indents
	pending     float64 // margin before the next paragraph
	pageBreak   bool    // before the next paragraph
	background  string
	number      int   // of the list, from 1; 0 outside of lists
	item        *item // the list item whose first paragraph is to come
	runs        strings.Builder
	open        bool // the paragraph has begun
	ended       bool // its text so far ends with a space
	block       style
	paragraphs  int
}

// page is the paper, in points.
type page struct{ width, height, top, right, bottom, left float64 }

func newWriter(ctx context.Context, s *sheet, found *findings) *writer {
	w := &writer{ctx: ctx, sheet: s, found: found, page: page{595.3, 841.9, 72, 72, 72, 72}}
	for _, d := range s.page {
		w.paper(d)
	}
	w.room = max(w.page.width-w.page.left-w.page.right, 72)
	return w
}

var papers = map[string][2]float64{
	"a3": {841.9, 1190.6}, "a4": {595.3, 841.9}, "a5": {419.5, 595.3}, "letter": {612, 792}, "legal": {612, 1008},
}

// paper applies a declaration of @page.
func (w *writer) paper(d declaration) {
	p := &w.page
	switch {
	case d.property == "size":
		var sides []float64
		for _, word := range strings.Fields(d.value) {
			switch named, ok := papers[word]; {
			case ok:
				p.width, p.height = named[0], named[1]
			case word == "landscape":
				p.width, p.height = max(p.width, p.height), min(p.width, p.height)
			case length(word, 12).points >= 72 && length(word, 12).points <= 1584:
				sides = append(sides, length(word, 12).points)
			}
		}
		if len(sides) > 0 {
			p.width, p.height = sides[0], sides[len(sides)-1]
		}
	case strings.HasPrefix(d.property, "margin"):
		_, side, _ := strings.Cut(d.property, "-")
		s := style{top: p.top, right: p.right, bottom: p.bottom, left: p.left}
		s.sides("margin", side, d.value)
		p.top, p.right = min(max(s.top, 0), p.height/3), min(max(s.right, 0), p.width/3)
		p.bottom, p.left = min(max(s.bottom, 0), p.height/3), min(max(s.left, 0), p.width/3)
	default:
		w.found.add(Unstyled, d.property)
	}
}

// document writes everything.
func (w *writer) document(root *node) error {
	s := w.styleOf(root, base())
	s.top, s.bottom, s.left, s.right = 0, 0, 0, 0 // the page has margins of its own
	w.block = s
	for _, k := range root.kids {
		if err := w.node(k, s); err != nil {
			return err
		}
	}
	w.flush()
	return nil
}

// styleOf returns the style of an element within another.
func (w *writer) styleOf(n *node, around inherited) style {
	s := style{inherited: around}
	s.indent = around.indent
	s.defaults(n)
	for _, d := range w.sheet.of(n) {
		if !s.set(d.property, d.value) {
			w.found.add(Unstyled, d.property)
		}
	}
	if s.display == "inline" && s.background != "" {
		s.shade = s.background
	}
	return s
}

// node writes an element or text.
func (w *writer) node(n *node, around style) error {
	switch {
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case w.sheet.left < 0, w.body.Len()+w.runs.Len() > maxWritten, w.cells > maxCells, len(w.lists) > maxLists:
		return tooLong()
	}
	if n.tag == "" {
		w.text(n.text, around)
		return nil
	}
	switch {
	case ignored[n.tag]:
		return nil
	case dropped[n.tag]:
		w.found.add(LeftOut, n.tag)
		return nil
	case w.field(n, around), w.control(n, around):
		return nil
	}
	s := w.styleOf(n, around.inherited)
	if s.display == "none" || s.hidden {
		return nil
	}
	switch n.tag {
	case "br":
		w.begin()
		w.runs.WriteString("<w:r><w:br/></w:r>")
		w.ended = true
		return nil
	case "img":
		return w.picture(n, s)
	case "table":
		return w.table(n, s)
	case "hr":
		return w.rule(s)
	case "ul", "ol", "menu":
		return w.list(n, s)
	case "li":
		return w.listItem(n, s)
	}
	if s.display == "inline" || s.display == "inline-block" {
		return w.kids(n, s)
	}
	return w.boxed(s, func() error { return w.kids(n, s) })
}

func (w *writer) kids(n *node, s style) error {
	for _, k := range n.kids {
		if err := w.node(k, s); err != nil {
			return err
		}
	}
	return nil
}

// boxed writes the content of a block.
func (w *writer) boxed(s style, content func() error) error {
	w.flush()
	before, left, right, background := w.block, w.left, w.right, w.background
	w.pending = max(w.pending, s.top)
	w.pageBreak = w.pageBreak || s.breakBefore
	if s.borders == [4]border{} {
		s.borders = before.borders // Word draws the same borders of paragraphs in a row as one box
	}
	w.left, w.right, w.block = min(w.left+s.left, w.room*0.8), min(w.right+s.right, w.room*0.8), s
	if s.background != "" {
		w.background = s.background
	}
	err := content()
	w.flush()
	w.pending = max(w.pending, s.bottom)
	w.pageBreak = w.pageBreak || s.breakAfter
	w.block, w.left, w.right, w.background = before, left, right, background
	return err
}

// rule writes a horizontal line.
func (w *writer) rule(s style) error {
	return w.boxed(s, func() error {
		w.begin()
		return nil
	})
}

// begin begins a paragraph.
func (w *writer) begin() {
	if !w.open {
		w.open, w.ended = true, true
	}
}

// text writes text as runs.
func (w *writer) text(text string, s style) {
	if s.pre {
		for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
			if i > 0 {
				w.begin()
				w.runs.WriteString("<w:r><w:br/></w:r>")
			}
			if line != "" {
				w.begin()
				w.run(line, s)
			}
		}
		return
	}
	spaced := func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
	words := strings.FieldsFunc(text, spaced)
	if len(words) == 0 {
		if text != "" && w.open && !w.ended {
			w.run(" ", s)
			w.ended = true
		}
		return
	}
	out := strings.Join(words, " ")
	w.begin()
	if spaced(rune(text[0])) && !w.ended {
		out = " " + out
	}
	w.ended = spaced(rune(text[len(text)-1]))
	if w.ended {
		out += " "
	}
	w.run(out, s)
}

// run writes text in one style.
func (w *writer) run(text string, s style) {
	var p strings.Builder
	on := func(is bool, name string) {
		if is {
			p.WriteString("<w:" + name + "/>")
		}
	}
	if s.mono {
		p.WriteString(`<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New" w:cs="Courier New"/>`)
	}
	on(s.bold, "b")
	on(s.bold, "bCs")
	on(s.italic, "i")
	on(s.italic, "iCs")
	on(s.caps, "caps")
	on(s.strike, "strike")
	if s.colour != "" {
		p.WriteString(`<w:color w:val="` + s.colour + `"/>`)
	}
	half := int(s.size*2 + 0.5)
	fmt.Fprintf(&p, `<w:sz w:val="%d"/><w:szCs w:val="%d"/>`, half, half)
	if s.underline {
		p.WriteString(`<w:u w:val="single"/>`)
	}
	if s.shade != "" {
		p.WriteString(`<w:shd w:val="clear" w:color="auto" w:fill="` + s.shade + `"/>`)
	}
	if s.vertical == "superscript" || s.vertical == "subscript" {
		p.WriteString(`<w:vertAlign w:val="` + s.vertical + `"/>`)
	}
	on(s.rightToLeft, "rtl")
	w.runs.WriteString("<w:r><w:rPr>" + p.String() + `</w:rPr><w:t xml:space="preserve">` + escape(text) + "</w:t></w:r>")
}

// escape writes text as XML, without the characters that XML can't hold.
func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a builder does not fail
	}
	return b.String()
}

// apart keeps a table from what is before it: a margin, a page break, or another table, to
// which Word would join it.
func (w *writer) apart() {
	if w.pending > 1 || w.pageBreak || strings.HasSuffix(w.body.String(), "</w:tbl>") {
		w.pending = max(w.pending-1, 0)
		before := w.block
		w.block = style{}
		spacing := strings.Replace(w.properties(), `w:line="276" w:lineRule="auto"`, `w:line="20" w:lineRule="exact"`, 1)
		w.body.WriteString("<w:p><w:pPr>" + spacing + "</w:pPr></w:p>")
		w.pending, w.pageBreak, w.block = 0, false, before
	}
}

// flush ends the paragraph.
func (w *writer) flush() {
	if !w.open && w.item == nil {
		return
	}
	w.body.WriteString("<w:p><w:pPr>" + w.properties() + "</w:pPr>" + w.runs.String() + "</w:p>")
	w.runs.Reset()
	w.open, w.ended, w.pending, w.pageBreak, w.item = false, false, 0, false, nil
	w.paragraphs++
}

// properties returns those of the paragraph, in the order of the schema.
func (w *writer) properties() string {
	s := &w.block
	var p strings.Builder
	if s.keep {
		p.WriteString("<w:keepNext/><w:keepLines/>")
	}
	if w.pageBreak {
		p.WriteString("<w:pageBreakBefore/>")
	}
	if w.item != nil && w.item.number > 0 {
		fmt.Fprintf(&p, `<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, w.item.level, w.item.number)
	}
	p.WriteString(edges("w:pBdr", s.borders))
	if w.background != "" {
		p.WriteString(`<w:shd w:val="clear" w:color="auto" w:fill="` + w.background + `"/>`)
	}
	if s.rightToLeft {
		p.WriteString("<w:bidi/>")
	}
	line := 276
	if s.line > 0 {
		line = int(s.line * 240 / 1.15)
	}
	fmt.Fprintf(&p, `<w:spacing w:before="%d" w:after="0" w:line="%d" w:lineRule="auto"/>`, twips(w.pending), line)
	p.WriteString(w.indents())
	if a := alignments[s.align]; a != "" {
		p.WriteString(`<w:jc w:val="` + a + `"/>`)
	}
	return p.String()
}

func (w *writer) indents() string {
	first := fmt.Sprintf(`w:firstLine="%d"`, twips(max(w.block.indent, 0)))
	if w.item != nil && w.item.number > 0 {
		first = `w:hanging="360"`
	}
	return fmt.Sprintf(`<w:ind w:left="%d" w:right="%d" %s/>`, twips(w.left), twips(w.right), first)
}

var alignments = map[string]string{
	"left": "left", "right": "right", "center": "center", "justify": "both", "start": "start", "end": "end",
}

func twips(points float64) int { return int(points*20 + 0.5) }

// edges writes borders.
func edges(name string, b [4]border) string {
	var p strings.Builder
	for _, i := range []int{0, 3, 2, 1} { // the order of the schema
		if b[i].width > 0 {
			fmt.Fprintf(&p, `<w:%s w:val="single" w:sz="%d" w:space="0" w:color="%s"/>`,
				[]string{"top", "right", "bottom", "left"}[i], min(max(int(b[i].width*8), 2), 96), b[i].colour)
		}
	}
	if p.Len() == 0 {
		return ""
	}
	return "<" + name + ">" + p.String() + "</" + name + ">"
}
