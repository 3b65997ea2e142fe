package text

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"

	"golang.org/x/text/encoding/charmap"

	"paraph/app/pdf/object"
)

// Simple embeds a font for the default appearances of fields (ISO 32000-2
// §12.7.4.3), which viewers use to draw text typed there: Sans, with all of
// Windows-1252. It is for files that may only use embedded fonts.
func (f *Fonts) Simple(w object.Writer) (object.Ref, error) {
	fc := f.faces["NotoSans-Regular"]
	if !fc.ready() {
		return object.Ref{}, fc.err
	}
	runes := winAnsi()
	shapes, places := fc.letters(runes)
	tables, _ := fc.sfnt.tables(shapes)
	tables["cmap"] = unicodeMap(places)
	program := join(tables)
	widths := make(object.Array, len(runes))
	for i, r := range runes {
		widths[i] = fc.sfnt.mille(shapes[places[r]].width)
	}
	name := object.Name(tag(fc.name, program) + "+" + fc.name)
	return w.Add(object.Dict{
		"Type": object.Name("Font"), "Subtype": object.Name("TrueType"), "BaseFont": name, "Encoding": object.Name("WinAnsiEncoding"),
		"FirstChar": firstCode, "LastChar": firstCode + len(runes) - 1, "Widths": widths,
		"FontDescriptor": w.Add(fc.sfnt.descriptor(name, nonsymbolic, embedFile(w, f.flate(program), len(program)))),
	}), nil
}

// firstCode is the code of the space, the first printing character.
const firstCode = 32

// winAnsi returns the characters of WinAnsiEncoding from firstCode on.
// Unassigned codes are bullets (ISO 32000-2 annex D).
func winAnsi() []rune {
	var all []rune
	for code := firstCode; code < 256; code++ {
		r := charmap.Windows1252.DecodeByte(byte(code))
		switch {
		case code == 0xA0:
			r = ' '
		case code == 0xAD:
			r = '-'
		case r == 0xFFFD || r < ' ' || r >= 0x7F && r < 0xA0:
			r = '•'
		}
		all = append(all, r)
	}
	return all
}

// letters returns the glyphs of characters, in encoding order, and the index of
// each.
func (fc *face) letters(runes []rune) ([]shape, map[rune]int) {
	shapes, places := []shape{{width: fc.sfnt.advance(0)}}, map[rune]int{}
	for _, r := range slices.Compact(slices.Sorted(slices.Values(runes))) {
		if g, ok := fc.font.NominalGlyph(r); ok {
			places[r] = len(shapes)
			shapes = append(shapes, shape{id: int(g), width: fc.sfnt.advance(int(g))})
		}
	}
	return shapes, places
}

// unicodeMap returns a cmap of format 4 for Unicode (ISO/IEC 14496-22 §5.2.1),
// with one segment for each character.
func unicodeMap(places map[rune]int) []byte {
	var ends, deltas []int
	for _, r := range slices.Sorted(maps.Keys(places)) {
		ends, deltas = append(ends, int(r)), append(deltas, places[r]-int(r))
	}
	ends, deltas = append(ends, 0xFFFF), append(deltas, 1) // the required last segment
	n := len(ends)
	log := bits.Len(uint(n)) - 1
	search := 2 << log
	words := []int{0, 1, 3, 1, 0, 12, // one table, for Windows and Unicode, after 12 bytes
		4, 16 + 8*n, 0, 2 * n, search, log, 2*n - search}
	words = append(append(words, ends...), 0)
	words = append(append(append(words, ends...), deltas...), make([]int, n)...) // each segment ends where it begins
	var b []byte
	for _, v := range words {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	return b
}
