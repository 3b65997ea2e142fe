package redact

import (
	"cmp"
	"slices"

	"paraph/app/pdf/object"
)

// A position is where text is drawn.
type position struct {
	line, next matrix // of the start of the line and of the next character
	lost       bool   // next is not known, but its line is

	// Once something was removed from a text object, only where text begins that is kept is written: the places
	// of what was removed, one by one, would tell its characters by their widths.
	sparing bool
	moved   bool    // the line is another one than was written last
	gap     float64 // before the next character, in units of the text
}

func (p *position) reset() { *p = position{line: identity, next: identity} }

// to begins a line.
func (p *position) to(m matrix) { *p = position{line: m, next: m, sparing: p.sparing, moved: true} }

// textOperator follows the operators of text and reports whether op is one.
func (c *content) textOperator(op string, operands []any, raw []byte) bool {
	switch op {
	case "Tj", "TJ", "'", "\"":
		c.show(op, operands, raw)
		return true
	case "BT":
		c.text.reset()
	case "Tf":
		c.setFont(operands)
	case "Td", "TD", "Tm", "T*":
		c.move(op, operands)
		if c.text.sparing {
			if op == "TD" {
				c.write("TL", c.state.leading)
			}
			return true
		}
	case "Tc", "Tw", "Tz", "TL", "Ts":
		c.setText(op, operands)
	case "Tr":
		const clips = 4 // and above: what follows is seen only in the letters
		if n := last(operands, 1); n != nil && n[0] >= clips {
			c.state.unsure = true
		}
	case "ET":
	default:
		return false
	}
	c.keep(object.Keyword(op), operands, raw)
	return true
}

func (c *content) setFont(operands []any) {
	if len(operands) < 2 {
		return
	}
	n, _ := operands[len(operands)-2].(name)
	f, known := c.fonts[n]
	if !known {
		f = c.r.font(c.resource("Font", n))
		c.fonts[n] = f
	}
	c.state.font = f
	c.state.size, _ = object.Float(lastOf(operands))
}

func (c *content) setText(op string, operands []any) {
	n := last(operands, 1)
	if n == nil {
		return
	}
	switch op {
	case "Tc":
		c.state.charSpace = n[0]
	case "Tw":
		c.state.wordSpace = n[0]
	case "Tz":
		c.state.scale = n[0] / 100
	case "TL":
		c.state.leading = n[0]
	case "Ts":
		c.state.rise = n[0]
	}
}

func (c *content) move(op string, operands []any) {
	switch op {
	case "Tm":
		if n := last(operands, 6); n != nil {
			c.text.to(matrix(n))
		}
	case "T*":
		c.text.to(c.text.line.moved(0, -c.state.leading))
	default:
		if n := last(operands, 2); n != nil {
			if op == "TD" {
				c.state.leading = -n[1]
			}
			c.text.to(c.text.line.moved(n[0], n[1]))
		}
	}
}

// show follows an operator that shows strings and writes what remains of them.
func (c *content) show(op string, operands []any, raw []byte) {
	begin := func() {}
	switch op {
	case "\"":
		if len(operands) >= 3 {
			if n := last(operands[:len(operands)-1], 2); n != nil {
				c.state.wordSpace, c.state.charSpace = n[0], n[1]
			}
		}
		fallthrough
	case "'":
		c.text.to(c.text.line.moved(0, -c.state.leading))
		begin = func() {
			if op == "\"" {
				c.write("Tw", c.state.wordSpace)
				c.write("Tc", c.state.charSpace)
			}
			if !c.text.sparing {
				c.write("T*")
			}
		}
	}
	items, ok := lastOf(operands).(array)
	if !ok {
		items = array{lastOf(operands)}
	}
	shown := showing{content: c, move: c.text.gap / c.unit()}
	for _, v := range items {
		shown.item(v)
	}
	if !shown.removed && !c.text.sparing {
		c.keep(object.Keyword(op), operands, raw)
		return
	}
	if shown.removed {
		c.remove()
	}
	begin()
	c.text.moved = c.text.moved && c.text.sparing // otherwise the line is written
	out := shown.rest()
	c.text.gap = shown.move * c.unit()
	if len(out) > 0 {
		if c.text.moved {
			m := c.text.line
			c.write("Tm", m[0], m[1], m[2], m[3], m[4], m[5])
		}
		c.text.moved = false
		c.write("TJ", out)
	}
	c.text.sparing = true
}

