package docx

import (
	"strings"
)

// minColumn is the minimum width for text, in points; in narrower places it
// overlaps rather than vanishes.
const minColumn = 12

// environment describes the surroundings of paragraphs.
type environment struct {
	width float64
	table runProps // of a table style
	para  paraProps
	dark  bool // the background is dark, so text without a colour is white
	inRow bool
	note  string
	need  *float64 // set to the width of the widest unbreakable piece
}

// paragraph is a paragraph being laid out.
type paragraph struct {
	props             paraProps
	items             []item
	mark              *format // of the paragraph's end; sets the height of an empty line
	width             float64
	start, end, first float64 // indents
	labelPieces       int
	rtl               bool
	boxes             []*node
	need              *float64
}

// blocks lays out paragraphs, tables and their containers.
func (d *document) blocks(nodes []*node, in *part, env environment) []box {
	var out []box
	nodes = flattenBlocks(d, nodes)
	previous := ""
	for i, n := range nodes {
		if d.stopped() {
			break
		}
		next := ""
		if i+1 < len(nodes) {
			next = styleOf(nodes[i+1])
		}
		out = append(out, d.block(n, in, env, previous, next)...)
		previous = styleOf(n)
	}
	return out
}

func (d *document) stopped() bool {
	if d.err == nil && d.ctx.Err() != nil {
		d.fail(d.ctx.Err())
	}
	return d.err != nil
}

// noStyle differs from every paragraph's style.
const noStyle = "\x00"

// styleOf returns a paragraph's style, for the spacing between paragraphs of the
// same style.
func styleOf(n *node) string {
	if n == nil || n.name != "w:p" {
		return noStyle
	}
	return n.child("w:pPr", "w:pStyle").val()
}

// flattenBlocks unwraps paragraphs and tables.
func flattenBlocks(d *document, nodes []*node) (out []*node) {
	for _, n := range nodes {
		switch n.name {
		case "w:p", "w:tbl":
			out = append(out, n)
		case "w:del", "w:moveFrom":
			d.findings.add("tracked_changes")
		case "mc:AlternateContent":
			out = append(out, flattenBlocks(d, alternative(n).kids)...)
		case "w:altChunk":
			d.findings.add("embedded_document")
		case "m:oMathPara", "m:oMath":
			out = append(out, &node{name: "w:p", kids: []*node{n}})
		case "w:r": // invalid here, but shown by Word
			out = append(out, &node{name: "w:p", kids: []*node{n}})
		default: // a wrapper: w:sdt, w:customXml, w:ins or an unknown one
			out = append(out, flattenBlocks(d, n.kids)...)
		}
	}
	return out
}

func (d *document) block(n *node, in *part, env environment, previous, next string) []box {
	switch n.name {
	case "w:p":
		return d.paragraph(n, in, env, previous, next)
	case "w:tbl":
		return d.table(n, in, env)
	}
	return nil
}

// paragraph lays out a w:p and the text boxes anchored to it.
func (d *document) paragraph(n *node, in *part, env environment, previous, next string) []box {
	p, run := d.resolveParagraph(n, env)
	dark := env.dark || p.props.shade != nil && isDark(*p.props.shade)
	c := &collector{d: d, part: in, base: run, dark: dark, note: env.note}
	c.content(n)
	d.endParagraph()
	mark := readRunProps(n.child("w:pPr", "w:rPr"))
	p.mark = d.format(run.over(mark), c.dark)
	p.items, p.boxes = c.items, c.boxes
	if p.mark.hidden && len(p.items) == 0 {
		return nil
	}
	if l := d.label(p); l != nil {
		d.addLabel(p, l, run.over(mark), c.dark)
	}
	d.contextual(p, previous, next)
	out := d.lineBoxes(p)
	for _, t := range p.boxes {
		if d.enter() {
			out = append(out, d.blocks(t.kids, in, environment{width: env.width, note: env.note})...)
			d.leave()
		}
	}
	return out
}

// resolveParagraph combines defaults, styles, numbering and the paragraph's own
// properties.
func (d *document) resolveParagraph(n *node, env environment) (*paragraph, runProps) {
	direct := readParaProps(n.child("w:pPr"))
	st := d.styles.paragraph(direct.style)
	base := d.styles.para.over(env.para)
	props := base.over(st.para)
	ownNumber := direct.num != ""
	if u, i := d.nums.find(orString(st.para.num, direct.num), orString(st.para.level, direct.level)); u != nil {
		if props = props.over(u.level(i).para); !ownNumber {
			props = props.over(st.above)
		}
	}
	props = props.over(direct)
	props.style = st.para.style
	p := &paragraph{props: props, width: env.width, rtl: props.bidi == on, need: env.need}
	p.indents()
	return p, d.styles.run.over(env.table).over(st.run)
}

// indents limits the indents so that a readable width remains.
func (p *paragraph) indents() {
	most := max(p.width-minColumn, 0)
	p.start, p.end = p.props.left.points, p.props.right.points
	p.first = p.props.first.points
	if p.start+p.end > most {
		scale := most / (p.start + p.end)
		p.start, p.end = p.start*scale, p.end*scale
	}
	p.start, p.end = max(p.start, -72), max(p.end, -72)
	p.first = min(max(p.first, -p.start-72), max(p.width-p.start-p.end-minColumn, 0))
}

