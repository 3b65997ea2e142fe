package markup

import "strings"

// edge says what may stand on one side of a place in a template. White space beside the edge of
// a block is never shown, so it may be added and removed there.
type edge struct {
	block  bool // an edge of a block may stand there
	inline bool // something else may
	empty  bool // the part may write nothing, so that what comes after it counts as well
}

func (e edge) or(other edge) edge {
	return edge{e.block || other.block, e.inline || other.inline, e.empty || other.empty}
}

// free reports whether nothing but an edge of a block can stand there.
func (e edge) free() bool { return e.block && !e.inline }

var (
	atBlock  = edge{block: true}
	atInline = edge{inline: true}
	nothing  = edge{empty: true}
)

// blocks lists the elements whose outer and inner edges swallow white space.
var blocks = set("address", "article", "aside", "blockquote", "body", "br", "caption", "center", "col", "colgroup", "datalist", "dd", "details",
	"dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
	"head", "header", "hgroup", "hr", "html", "legend", "li", "link", "main", "meta", "nav", "ol", "optgroup", "option", "p",
	"pre", "script", "search", "section", "style", "summary", "table", "tbody", "td", "template", "tfoot", "th", "thead",
	"title", "tr", "ul")

// cells lists the elements that stand in a line as one character does, and lay out what they hold.
var cells = set("button", "select", "canvas", "video")

// boxes lists classes that the style sheets make flexible boxes or grids: white space beside their
// children is never shown.
var boxes = set("bar", "brand", "btn", "cells", "check", "chip", "copyline", "error", "filters", "foot", "grid", "named",
	"notice", "pair", "put", "row", "savebar", "tabs", "tile", "tools", "top-in", "verdict")

// components says what the components write that stand in the most places.
var components = map[string]edge{"csrf": nothing, "field": atBlock, "errors": atBlock.or(nothing)}

// hidden reports whether the tag is that of an input which is never shown.
func (t tag) hidden() bool {
	if t.name != "input" {
		return false
	}
	for _, a := range t.attrs {
		if a.text == `type="hidden"` {
			return true
		}
	}
	return false
}

// place describes what surrounds a list of nodes.
type place struct {
	left, right edge
	boxed       bool // the parent is a box
}

// inside returns the place within an element.
func (e element) inside() place {
	p := place{left: atInline, right: atInline}
	if blocks[e.tag.name] || cells[e.tag.name] {
		p.left, p.right = atBlock, atBlock
	}
	for _, name := range e.tag.classes() {
		if boxes[name] {
			return place{atBlock, atBlock, true}
		}
	}
	return p
}

// first returns what a node may begin with.
func (p place) first(n node) edge { return p.side(n, first) }

// last returns what a node may end with.
func (p place) last(n node) edge { return p.side(n, last) }

func (p place) side(n node, of func(place, []node) edge) edge {
	switch n := n.(type) {
	case silent, space:
		return nothing
	case element:
		if n.tag.hidden() {
			return nothing
		}
		if p.boxed || blocks[n.tag.name] {
			return atBlock
		}
	case verbatimElement:
		if p.boxed || blocks[n.tag.name] {
			return atBlock
		}
	case loose:
		if blocks[n.tag.name] {
			return atBlock
		}
	case control:
		return n.side(p, of)
	case output:
		return p.written(n)
	}
	return atInline
}

// written returns what an action may write. Within a box, components are taken for elements.
func (p place) written(n output) edge {
	if verb(n.text) != "template" {
		return atInline
	}
	_, name, _ := strings.Cut(n.text, `"`)
	name, _, _ = strings.Cut(name, `"`)
	if e, ok := components[name]; ok {
		return e
	}
	if p.boxed {
		return atBlock
	}
	return atInline
}

func (c control) side(p place, of func(place, []node) edge) edge {
	if c.verb == "define" {
		return atBlock
	}
	var e edge
	for _, b := range c.branches {
		e = e.or(of(p, b.nodes))
	}
	if !c.exhaustive() {
		e.empty = true
	}
	return e
}

// exhaustive reports whether one of the branches is always taken.
func (c control) exhaustive() bool {
	action := strings.Trim(c.branches[len(c.branches)-1].action, "{-} ")
	return action == "else"
}

