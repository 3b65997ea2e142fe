package text

import (
	"fmt"
	"slices"
	"unicode"

	"github.com/go-text/typesetting/language"
)

// A Glyph is one shape to draw. Letters with their marks, and other groups that
// represent one text, are a single Glyph.
type Glyph struct {
	Advance float64 // to the next glyph, points
	X, Y    float64 // offset from its position on the line, points

	face   *face
	*shape       // must not be changed
	at     int32 // index of its first character in the text, in runes
	rtl    bool  // its characters run from right to left
}

// Text returns the characters that the glyph represents.
func (g Glyph) Text() string { return g.text }

// A Run is a line of shaped text in visual order.
type Run struct {
	Glyphs      []Glyph // from left to right
	Size        float64 // points
	Width       float64 // points
	Ascent      float64 // of the tallest font in it, above the baseline, points
	Descent     float64 // below the baseline, points, positive
	RightToLeft bool    // the direction of the paragraph
	Missing     []rune  // characters that no font has, each once; drawn as their code points
}

// Height is the distance from one line of such text to the next, in points.
func (r Run) Height() float64 { return r.Ascent + r.Descent }

// Layout shapes s on one line. Line breaks and tabs count as spaces; other
// control characters and explicit bidi controls are dropped, so that text can't
// be made to look like other text.
func (f *Fonts) Layout(style Style, size float64, s string) Run {
	return f.recent.get(linesKey{style: style, size: size, text: s}, func() []Run {
		sh := f.shapers.take()
		defer f.shapers.put(sh)
		return []Run{f.layout(sh, style, size, sh.clean(s), neutral)}
	})[0]
}

// Measure returns the width of s on one line, in points.
func (f *Fonts) Measure(style Style, size float64, s string) float64 {
	return f.Layout(style, size, s).Width
}

// Missing returns the characters of s that can't be drawn, each once: those
// missing from all fonts, control characters other than tab and line breaks,
// and invalid UTF-8.
func (f *Fonts) Missing(s string) []rune {
	var missing []rune
	for i, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' || r == unicode.ReplacementChar && s[i] != 0xEF {
			missing = append(missing, r)
		}
	}
	return unique(append(missing, f.Layout(Style{}, 1, s).Missing...))
}

// unique removes duplicate runes, keeping the first of each.
func unique(list []rune) []rune {
	seen := make(map[rune]bool, len(list))
	return slices.DeleteFunc(list, func(r rune) bool {
		known := seen[r]
		seen[r] = true
		return known
	})
}

// layout shapes text that has already been cleaned.
func (f *Fonts) layout(sh *shaper, style Style, size float64, text []rune, base direction) Run {
	run := Run{Size: size}
	run.extend(f.faces[style.primary()[0]], size)
	spans, rtl := sh.bidi(text, base)
	run.RightToLeft = rtl
	for _, span := range spans {
		items := f.itemise(sh, style, text, span)
		if span.level%2 != 0 {
			slices.Reverse(items)
		}
		for _, it := range items {
			run.add(sh, text, it)
		}
	}
	run.Missing = unique(run.Missing)
	return run
}

// add shapes one item and appends it on the right.
func (r *Run) add(sh *shaper, text []rune, it item) {
	part := text[it.start:it.end]
	if it.missing {
		r.addMissing(part)
	}
	if it.face == nil {
		return
	}
	r.extend(it.face, r.Size)
	var glyphs []Glyph
	if it.missing {
		glyphs = []Glyph{sh.codePoint(it, part[0], r.Size)}
	} else {
		var missing []rune
		glyphs, missing = sh.shape(text, it, r.Size)
		r.addMissing(missing)
	}
	for _, g := range glyphs {
		r.Width += g.Advance
	}
	if r.Glyphs == nil { // almost always the only item
		r.Glyphs = glyphs
		return
	}
	r.Glyphs = append(r.Glyphs, glyphs...)
}

// codePoint draws a character that no font has as its code point, such as [U+13000]. It is one
// glyph, which is copied as the character.
func (sh *shaper) codePoint(it item, r rune, size float64) Glyph {
	written := []rune(fmt.Sprintf("[U+%04X]", r))
	glyphs, _ := sh.shape(written, item{end: len(written), script: language.Latin, face: it.face}, size)
	whole := &shape{text: string(r)}
	for _, g := range glyphs {
		whole.parts = append(whole.parts, part{g.id, whole.width, 0})
		whole.width += g.width
	}
	unit := size / float64(it.face.sfnt.upem)
	return Glyph{Advance: float64(whole.width) * unit, face: it.face, shape: whole, at: int32(it.start), rtl: it.rtl}
}

func (r *Run) addMissing(runes []rune) {
	for _, c := range runes {
		if !ignorable(c) {
			r.Missing = append(r.Missing, c)
		}
	}
}

// extend enlarges the line height for the tallest shapes of a font.
func (r *Run) extend(fc *face, size float64) {
	if !fc.ready() {
		return
	}
	unit := size / float64(fc.sfnt.upem)
	r.Ascent = max(r.Ascent, float64(fc.sfnt.ascent)*unit)
	r.Descent = max(r.Descent, -float64(fc.sfnt.descent)*unit)
}

// clean converts input to text that can be set on one line. It is valid until the next
// call.
func (sh *shaper) clean(s string) []rune {
	sh.text = appendClean(sh.text[:0], s)
	return sh.text
}

func appendClean(text []rune, s string) []rune {
	for _, r := range s {
		switch {
		case r == '\t', r == '\n', r == '\r', r == 0x85, r == 0x2028, r == 0x2029:
			text = append(text, ' ')
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		default:
			text = append(text, r)
		}
	}
	return text
}
