package docx

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
	d.fields = d.fields.ended()
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
