package markup

import (
	"strings"
	"unicode/utf8"
)

const (
	width  = 120 // of a line, where it can be broken
	indent = "  "
)

// Format lays out a template: a line for each block, two spaces for each level, and tags that
// don't fit into a line with an attribute in each.
func Format(src string) (string, error) {
	nodes, err := parse(src)
	if err != nil {
		return "", err
	}
	var p printer
	p.list(place{left: atBlock, right: atBlock}, nodes, 0)
	lines := strings.Split(strings.TrimSpace(p.out.String()), "\n")
	return strings.Join(lines, "\n") + "\n", nil
}

// gap is the space between two nodes.
type gap int

const (
	none  gap = iota
	blank     // a space that counts
	line      // a line break that counts
	free      // white space that does not count
	empty     // likewise, with an empty line
)

// item is a node after the white space before it.
type item struct {
	at  int
	n   node
	gap gap
}

// items returns the nodes of a list without the white space. The gap before the first, and the
// second result, say what is at its ends.
func items(p place, nodes []node) (all []item, end gap) {
	between := ""
	before := func(i int) gap {
		switch lines := strings.Count(between, "\n"); {
		case p.free(nodes, i) && lines > 1:
			return empty
		case p.free(nodes, i):
			return free
		case lines > 0:
			return line
		case between != "":
			return blank
		}
		return none
	}
	for i, n := range nodes {
		if s, ok := n.(space); ok {
			between += string(s)
			continue
		}
		all = append(all, item{i, n, before(i)})
		between = ""
	}
	return all, before(len(nodes))
}

// printer writes a template.
type printer struct {
	out strings.Builder
	col int
}

func (p *printer) write(s string) {
	p.out.WriteString(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		p.col, s = 0, s[i+1:]
	}
	p.col += utf8.RuneCountInString(s)
}

func (p *printer) newline(level int) {
	p.write("\n" + strings.Repeat(indent, level))
}

func (p *printer) fits(s string) bool { return p.col+utf8.RuneCountInString(s) <= width }

// list writes nodes over several lines.
func (p *printer) list(in place, nodes []node, level int) {
	all, _ := items(in, nodes)
	for i := 0; i < len(all); {
		next := i + 1
		for next < len(all) && all[next].gap == none {
			next++
		}
		chunk, ok := flatItems(in, nodes, all[i:next])
		if i > 0 {
			p.gap(all[i-1], all[i], chunk, ok, level)
		}
		if ok && p.fits(chunk) {
			p.write(chunk)
		} else {
			for _, it := range all[i:next] {
				p.node(in, nodes, it, level)
			}
		}
		i = next
	}
}

// gap writes what separates two chunks.
func (p *printer) gap(last, next item, chunk string, flat bool, level int) {
	switch {
	case next.gap == empty || isDefine(last.n) || isDefine(next.n) && !isSilent2(last.n):
		p.write("\n")
		p.newline(level)
	case next.gap == free || next.gap == line && (!isWord(last.n) || !isWord(next.n)) || !flat || !p.fits(" "+chunk):
		p.newline(level)
	default:
		p.write(" ")
	}
}

func isWord(n node) bool {
	_, ok := n.(word)
	return ok
}

func isSilent2(n node) bool {
	_, ok := n.(silent)
	return ok
}

func isDefine(n node) bool {
	c, ok := n.(control)
	return ok && c.verb == "define"
}

// node writes a node that does not fit into the line.
func (p *printer) node(in place, nodes []node, it item, level int) {
	switch n := it.n.(type) {
	case element:
		p.element(n, level)
	case verbatimElement:
		p.tag(n.tag, level, false)
		p.write(n.rest)
	case control:
		p.control(n, in.within(nodes, it.at), level)
	case output:
		p.action(n.text, level)
	case silent:
		p.action(n.text, level)
	case loose:
		if n.end {
			p.write(n.text)
		} else {
			p.tag(n.tag, level, false)
		}
	case word:
		p.write(string(n))
	}
}

func (p *printer) element(n element, level int) {
	broken := p.tag(n.tag, level, len(n.tag.attrs) > 1 && n.glued() && !p.fits(n.tag.flat()+flatOf(n)))
	if n.void {
		return
	}
	end := "</" + n.tag.name + ">"
	p.body(n.inside(), n.children, broken, level, end)
	p.write(end)
}

// glued reports whether an element can only be broken within its start tag.
func (n element) glued() bool {
	all, end := items(n.inside(), n.children)
	for _, it := range all {
		if it.gap != none {
			return false
		}
	}
	_, ok := flatItems(n.inside(), n.children, all)
	return ok && end == none && !n.void
}

// flatOf writes what is in an element on one line.
func flatOf(n element) string {
	s, _ := flatBody(n.inside(), n.children)
	return s
}

// body writes what stands between two tags or actions, in lines of its own where that is possible.
func (p *printer) body(in place, nodes []node, broken bool, level int, end string) {
	all, last := items(in, nodes)
	if len(all) == 0 {
		p.write(space1(last))
		return
	}
	onLine := all[0].gap == none || last == none
	if one, ok := flatItems(in, nodes, all); ok && p.fits(one+end) && (!broken || onLine) {
		p.write(space1(all[0].gap) + one + space1(last))
		return
	}
	if all[0].gap != none {
		p.newline(level + 1)
	}
	p.list(in, nodes, level+1)
	if last != none {
		p.newline(level)
	}
}