// label counts the paragraph in its list.
func (d *document) label(p *paragraph) *label {
	u, i := d.nums.find(p.props.num, p.props.level)
	if u == nil {
		return nil
	}
	return d.nums.next(u, i)
}

// addLabel puts the label in front of the paragraph's content.
func (d *document) addLabel(p *paragraph, l *label, run runProps, dark bool) {
	run.underline, run.highlight, run.vanish, run.strike = "none", "", off, off
	f := *d.format(run.over(l.run), dark)
	f.hidden = false
	text := printable(symbolText(l.text, f))
	if text == "o" && l.run.font == "Courier New" { // the hollow bullet of Word's lists
		text = "◦"
	}
	if f.caps {
		text = strings.ToUpper(text)
	}
	if text == "" {
		return
	}
	c := &collector{d: d}
	switch l.align {
	case "right", "end":
		c.add(item{kind: skipItem, f: d.intern(f), text: text})
	case "center":
		half := f
		half.size /= 2
		c.add(item{kind: skipItem, f: d.intern(half), text: text})
	}
	f.symbol, f.wingdings, f.caps = false, false, false
	c.text(text, d.intern(f))
	switch l.suffix {
	case "space":
		c.text(" ", d.intern(f))
	case "tab":
		c.add(item{kind: tabItem, f: d.intern(f)})
	}
	p.labelPieces = len(c.items)
	p.items = append(c.items, p.items...)
}

// contextual removes spacing between paragraphs of the same style.
func (d *document) contextual(p *paragraph, previous, next string) {
	auto := points(14)
	if p.props.beforeAuto == on {
		p.props.before = auto
	}
	if p.props.afterAuto == on {
		p.props.after = auto
	}
	if p.props.contextual != on {
		return
	}
	same := func(id string) bool {
		return id != noStyle && d.styles.paragraph(id).para.style == p.props.style
	}
	if same(previous) {
		p.props.before = length{}
	}
	if same(next) {
		p.props.after = length{}
	}
}

func isDark(c colour) bool { return 0.3*c[0]+0.59*c[1]+0.11*c[2] < 0.35 }

// lineBoxes returns a box for every line.
func (d *document) lineBoxes(p *paragraph) []box {
	if len(p.items) == 1 && (p.items[0].kind == pageBreak || p.items[0].kind == columnBreak) {
		kind := p.items[0].kind
		return []box{{pageBreak: kind == pageBreak || p.props.pageBreak == on, columnBreak: kind == columnBreak}}
	}
	lines := d.breakLines(p)
	out := make([]box, 0, len(lines))
	for i := range lines {
		l := &lines[i]
		b := box{height: d.lineHeight(p, l)}
		first, last := i == 0, i == len(lines)-1
		b.draw = func(d *document, x, y float64) { d.drawLine(p, l, x, y, b.height, first, last) }
		if first {
			b.before = max(p.props.before.points, 0)
			b.pageBreak = p.props.pageBreak == on
		} else {
			b.pageBreak = lines[i-1].after == pageBreak
			b.columnBreak = lines[i-1].after == columnBreak
		}
		b.keep = p.keeps(i, len(lines))
		out = append(out, b)
	}
	out[len(out)-1].after = max(p.props.after.points, 0)
	if after := lines[len(lines)-1].after; after == pageBreak || after == columnBreak {
		out[len(out)-1].keep = false
		out = append(out, box{pageBreak: after == pageBreak, columnBreak: after == columnBreak})
	}
	return out
}

// keeps reports whether line i stays on the page of the next line: because its
// paragraph is kept together or with the next, or to avoid widows and orphans.
func (p *paragraph) keeps(i, n int) bool {
	last := i == n-1
	switch {
	case last:
		return p.props.keepNext == on
	case p.props.keepLines == on:
		return true
	case p.props.widow == off:
		return false
	}
	return i == 0 || i == n-2
}

// lineHeight returns how far a line extends above and below its baseline.
func (d *document) lineHeight(p *paragraph, l *line) float64 {
	up, down, pictures := 0.0, 0.0, 0.0
	text := func(f *format) {
		up, down = max(up, f.size*ascent+f.raise), max(down, f.size*descent-f.raise)
	}
	for _, pc := range l.pieces {
		switch {
		case pc.kind != pictureItem:
			text(pc.f)
		case pc.pic.anchor == nil:
			pictures = max(pictures, pc.pic.height)
		}
	}
	if up == 0 && pictures == 0 {
		text(p.mark)
	}
	natural := up + down
	height := natural
	switch value := p.props.line.points; {
	case !p.props.line.set || value <= 0:
	case p.props.lineRule == "exact":
		height = value
	case p.props.lineRule == "atLeast":
		height = max(height, value)
	default:
		height *= min(max(value, 0.5), 20)
	}
	l.below = down
	l.rise = max(height-natural+up, pictures)
	return l.rise + l.below
}
