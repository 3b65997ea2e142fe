package text

import (
	"slices"

	gobidi "github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"

	"paraph/app/linebreak"
)

// A shaper caches shaping state. It is used by one goroutine at a time.
type shaper struct {
	paragraph gobidi.Paragraph
	segments  segmenter.Segmenter
	breaks    linebreak.Finder
	buffer    *harfbuzz.Buffer
	text      []rune
	fonts     map[*face]*harfbuzz.Font
}

func newShaper() *shaper {
	return &shaper{buffer: harfbuzz.NewBuffer(), fonts: make(map[*face]*harfbuzz.Font)}
}

func (sh *shaper) font(fc *face) *harfbuzz.Font {
	f := sh.fonts[fc]
	if f == nil {
		f = harfbuzz.NewFont(font.NewFace(fc.font))
		sh.fonts[fc] = f
	}
	return f
}

// shape returns the glyphs of an item from left to right. Glyph 0 is left out;
// its characters are returned as missing.
func (sh *shaper) shape(text []rune, it item, size float64) (glyphs []Glyph, missing []rune) {
	b := sh.buffer
	b.Clear()
	b.AddRunes(text, it.start, it.end-it.start)
	b.Props = harfbuzz.SegmentProperties{Direction: harfbuzz.LeftToRight, Script: it.script}
	if lang, ok := language.ScriptToLang[it.script]; ok {
		b.Props.Language = lang.Language()
	}
	if it.rtl {
		b.Props.Direction = harfbuzz.RightToLeft
	}
	b.Shape(sh.font(it.face), nil)
	unit := size / float64(it.face.sfnt.upem)
	glyphs = make([]Glyph, 0, len(b.Info))
	for i := 0; i < len(b.Info); {
		n := 1
		for i+n < len(b.Info) && b.Info[i+n].Cluster == b.Info[i].Cluster {
			n++
		}
		from := b.Info[i].Cluster
		part := text[from:clusterEnd(b.Info, i, n, it)]
		if slices.ContainsFunc(b.Info[i:i+n], func(g harfbuzz.GlyphInfo) bool { return g.Glyph == 0 }) {
			missing = append(missing, part...)
		}
		g := group(it.face, part, b.Info[i:i+n], b.Pos[i:i+n], unit)
		g.at, g.rtl = int32(from), it.rtl
		glyphs = append(glyphs, g)
		i += n
	}
	return glyphs, missing
}

// group combines the glyphs that represent the same characters into one Glyph.
func group(fc *face, text []rune, info []harfbuzz.GlyphInfo, pos []harfbuzz.GlyphPosition, unit float64) Glyph {
	if len(info) == 1 && info[0].Glyph != 0 {
		return Glyph{
			Advance: float64(pos[0].XAdvance) * unit,
			X:       float64(pos[0].XOffset) * unit, Y: float64(pos[0].YOffset) * unit,
			face: fc, shape: fc.shape(int(info[0].Glyph), text),
		}
	}
	sh := &shape{parts: make([]part, 0, len(info)), text: string(text)}
	for i, p := range pos {
		if id := int(info[i].Glyph); id != 0 {
			sh.parts = append(sh.parts, part{id, sh.width + int(p.XOffset), int(p.YOffset)})
		}
		sh.width += int(p.XAdvance)
	}
	sh.width = max(0, sh.width)
	return Glyph{Advance: float64(sh.width) * unit, face: fc, shape: sh}
}

// clusterEnd returns where in the text the cluster of info[i:i+n] ends.
func clusterEnd(info []harfbuzz.GlyphInfo, i, n int, it item) int {
	switch {
	case it.rtl && i > 0:
		return info[i-1].Cluster
	case !it.rtl && i+n < len(info):
		return info[i+n].Cluster
	}
	return it.end
}