func space1(g gap) string {
	if g == blank || g == line {
		return " "
	}
	return ""
}

func (p *printer) control(c control, in place, level int) {
	for i, b := range c.branches {
		p.action(b.action, level)
		at := in.of(c, i)
		all, end := items(at, b.nodes)
		if len(all) == 0 {
			p.write(space1(end))
			continue
		}
		if all[0].gap != none {
			p.newline(level + 1)
		}
		p.list(at, b.nodes, level+1)
		if end != none {
			p.newline(level)
		}
	}
	p.write(c.end)
}

// action writes an action, over several lines if it is too long.
func (p *printer) action(s string, level int) {
	if len(indent)*level+utf8.RuneCountInString(s) <= width || strings.Contains(s, "/*") {
		p.write(s)
		return
	}
	for i, part := range parts(s) {
		switch {
		case i == 0:
		case p.fits(" " + part):
			part = " " + part
		default:
			p.newline(level + 1)
		}
		p.write(part)
	}
}

// tag writes a start tag, over several lines if it is too long or if that is wanted. It reports
// whether it was.
func (p *printer) tag(t tag, level int, several bool) bool {
	if one := t.flat(); p.fits(one) && !several || len(t.attrs) == 0 {
		p.write(one)
		return false
	}
	p.write("<" + t.name)
	for _, a := range t.attrs {
		p.newline(level + 1)
		p.attr(a, level+1)
	}
	p.newline(level)
	if t.slash {
		p.write("/")
	}
	p.write(">")
	return true
}

func (p *printer) attr(a attr, level int) {
	if a.branches == nil {
		p.write(a.text)
		return
	}
	if one := a.line(); p.fits(one) {
		p.write(one)
		return
	}
	for i, b := range a.branches {
		if i > 0 {
			p.newline(level)
		}
		p.action(b.action, level)
		for _, inner := range b.attrs {
			p.newline(level + 1)
			p.attr(inner, level+1)
		}
	}
}

// line writes an attribute in a line of its own.
func (a attr) line() string {
	if a.branches == nil {
		return a.text
	}
	var out strings.Builder
	for _, b := range a.branches {
		out.WriteString(b.action)
		for i, inner := range b.attrs {
			if i > 0 && inner.branches == nil {
				out.WriteByte(' ')
			}
			if i == 0 {
				out.WriteString(inner.line())
			} else {
				out.WriteString(strings.TrimPrefix(inner.flat(), " "))
			}
		}
	}
	return out.String()
}

// flatItems writes items on one line. It reports false if they should not be.
func flatItems(in place, nodes []node, all []item) (string, bool) {
	var out strings.Builder
	for i, it := range all {
		if i > 0 {
			switch {
			case it.gap == empty || it.gap == free || it.gap == line && (!isWord(all[i-1].n) || !isWord(it.n)):
				return "", false
			case it.gap == blank || it.gap == line:
				out.WriteByte(' ')
			}
		}
		s, ok := flatNode(in, nodes, it)
		if !ok {
			return "", false
		}
		out.WriteString(s)
	}
	return out.String(), true
}

func flatNode(in place, nodes []node, it item) (string, bool) {
	switch n := it.n.(type) {
	case word:
		return string(n), true
	case output:
		return n.text, true
	case silent:
		return n.text, !strings.Contains(n.text, "\n")
	case loose:
		if n.end {
			return n.text, true
		}
		return n.tag.flat(), true
	case verbatimElement:
		s := n.tag.flat() + n.rest
		return s, !strings.Contains(s, "\n")
	case element:
		if n.void {
			return n.tag.flat(), true
		}
		inner, ok := flatBody(n.inside(), n.children)
		return n.tag.flat() + inner + "</" + n.tag.name + ">", ok
	case control:
		return flatControl(n, in.within(nodes, it.at))
	}
	return "", false
}

func flatBody(in place, nodes []node) (string, bool) {
	all, end := items(in, nodes)
	inner, ok := flatItems(in, nodes, all)
	if len(all) > 0 {
		inner = space1(all[0].gap) + inner
	}
	return inner + space1(end), ok
}

func flatControl(c control, in place) (string, bool) {
	if c.verb == "define" || len(c.branches) > 1 && c.hasBlocks() {
		return flatDefine(c, in)
	}
	return flatBranches(c, in)
}

// flatDefine lets only definitions without blocks stand on one line.
func flatDefine(c control, in place) (string, bool) {
	s, ok := flatBranches(c, in)
	return s, ok && !c.hasBlocks()
}

func flatBranches(c control, in place) (string, bool) {
	var out strings.Builder
	for i, b := range c.branches {
		inner, ok := flatBody(in.of(c, i), b.nodes)
		if !ok {
			return "", false
		}
		out.WriteString(b.action + inner)
	}
	return out.String() + c.end, true
}
