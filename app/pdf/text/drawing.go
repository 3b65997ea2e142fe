package text

import (
	"math"
	"strconv"
	"unicode/utf8"

	"paraph/app/pdf/object"
)

// A Color is red, green and blue, each from 0 to 1.
type Color struct{ R, G, B float64 }

// black is the zero Color.
var black = Color{}

// A Drawing builds a content stream and records the fonts and pictures it uses.
// Its origin is at the bottom left, y grows upwards.
type Drawing struct {
	set      *Set
	ops      []byte
	fonts    map[*subset]bool
	pictures map[*Picture]bool
	blends   bool // some of it is drawn like a transparency
}

// NewDrawing returns an empty drawing.
func (s *Set) NewDrawing() *Drawing {
	return &Drawing{set: s, fonts: make(map[*subset]bool), pictures: make(map[*Picture]bool)}
}

// Reuse makes an empty drawing write to a buffer that nothing else uses.
func (d *Drawing) Reuse(buffer []byte) { d.ops = buffer[:0] }

// Ops returns the operators drawn so far, uncompressed.
func (d *Drawing) Ops() []byte { return d.ops }

// Resources returns the resource dictionary. The set must have been embedded.
func (d *Drawing) Resources() (object.Dict, error) {
	if !d.set.embedded {
		return nil, ErrNotEmbedded
	}
	r := object.Dict{}
	if len(d.fonts) > 0 {
		fonts := object.Dict{}
		for u := range d.fonts {
			fonts[u.name] = u.ref
		}
		r["Font"] = fonts
	}
	if len(d.pictures) > 0 {
		pictures := object.Dict{}
		for p := range d.pictures {
			pictures[p.name] = p.ref
		}
		r["XObject"] = pictures
	}
	if d.blends {
		r["ExtGState"] = object.Dict{multiply: object.Dict{"Type": object.Name("ExtGState"), "BM": object.Name(multiply)}}
	}
	return r, nil
}

// op appends operands and an operator.
func (d *Drawing) op(operator string, numbers ...float64) {
	for _, n := range numbers {
		d.number(n)
		d.ops = append(d.ops, ' ')
	}
	d.ops = append(d.ops, operator...)
	d.ops = append(d.ops, '\n')
}

// number appends n, rounded to a thousandth. NaN and what is far too large for a page
// become 0.
func (d *Drawing) number(n float64) {
	n = math.Round(n * 1000)
	if !(math.Abs(n) < 1e15) {
		n = 0
	}
	whole, rest := int64(math.Abs(n))/1000, int64(math.Abs(n))%1000
	if n < 0 {
		d.ops = append(d.ops, '-')
	}
	d.ops = strconv.AppendInt(d.ops, whole, 10)
	if rest == 0 {
		return
	}
	d.ops = append(d.ops, '.', '0'+byte(rest/100), '0'+byte(rest/10%10), '0'+byte(rest%10))
	for d.ops[len(d.ops)-1] == '0' {
		d.ops = d.ops[:len(d.ops)-1]
	}
}

// Save saves the graphics state until Restore.
func (d *Drawing) Save() { d.op("q") }

// Restore restores the state of the last Save.
func (d *Drawing) Restore() { d.op("Q") }

// Transform applies the matrix a b c e x y to all later drawing.
func (d *Drawing) Transform(a, b, c, e, x, y float64) { d.op("cm", a, b, c, e, x, y) }

// Clip restricts all later drawing to a rectangle.
func (d *Drawing) Clip(x, y, w, h float64) {
	d.op("re", x, y, w, h)
	d.op("W")
	d.op("n")
}

// Fill sets the colour of text and areas.
func (d *Drawing) Fill(c Color) { d.op("rg", c.R, c.G, c.B) }

// Stroke sets the colour and width of lines.
func (d *Drawing) Stroke(c Color, width float64) {
	d.op("RG", c.R, c.G, c.B)
	d.op("w", width)
}

// multiply names the graphics state that multiplies colours with those beneath.
const multiply = "Multiply"

// Multiply lays all later drawing over what is beneath like a transparency, so that text beneath can
// still be read, until Restore. A set without transparency draws as before.
func (d *Drawing) Multiply() {
	if d.set.Opaque {
		return
	}
	d.blends = true
	d.op("/" + multiply + " gs")
}

// Rect fills a rectangle.
func (d *Drawing) Rect(x, y, w, h float64) {
	d.op("re", x, y, w, h)
	d.op("f")
}