// unit is what a move of TJ by one is in units of the text.
func (c *content) unit() float64 {
	unit := -c.state.size / 1000
	if f := c.state.font; f == nil || !f.vertical {
		unit *= c.state.scale
	}
	return cmp.Or(unit, 1)
}

// showing is a list of strings and moves that is being shown.
type showing struct {
	*content
	kept    array
	text    object.String // the string that is being kept
	move    float64       // before the next character, as in TJ
	removed bool
}

// item shows a string, or moves.
func (s *showing) item(v any) {
	switch x := v.(type) {
	case object.String:
		s.string(x)
	default:
		n, ok := object.Float(v)
		if !ok {
			return
		}
		s.skip(n)
		s.advance(-n / 1000 * s.state.size)
	}
}

// advance moves to the next character.
func (s *showing) advance(by float64) {
	if f := s.state.font; f != nil && f.vertical {
		s.content.text.next = s.content.text.next.moved(0, by)
		return
	}
	s.content.text.next = s.content.text.next.moved(by*s.state.scale, 0)
}

// skip keeps a move.
func (s *showing) skip(n float64) {
	if len(s.text) > 0 {
		s.kept, s.text = append(s.kept, s.text), nil
	}
	s.move += n
}

func (s *showing) string(x object.String) {
	if s.state.font == nil || s.state.font.unplaced {
		s.content.text.lost = true
	}
	for len(x) > 0 {
		if s.content.text.lost {
			s.rough(x)
			return
		}
		g, ok := s.state.font.next(x)
		if !ok {
			s.content.text.lost = true
			continue
		}
		s.glyph(x[:g.length], g)
		x = x[g.length:]
	}
}

func (s *showing) glyph(code object.String, g glyph) {
	by := g.advance*s.state.size + s.state.charSpace
	if g.space {
		by += s.state.wordSpace
	}
	box := s.shown().rect(g.box)
	if !s.state.white || s.state.font.drawn != nil {
		s.draws(box)
	}
	hit := s.hit(box)
	s.note(code, hit)
	for _, t := range s.state.tiles {
		if t != nil && !hit {
			t.drawn.cells += 2 // in letters, many of them
		}
	}
	if hit {
		s.removed = true
		if s.state.size != 0 {
			s.skip(-by / s.state.size * 1000)
		}
	} else {
		s.keep(code)
	}
	s.advance(by)
}

// shown returns the transformation of characters to the user space of the page.
func (c *content) shown() matrix {
	s := c.state
	return matrix{s.size * s.scale, 0, 0, s.size, 0, s.rise}.times(c.text.next).times(s.ctm)
}

// keep keeps characters of a string.
func (s *showing) keep(code object.String) {
	if s.move != 0 {
		s.kept, s.move = append(s.kept, s.move), 0
	}
	s.text = append(s.text, code...)
}

// rough removes a string of which it isn't known how far it reaches, if a region is on its line.
func (s *showing) rough(x object.String) {
	s.draws(everywhere)
	removed := s.onLine()
	s.spell(x, removed)
	if removed {
		s.removed = true
		return
	}
	s.keep(x)
}

// spell notes the characters of a string of which it isn't known how far it reaches.
func (s *showing) spell(x object.String, removed bool) {
	f := s.state.font
	if f == nil {
		return
	}
	for len(x) > 0 {
		n, ok := f.length(x)
		if !ok {
			s.r.blur(f, removed)
			return
		}
		s.note(x[:n], removed)
		x = x[n:]
	}
}

// note notes that a character is removed or kept.
func (s *showing) note(code object.String, removed bool) {
	if removed {
		if s.r.visit != nil {
			s.r.visit(s.state.font.source, code)
		}
		s.hide(code)
	}
	s.r.letter(s.state.font, code, removed)
}

// onLine reports whether one of the regions is on the line of text, however long.
func (c *content) onLine() bool {
	if c.r.looking {
		return false
	}
	m := c.shown()
	back, ok := m.inverse()
	if !ok {
		return true
	}
	line := Rect{-1e9, 2 * descent, 1e9, 1 - descent}
	if f := c.state.font; f != nil && f.vertical {
		line = Rect{-1, -1e9, 1, 1e9}
	}
	return slices.ContainsFunc(c.regions, func(r Rect) bool {
		box := back.rect(r)
		return !box.valid() || line.overlaps(box)
	})
}

// rest returns what is kept, without the move after it.
func (s *showing) rest() array {
	if len(s.text) > 0 {
		s.kept = append(s.kept, s.text)
	}
	return s.kept
}
