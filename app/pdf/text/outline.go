package text

import (
	"math"
	"strconv"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Outline returns s as an SVG path with the size of its box, for a preview that
// looks like the PDF. The origin is at the top left, y grows downwards.
func (f *Fonts) Outline(style Style, size float64, s string) (path string, width, height float64) {
	r := f.Layout(style, size, s)
	o := outline{fonts: make(map[*face]*font.Face)}
	x := 0.0
	for _, g := range r.Glyphs {
		o.glyph(g, x+g.X, r.Ascent-g.Y, size)
		x += g.Advance
	}
	return string(o.path), r.Width, r.Height()
}

type outline struct {
	fonts map[*face]*font.Face
	path  []byte
}

func (o *outline) glyph(g Glyph, x, y, size float64) {
	unit := size / float64(g.face.sfnt.upem)
	if g.parts == nil {
		o.part(g.face, g.id, x, y, unit)
	}
	for _, p := range g.parts {
		o.part(g.face, p.id, x+float64(p.x)*unit, y-float64(p.y)*unit, unit)
	}
}

func (o *outline) part(face *face, id int, x, y, unit float64) {
	fc := o.fonts[face]
	if fc == nil {
		fc = font.NewFace(face.font)
		o.fonts[face] = fc
	}
	shape, ok := fc.GlyphDataOutline(font.GID(id))
	if !ok || len(shape.Segments) == 0 {
		return
	}
	for i, s := range shape.Segments {
		if s.Op == opentype.SegmentOpMoveTo && i > 0 {
			o.path = append(o.path, 'Z')
		}
		o.path = append(o.path, "MLQC"[s.Op])
		for k, p := range s.ArgsSlice() {
			if k > 0 {
				o.path = append(o.path, ' ')
			}
			o.number(x + float64(p.X)*unit)
			o.path = append(o.path, ' ')
			o.number(y - float64(p.Y)*unit)
		}
	}
	o.path = append(o.path, 'Z')
}

func (o *outline) number(n float64) {
	o.path = strconv.AppendFloat(o.path, round(n), 'f', -1, 64)
}

// round rounds to two decimals; NaN and infinities become 0.
func round(n float64) float64 {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return math.Round(n*100)/100 + 0
}
