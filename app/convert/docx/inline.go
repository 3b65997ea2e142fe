package docx

import (
	"strings"
	"unicode"
)

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
	fieldItem // PAGE and the like, named by text
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
			c.d.instruction(k.text)
			continue
		}
		if c.d.inInstruction() {
			continue
		}
		c.runChild(k, f)
	}
}

func (c *collector) runChild(k *node, f *format) {
	switch k.name {
	case "w:t":
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

// text adds characters, capitalized if the format says so, and splits off tabs
// and drawn signs.
func (c *collector) text(s string, f *format) {
	s = symbolText(s, *f)
	if f.caps {
		s = strings.ToUpper(s)
	}
	start := 0
	flush := func(end int) {
		if t := printable(s[start:end]); t != "" {
			c.letters(t, f)
		}
	}
	for i, r := range s {
		if r != '\t' && !isDrawn(r) {
			continue
		}
		flush(i)
		start = i + len(string(r))
		if r == '\t' {
			c.add(item{kind: tabItem, f: f})
		} else {
			c.add(item{kind: shapeItem, f: f, shape: r})
		}
	}
	flush(len(s))
}

// letters adds text; small capitals take two sizes.
func (c *collector) letters(s string, f *format) {
	if !f.smallCaps || f.caps {
		c.add(item{f: f, text: s})
		return
	}
	small := *f
	small.size *= 0.8
	for s != "" {
		end := strings.IndexFunc(s, unicode.IsLower)
		if end < 0 {
			end = len(s)
		}
		if end > 0 {
			c.add(item{f: f, text: s[:end]})
		}
		s = s[end:]
		if end = strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLower(r) }); end < 0 {
			end = len(s)
		}
		if end > 0 {
			c.add(item{f: c.d.intern(small), text: strings.ToUpper(s[:end])})
		}
		s = s[end:]
	}
}

// printable drops invisible characters: controls and soft hyphens.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r), r == '\u00AD', r == '\uFFFC', r == '\uFEFF':
			return -1
		}
		return r
	}, s)
}

func (c *collector) symbol(k *node, f *format) {
	code, ok := hex(k.attr("w:char"))
	if !ok {
		return
	}
	g := *f
	font := k.attr("w:font")
	g.symbol, g.wingdings = font == "Symbol", isWingdings(font)
	c.text(symbolRune(code, g), f)
}

func hex(s string) (rune, bool) {
	v := rune(0)
	for _, r := range strings.ToLower(s) {
		i := strings.IndexRune("0123456789abcdef", r)
		if i < 0 || v > 0xFFFF {
			return 0, false
		}
		v = v<<4 | rune(i)
	}
	return v, s != "" && unicode.IsPrint(v) || isPrivate(v)
}

// ruby shows a reading aid in parentheses after its characters (§17.3.3.25).
func (c *collector) ruby(k *node, f *format) {
	c.d.findings.add("ruby")
	if base := k.child("w:rubyBase"); base != nil {
		c.content(base)
	}
	if reading := k.child("w:rt"); reading != nil && reading.find("w:t") != nil {
		c.text("(", f)
		c.content(reading)
		c.text(")", f)
	}
}

// equation shows the text of an equation in a row.
func (c *collector) equation(k *node) {
	c.d.findings.add("equation")
	f := c.d.format(c.base, c.dark)
	k.each("m:t", func(t *node) { c.text(t.text, f) })
}