// first returns what a list may begin with.
func first(p place, nodes []node) edge {
	for i, n := range nodes {
		if e := p.first(n); !e.empty {
			return e
		} else if e.block || e.inline {
			rest := first(p, nodes[i+1:])
			return edge{e.block || rest.block, e.inline || rest.inline, rest.empty}
		}
	}
	return nothing
}

// last returns what a list may end with.
func last(p place, nodes []node) edge {
	for i := len(nodes) - 1; i >= 0; i-- {
		if e := p.last(nodes[i]); !e.empty {
			return e
		} else if e.block || e.inline {
			rest := last(p, nodes[:i])
			return edge{e.block || rest.block, e.inline || rest.inline, rest.empty}
		}
	}
	return nothing
}

// before returns what may stand before the i-th node of a list.
func (p place) before(nodes []node, i int) edge {
	e := last(p, nodes[:i])
	if !e.empty {
		return e
	}
	return edge{e.block || p.left.block, e.inline || p.left.inline, false}
}

// after returns what may stand at and after the i-th node of a list.
func (p place) after(nodes []node, i int) edge {
	e := first(p, nodes[i:])
	if !e.empty {
		return e
	}
	return edge{e.block || p.right.block, e.inline || p.right.inline, false}
}

// of returns the place of a branch, whose actions may trim white space.
func (p place) of(c control, i int) place {
	if strings.HasSuffix(c.branches[i].action, "-}}") {
		p.left = atBlock
	}
	next := c.end
	if i+1 < len(c.branches) {
		next = c.branches[i+1].action
	}
	if strings.HasPrefix(next, "{{-") {
		p.right = atBlock
	}
	return p
}

// within returns the place of the branches of the i-th node of a list.
func (p place) within(nodes []node, i int) place {
	c := nodes[i].(control)
	if c.verb == "define" {
		if c.hasBlocks() {
			return place{left: atBlock, right: atBlock}
		}
		return place{left: atInline, right: atInline}
	}
	in := place{p.before(nodes, i), p.after(nodes, i+1), p.boxed}
	if c.verb == "range" {
		in.left = in.left.or(p.repeated(c, last))
		in.right = in.right.or(p.repeated(c, first))
		in.left.empty, in.right.empty = false, false
	}
	return in
}

// repeated returns what the other turns of a range may put beside one.
func (p place) repeated(c control, of func(place, []node) edge) edge {
	return of(p, c.branches[0].nodes)
}

// hasBlocks reports whether a block may be among what a node writes.
func (c control) hasBlocks() bool {
	for _, b := range c.branches {
		for _, n := range b.nodes {
			switch n := n.(type) {
			case control:
				if n.hasBlocks() {
					return true
				}
			case element:
				if blocks[n.tag.name] {
					return true
				}
			case verbatimElement:
				if blocks[n.tag.name] {
					return true
				}
			case loose:
				if blocks[n.tag.name] {
					return true
				}
			}
		}
	}
	return false
}

// free reports whether white space before the i-th node of a list is never shown.
func (p place) free(nodes []node, i int) bool {
	return p.before(nodes, i).free() || p.after(nodes, i).free() || trimmed(nodes, i)
}

// trimmed reports whether a trim marker removes white space there.
func trimmed(nodes []node, i int) bool {
	end := i - 1
	for end >= 0 {
		if _, ok := nodes[end].(space); !ok {
			break
		}
		end--
	}
	for i < len(nodes) {
		if _, ok := nodes[i].(space); !ok {
			break
		}
		i++
	}
	return end >= 0 && strings.HasSuffix(lastAction(nodes[end]), "-}}") || i < len(nodes) && strings.HasPrefix(firstAction(nodes[i]), "{{-")
}

func firstAction(n node) string {
	switch n := n.(type) {
	case output:
		return n.text
	case silent:
		return n.text
	case control:
		return n.branches[0].action
	}
	return ""
}

func lastAction(n node) string {
	switch n := n.(type) {
	case output:
		return n.text
	case silent:
		return n.text
	case control:
		return n.end
	}
	return ""
}
