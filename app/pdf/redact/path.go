package redact

import "slices"

// A path is a path under construction (ISO 32000-2 §8.5.2).
type path struct {
	parts []part
	clip  string // the clipping operator before the one that paints
}

// A part is a subpath.
type part struct {
	raw []byte
	box Rect // in the user space of the page
}

// pathOperators are the operators that construct paths and paint them, with the number of their operands.
var pathOperators = map[string]int{
	"m": 2, "l": 2, "c": 6, "v": 4, "y": 4, "re": 4, "h": 0, "W": 0, "W*": 0,
	"f": 0, "F": 0, "f*": 0, "B": 0, "B*": 0, "b": 0, "b*": 0, "S": 0, "s": 0, "n": 0,
}

// operator follows the operators of paths and reports whether op is one.
func (p *path) operator(c *content, op string, operands []any, raw []byte) bool {
	count, ok := pathOperators[op]
	if !ok || c.r.textOnly {
		return false
	}
	switch {
	case count > 0:
		p.construct(c, op, last(operands, count), raw)
	case op == "h":
		if n := len(p.parts); n > 0 {
			p.parts[n-1].raw = append(append(p.parts[n-1].raw, raw...), '\n')
		}
	case op == "W" || op == "W*":
		p.clip = op
	default:
		p.paint(c, op)
	}
	return true
}

func (p *path) construct(c *content, op string, n []float64, raw []byte) {
	if n == nil {
		return
	}
	if op == "m" || op == "re" || len(p.parts) == 0 {
		p.parts = append(p.parts, part{box: nowhere})
	}
	if op == "re" {
		n = []float64{n[0], n[1], n[0] + n[2], n[1], n[0], n[1] + n[3], n[0] + n[2], n[1] + n[3]}
	}
	at := &p.parts[len(p.parts)-1]
	for ; len(n) >= 2; n = n[2:] {
		at.box = at.box.with(c.state.ctm.point(n[0], n[1]))
	}
	at.raw = append(append(at.raw, raw...), '\n')
}

// paint writes what remains of the path. Subpaths in a region are left out, and all of it if it is
// painted with a pattern, which may contain anything, there.
func (p *path) paint(c *content, op string) {
	inside := func(x part) bool { return c.covers(x.box) || !x.box.valid() }
	kept := p.parts
	switch {
	case op == "n":
	case c.state.pattern && slices.ContainsFunc(p.parts, func(x part) bool { return c.touches(x.box) }):
		kept = nil
	default:
		kept = slices.DeleteFunc(slices.Clone(p.parts), inside)
	}
	if len(kept) < len(p.parts) {
		c.remove()
		if p.clip != "" { // which needs all of it
			kept, op = p.parts, "n"
		}
	}
	if len(kept) > 0 || len(p.parts) == 0 {
		for _, x := range kept {
			c.out.Write(x.raw)
		}
		if p.clip != "" {
			c.emit([]byte(p.clip))
		}
		c.emit([]byte(op))
	}
	*p = path{}
}