// Frame draws the outline of a rectangle.
func (d *Drawing) Frame(x, y, w, h float64) {
	d.op("re", x, y, w, h)
	d.op("S")
}

// Line draws a straight line.
func (d *Drawing) Line(x1, y1, x2, y2 float64) {
	d.op("m", x1, y1)
	d.op("l", x2, y2)
	d.op("S")
}

// Text shows a run whose baseline starts at x, y.
func (d *Drawing) Text(x, y float64, r Run) {
	if len(r.Glyphs) == 0 || r.Size <= 0 {
		return
	}
	t := textLine{Drawing: d, size: r.Size}
	d.op("BT")
	d.op("Td", x, y)
	for _, g := range r.Glyphs {
		t.glyph(g)
	}
	t.finish()
	d.op("ET")
}

// A textLine shows the glyphs of a line. Positions are in thousandths of the
// font size, like the widths of the font.
type textLine struct {
	*Drawing
	size  float64
	font  *subset
	open  bool    // inside a TJ array
	text  bool    // inside a string
	rise  float64 // points
	pen   float64 // current position of the viewer
	place float64 // position of the next glyph
}

func (t *textLine) glyph(g Glyph) {
	if rise := math.Round(g.Y*1000) / 1000; rise != t.rise {
		t.close()
		t.rise = rise
		t.op("Ts", rise)
	}
	place := t.place + g.X*1000/t.size
	if !g.divided() {
		t.show(g.face, g.shape, place)
	} else {
		for _, sh := range g.divide() {
			t.show(g.face, &sh, place)
			place = t.pen
		}
	}
	t.place += g.Advance * 1000 / t.size
}

// show shows a shape at a place.
func (t *textLine) show(fc *face, sh *shape, place float64) {
	font, code := t.set.code(fc, sh)
	t.use(font)
	t.moveTo(place)
	t.write(code)
	t.pen += fc.sfnt.mille(sh.width)
}

// divided reports whether a glyph is shown as the shapes of divide.
func (g Glyph) divided() bool { return g.rtl && utf8.RuneCountInString(g.text) > 1 }

// divide splits a right-to-left glyph that stands for several characters into
// one shape per character, all but the first blank. Readers reverse such text
// shape by shape and would leave the characters of a single shape in the wrong
// order.
func (g Glyph) divide() []shape {
	runes := []rune(g.text)
	shapes := make([]shape, len(runes))
	for i := range shapes {
		shapes[i] = shape{id: blankGlyph, width: g.width / len(runes), text: string(runes[len(runes)-1-i])}
	}
	shapes[0].id, shapes[0].parts = g.id, g.parts
	return shapes
}

func (t *textLine) use(font *subset) {
	if font == t.font {
		return
	}
	t.close()
	t.font = font
	t.fonts[font] = true
	t.ops = append(t.ops, '/')
	t.ops = append(t.ops, font.name...)
	t.ops = append(t.ops, ' ')
	t.op("Tf", t.size)
}

func (t *textLine) write(code int) {
	if !t.open {
		t.ops = append(t.ops, '[')
		t.open = true
	}
	if !t.text {
		t.ops = append(t.ops, '(')
		t.text = true
	}
	for _, c := range [...]byte{byte(code >> 8), byte(code)} {
		switch c {
		case '(', ')', '\\':
			t.ops = append(t.ops, '\\', c)
		case '\r': // would be read as a line feed
			t.ops = append(t.ops, `\r`...)
		default:
			t.ops = append(t.ops, c)
		}
	}
}

// moveTo adjusts the pen if it is off by a visible distance.
func (t *textLine) moveTo(place float64) {
	back := math.Round((t.pen-place)*10) / 10
	if math.Abs(back) < 0.5 {
		return
	}
	if t.text {
		t.ops = append(t.ops, ')')
		t.text = false
	}
	if !t.open {
		t.ops = append(t.ops, '[')
		t.open = true
	}
	t.number(back)
	t.pen -= back
}

func (t *textLine) close() {
	if t.text {
		t.ops = append(t.ops, ')')
	}
	if t.open {
		t.ops = append(t.ops, "] TJ\n"...)
	}
	t.text, t.open = false, false
}

func (t *textLine) finish() {
	t.close()
	if t.rise != 0 {
		t.op("Ts", 0)
	}
}
