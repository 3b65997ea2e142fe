package text

import (
	"encoding/binary"
	"errors"
	"math"
)

var errSFNT = errors.New("not a TrueType font with glyf outlines")

// An sfnt is a TrueType font split into its tables (ISO/IEC 14496-22), with the
// metrics that a PDF needs.
type sfnt struct {
	glyf, loca, hmtx, head, hhea, maxp []byte

	long      bool // loca has 32-bit entries
	glyphs    int
	metrics   int // entries of hmtx that have an advance
	upem      int
	ascent    int // of hhea, font units
	descent   int // of hhea, font units, negative
	capHeight int
	italic    float64 // degrees, counter-clockwise
	box       [4]int
}

func parseSFNT(raw []byte) (*sfnt, error) {
	t, err := cutTables(raw)
	if err != nil {
		return nil, err
	}
	s := &sfnt{glyf: t["glyf"], loca: t["loca"], hmtx: t["hmtx"], head: t["head"], hhea: t["hhea"], maxp: t["maxp"]}
	if len(s.head) < 54 || len(s.hhea) < 36 || len(s.maxp) < 32 || len(s.glyf) == 0 {
		return nil, errSFNT
	}
	s.long = u16(s.head, 50) == 1
	s.glyphs = u16(s.maxp, 4)
	s.metrics = u16(s.hhea, 34)
	s.upem = u16(s.head, 18)
	s.ascent, s.descent = i16(s.hhea, 4), i16(s.hhea, 6)
	for i := range s.box {
		s.box[i] = i16(s.head, 36+2*i)
	}
	entry := 2
	if s.long {
		entry = 4
	}
	if len(s.loca) < entry*(s.glyphs+1) || s.metrics == 0 || s.metrics > s.glyphs ||
		len(s.hmtx) < 4*s.metrics+2*(s.glyphs-s.metrics) || s.upem == 0 {
		return nil, errSFNT
	}
	s.capHeight = s.ascent * 7 / 10
	if os2 := t["OS/2"]; len(os2) >= 90 && u16(os2, 0) >= 2 {
		s.capHeight = i16(os2, 88)
	}
	if post := t["post"]; len(post) >= 8 {
		s.italic = float64(int32(binary.BigEndian.Uint32(post[4:]))) / 65536
	}
	return s, nil
}

func cutTables(raw []byte) (map[string][]byte, error) {
	if len(raw) < 12 || len(raw) < 12+16*u16(raw, 4) {
		return nil, errSFNT
	}
	t := make(map[string][]byte)
	for i := range u16(raw, 4) {
		r := raw[12+16*i:]
		offset, length := uint64(binary.BigEndian.Uint32(r[8:])), uint64(binary.BigEndian.Uint32(r[12:]))
		if offset+length > uint64(len(raw)) {
			return nil, errSFNT
		}
		t[string(r[:4])] = raw[offset : offset+length]
	}
	return t, nil
}

func u16(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
func i16(b []byte, at int) int { return int(int16(binary.BigEndian.Uint16(b[at:]))) }

// advance returns the width of glyph g in font units.
func (s *sfnt) advance(g int) int { return u16(s.hmtx, 4*min(g, s.metrics-1)) }

// outline returns the glyf entry of glyph g, which may be empty.
func (s *sfnt) outline(g int) []byte {
	if g < 0 || g >= s.glyphs {
		return nil
	}
	var from, to int
	if s.long {
		from, to = int(binary.BigEndian.Uint32(s.loca[4*g:])), int(binary.BigEndian.Uint32(s.loca[4*g+4:]))
	} else {
		from, to = 2*u16(s.loca, 2*g), 2*u16(s.loca, 2*g+2)
	}
	if from < 0 || to < from || to > len(s.glyf) {
		return nil
	}
	return s.glyf[from:to]
}

// mille converts font units to thousandths of the font size, rounded to a
// hundredth.
func (s *sfnt) mille(v int) float64 {
	return math.Round(float64(v)*100000/float64(s.upem)) / 100
}
