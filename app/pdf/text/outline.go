package text

import (
	"math"
	"strconv"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Outline gives s as an SVG path in a box of width by height, for a preview
// that looks like the PDF. The origin is at the top left, y grows downwards.
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
	fc := o.fonts[g.face]
	if fc == nil {
		fc = font.NewFace(g.face.font)
		o.fonts[g.face] = fc
	}
	shape, ok := fc.GlyphDataOutline(font.GID(g.id))
	if !ok {
		return
	}
	unit := size / float64(g.face.sfnt.upem)
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
	if len(shape.Segments) > 0 {
		o.path = append(o.path, 'Z')
	}
}

func (o *outline) number(n float64) {
	o.path = strconv.AppendFloat(o.path, round(n), 'f', -1, 64)
}

// round keeps two digits; what is no number becomes 0.
func round(n float64) float64 {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return math.Round(n*100)/100 + 0
}
