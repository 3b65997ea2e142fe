package docx

import "slices"

// tabStop is a position that a tab advances to.
type tabStop struct {
	at     float64
	kind   string // left, right, center, decimal, clear, bar
	leader string
}

// edges are the borders around a paragraph, table or cell.
type edges struct{ top, left, bottom, right, insideH, insideV border }

func (e edges) over(o edges) edges {
	return edges{
		e.top.or(o.top), e.left.or(o.left), e.bottom.or(o.bottom), e.right.or(o.right),
		e.insideH.or(o.insideH), e.insideV.or(o.insideV),
	}
}

func readEdges(n *node) edges {
	return edges{
		top: readBorder(n.child("w:top")), bottom: readBorder(n.child("w:bottom")),
		left:    readBorder(n.child("w:left")).or(readBorder(n.child("w:start"))),
		right:   readBorder(n.child("w:right")).or(readBorder(n.child("w:end"))),
		insideH: readBorder(n.child("w:insideH")), insideV: readBorder(n.child("w:insideV")),
	}
}

// paraProps are paragraph properties set at one level.
type paraProps struct {
	style, align                                            string
	left, right, first                                      length // first is negative for a hanging indent
	before, after                                           length
	beforeAuto, afterAuto                                   toggle
	line                                                    length // points, or lines if lineRule is auto
	lineRule                                                string
	contextual, keepNext, keepLines, pageBreak, widow, bidi toggle
	num                                                     string // numId, "0" removes a style's
	level                                                   string
	tabs                                                    []tabStop
	borders                                                 edges
	shade                                                   *colour
}

func (p paraProps) over(o paraProps) paraProps {
	p.style, p.align = orString(p.style, o.style), orString(p.align, o.align)
	p.left, p.right, p.first = p.left.or(o.left), p.right.or(o.right), p.first.or(o.first)
	p.before, p.after = p.before.or(o.before), p.after.or(o.after)
	p.beforeAuto, p.afterAuto = p.beforeAuto.or(o.beforeAuto), p.afterAuto.or(o.afterAuto)
	if o.line.set {
		p.line, p.lineRule = o.line, o.lineRule
	}
	p.contextual, p.keepNext, p.keepLines = p.contextual.or(o.contextual), p.keepNext.or(o.keepNext), p.keepLines.or(o.keepLines)
	p.pageBreak, p.widow, p.bidi = p.pageBreak.or(o.pageBreak), p.widow.or(o.widow), p.bidi.or(o.bidi)
	p.num, p.level = orString(p.num, o.num), orString(p.level, o.level)
	p.tabs = mergeTabs(p.tabs, o.tabs)
	p.borders = p.borders.over(o.borders)
	if o.shade != nil {
		p.shade = o.shade
	}
	return p
}

// mergeTabs adds stops; one at the same position replaces the other, "clear"
// removes it.
func mergeTabs(tabs, more []tabStop) []tabStop {
	if len(more) == 0 {
		return tabs
	}
	out := slices.Clone(tabs)
	for _, t := range more {
		out = slices.DeleteFunc(out, func(o tabStop) bool { return o.at > t.at-1 && o.at < t.at+1 })
		if t.kind != "clear" && t.kind != "bar" {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b tabStop) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return out
}

func readParaProps(n *node) paraProps {
	var p paraProps
	if n == nil {
		return p
	}
	for _, k := range n.kids {
		switch k.name {
		case "w:pStyle":
			p.style = k.val()
		case "w:jc":
			p.align = k.val()
		case "w:ind":
			p.readIndent(k)
		case "w:spacing":
			p.readSpacing(k)
		case "w:numPr":
			p.num, p.level = k.child("w:numId").val(), k.child("w:ilvl").val()
		case "w:tabs":
			p.tabs = readTabs(k)
		case "w:pBdr":
			p.borders = readEdges(k)
		case "w:shd":
			if c, ok := shade(k); ok {
				p.shade = &c
			}
		default:
			p.readToggles(k)
		}
	}
	return p
}

func (p *paraProps) readToggles(k *node) {
	switch k.name {
	case "w:contextualSpacing":
		p.contextual = readToggle(k)
	case "w:keepNext":
		p.keepNext = readToggle(k)
	case "w:keepLines":
		p.keepLines = readToggle(k)
	case "w:pageBreakBefore":
		p.pageBreak = readToggle(k)
	case "w:widowControl":
		p.widow = readToggle(k)
	case "w:bidi":
		p.bidi = readToggle(k)
	}
}

// readIndent reads the indents; left and right mean start and end in a
// right-to-left paragraph.
func (p *paraProps) readIndent(k *node) {
	p.left = twips(k.attr("w:left")).or(twips(k.attr("w:start")))
	p.right = twips(k.attr("w:right")).or(twips(k.attr("w:end")))
	p.first = twips(k.attr("w:firstLine"))
	if h := twips(k.attr("w:hanging")); h.set {
		p.first = points(-h.points)
	}
}

func (p *paraProps) readSpacing(k *node) {
	p.before, p.after = twips(k.attr("w:before")), twips(k.attr("w:after"))
	p.beforeAuto, p.afterAuto = readFlag(k.attr("w:beforeAutospacing")), readFlag(k.attr("w:afterAutospacing"))
	if line := k.attr("w:line"); line != "" {
		p.lineRule = orString("auto", k.attr("w:lineRule"))
		if p.lineRule == "auto" {
			p.line = measure(line, 1.0/240)
		} else {
			p.line = twips(line)
		}
	}
}

func readFlag(s string) toggle {
	switch s {
	case "":
		return unset
	case "0", "false", "off":
		return off
	}
	return on
}

func readTabs(n *node) (tabs []tabStop) {
	for _, k := range n.kids {
		if at := twips(k.attr("w:pos")); at.set && len(tabs) < 64 {
			tabs = append(tabs, tabStop{at.points, k.val(), k.attr("w:leader")})
		}
	}
	return tabs
}
