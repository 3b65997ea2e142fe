package redact

import (
	"bytes"
	"slices"

	"paraph/app/pdf/object"
)

// A path is a path under construction (ISO 32000-2 §8.5.2).
type path struct {
	parts []part
	clip  string // the clipping operator before the one that paints
}

// A part is a subpath.
type part struct {
	pieces  []piece
	box     Rect // in the user space of the page
	upright bool // it is this box
}

// paints reports what an operator does with a path.
func paints(op string) (fills, strokes bool) {
	switch op[0] {
	case 'f', 'F':
		return true, false
	case 'S', 's':
		return false, true
	case 'B', 'b':
		return true, true
	}
	return false, false
}

// meshed reports whether an operator paints with something that may be a picture and can't be cut.
func (c *content) meshed(op string) bool {
	fills, strokes := paints(op)
	return fills && c.state.patterns[0] != nil || strokes && c.state.patterns[1] != nil
}

// A piece is a line, a curve or a rectangle of a subpath.
type piece struct {
	raw  []byte
	to   [2]float64 // where it ends, in its own user space
	box  Rect       // with where it begins, in the user space of the page
	line bool       // a line or a curve to another point
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
		p.construct(c, op, last(operands, count), c.plain(object.Keyword(op), operands, raw))
	case op == "h":
		if n := len(p.parts); n > 0 {
			p.parts[n-1].pieces = append(p.parts[n-1].pieces, piece{raw: []byte("h\n")})
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
	m := c.state.ctm
	at.upright = op == "re" && (m[1] == 0 && m[2] == 0 || m[0] == 0 && m[3] == 0)
	one := piece{raw: append(bytes.Clone(raw), '\n'), to: [2]float64(n[len(n)-2:]), box: nowhere, line: op != "m" && op != "re"}
	if k := len(at.pieces); k > 0 && one.line {
		one.box = one.box.with(c.state.ctm.point(at.pieces[k-1].to[0], at.pieces[k-1].to[1]))
	}
	for ; len(n) >= 2; n = n[2:] {
		x, y := c.state.ctm.point(n[0], n[1])
		one.box, at.box = one.box.with(x, y), at.box.with(x, y)
	}
	at.pieces = append(at.pieces, one)
}

// paint writes what remains of the path. Subpaths in a region are left out, and all of it if it is
// painted with a pattern, which may contain anything, there. Of others, what lies in a region becomes a
// straight line, which differs from it only there.
func (p *path) paint(c *content, op string) {
	p.fills(c, op)
	fills, strokes := paints(op)
	if fills {
		c.tiled(c.state.tiles[0], p.parts, true)
	}
	if strokes {
		c.tiled(c.state.tiles[1], p.parts, false)
	}
	inside := func(x part) bool { return c.covers(x.box) || !x.box.valid() }
	kept, shown := p.parts, op
	switch {
	case op == "n":
	case c.meshed(op) && slices.ContainsFunc(p.parts, func(x part) bool { return c.touches(x.box) }):
		kept = nil
	default:
		kept = slices.DeleteFunc(slices.Clone(p.parts), inside)
	}
	if len(kept) < len(p.parts) {
		c.remove()
		if p.clip != "" { // which needs all of it
			kept, shown = p.parts, "n"
		}
	}
	if len(kept) > 0 || len(p.parts) == 0 {
		for _, x := range kept {
			x.write(c)
		}
		if p.clip != "" {
			c.emit([]byte(p.clip))
		}
		c.emit([]byte(shown))
	}
	if p.clip != "" {
		around := nowhere
		c.state.unsure = c.state.unsure || len(p.parts) != 1 || !p.parts[0].upright
		for _, x := range p.parts {
			around = around.with(x.box[0], x.box[1]).with(x.box[2], x.box[3])
		}
		c.state.clip = c.state.clip.within(around)
	}
	*p = path{}
}

// write writes a subpath. Lines and curves in the same region, one after the other, become one line.
func (x part) write(c *content) {
	touched := c.touches(x.box)
	for i := 0; i < len(x.pieces); i++ {
		n := 0
		if touched {
			n = c.hidden(x.pieces[i:])
		}
		if n == 0 || n == 1 && bytes.HasSuffix(x.pieces[i].raw, []byte(" l\n")) {
			c.out.Write(x.pieces[i].raw)
			continue
		}
		i += n - 1
		c.write("l", x.pieces[i].to[0], x.pieces[i].to[1])
		c.remove()
	}
}

// hidden returns how many lines and curves lie one after the other in one of the regions.
func (c *content) hidden(pieces []piece) (most int) {
	for _, r := range c.regions {
		n := 0
		for n < len(pieces) && pieces[n].line && r.contains(pieces[n].box) {
			n++
		}
		most = max(most, n)
	}
	return most
}
