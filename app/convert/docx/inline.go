package docx

// item is a piece of a paragraph's content.
type item struct {
	kind  itemKind
	f     *format
	text  string   // of text; the kind of a field
	pic   *picture // of a picture
	shape rune     // of a drawn sign
}

type itemKind uint8

const (
	textItem itemKind = iota
	tabItem
	lineBreak
	pageBreak
	columnBreak
	pictureItem
	fieldItem // PAGE and similar fields, named by text
	shapeItem
	skipItem // moves left by the width of text, for labels
)

// collector reads the content of one paragraph.
type collector struct {
	d     *document
	part  *part
	base  runProps // of the paragraph
	dark  bool     // on a dark background
	note  string   // the number shown for w:footnoteRef
	items []item
	boxes []*node // w:txbxContent found on the way
}

// content walks over everything that may contain runs. Unknown wrappers are
// searched too: an element that a newer program or a careless generator puts
// around a run must not remove words from a contract.
func (c *collector) content(n *node) {
	for _, k := range n.kids {
		switch k.name {
		case "w:r":
			c.run(k)
		case "w:ins", "w:moveTo":
			c.d.findings.add("tracked_changes")
			c.content(k)
		case "w:del", "w:moveFrom":
			c.d.findings.add("tracked_changes")
		case "w:fldSimple":
			c.simpleField(k)
		case "mc:AlternateContent":
			c.content(alternative(k))
		case "m:oMath", "m:oMathPara":
			c.equation(k)
		case "w:p": // invalid here, but template engines write it
			c.nestedParagraph(k)
		default:
			c.content(k)
		}
	}
}

// nestedParagraph puts the text of a paragraph inside another on a line of its own.
func (c *collector) nestedParagraph(k *node) {
	if len(c.items) > 0 {
		c.add(item{kind: lineBreak, f: c.d.format(c.base, c.dark)})
	}
	c.content(k)
}

// alternative chooses between content for newer and for older programs.
func alternative(n *node) *node {
	choice, fallback := n.child("mc:Choice"), n.child("mc:Fallback")
	switch {
	case choice == nil && fallback == nil:
		return &node{}
	case choice == nil:
		return fallback
	case fallback == nil || choice.find("pic:pic") != nil || choice.find("w:t") != nil:
		return choice
	case fallback.find("pic:pic") != nil || fallback.find("v:imagedata") != nil || fallback.find("w:t") != nil:
		return fallback
	}
	return choice
}

func (c *collector) props(rPr *node) runProps {
	direct := readRunProps(rPr)
	p := c.base
	if direct.style != "" {
		p = p.toggled(c.d.styles.character(direct.style))
	}
	return p.over(direct)
}

func (c *collector) run(r *node) {
	rPr := r.child("w:rPr")
	f := c.d.format(c.props(rPr), c.dark)
	if f.hidden && r.child("w:fldChar") == nil {
		if r.child("w:t") != nil {
			c.d.findings.add("hidden_text")
		}
		return
	}
	c.runContent(r, f)
}

func (c *collector) runContent(r *node, f *format) {
	for _, k := range r.kids {
		switch k.name {
		case "w:fldChar":
			c.fieldChar(k, f)
			continue
		case "w:instrText":
			c.d.fields.instruct(k.text)
			continue
		}
		if c.d.fields.hidesContent() {
			continue
		}
		c.runChild(k, f)
	}
}

func (c *collector) runChild(k *node, f *format) {
	switch k.name {
	case "w:t":
		if k.text != "" {
			c.d.fields.show()
		}
		c.text(k.runText(), f)
	case "w:tab", "w:ptab":
		c.add(item{kind: tabItem, f: f})
	case "w:br":
		c.add(item{kind: breakKind(k.attr("w:type")), f: f})
	case "w:cr":
		c.add(item{kind: lineBreak, f: f})
	case "w:noBreakHyphen":
		c.text("\u2011", f)
	case "w:sym":
		c.symbol(k, f)
	case "w:pgNum":
		c.add(item{kind: fieldItem, f: f, text: "PAGE"})
	case "w:footnoteReference", "w:endnoteReference":
		c.noteReference(k, f)
	case "w:footnoteRef", "w:endnoteRef":
		c.text(c.note, f)
	case "w:ruby":
		c.ruby(k, f)
	case "w:commentReference":
		c.d.findings.add("comments")
	case "mc:AlternateContent":
		c.runContent(alternative(k), f)
	default:
		c.graphic(k, f)
	}
}

func breakKind(s string) itemKind {
	switch s {
	case "page":
		return pageBreak
	case "column":
		return columnBreak
	}
	return lineBreak
}

func (c *collector) add(i item) {
	c.items = append(c.items, i)
	c.d.computed = c.d.computed || i.kind == fieldItem
}
