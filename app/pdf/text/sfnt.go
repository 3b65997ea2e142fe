package text

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"slices"
)

var errSFNT = errors.New("not a TrueType font with glyf outlines")

// An sfnt is a TrueType font cut into its tables (ISO/IEC 14496-22), with
// the figures that a PDF wants to know.
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

// advance is the width of glyph g in font units.
func (s *sfnt) advance(g int) int { return u16(s.hmtx, 4*min(g, s.metrics-1)) }

func (s *sfnt) bearing(g int) int {
	if g < s.metrics {
		return u16(s.hmtx, 4*g+2)
	}
	return u16(s.hmtx, 4*s.metrics+2*(g-s.metrics))
}

// outline is the glyf entry of glyph g, empty when it has none.
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

// subset makes a font whose glyph i is glyph glyphs[i] of s; glyphs[0] should
// be 0. Parts of composite glyphs are added behind. Instructions are left out:
// no viewer of PDF needs them, and they are most of a small subset.
func (s *sfnt) subset(glyphs []int) []byte {
	list := slices.Clone(glyphs)
	place := make(map[int]int, len(list))
	for i, g := range list {
		if _, ok := place[g]; !ok {
			place[g] = i
		}
	}
	var glyf, loca []byte
	for i := 0; i < len(list); i++ { // grows while it runs
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = s.appendOutline(glyf, list[i], func(part int) int {
			at, ok := place[part]
			if !ok {
				at = len(list)
				place[part] = at
				list = append(list, part)
			}
			return at
		})
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	return s.assemble(list, glyf, loca)
}

// assemble puts the tables of a subset together.
func (s *sfnt) assemble(list []int, glyf, loca []byte) []byte {
	hmtx := make([]byte, 0, 4*len(list))
	for _, g := range list {
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(s.advance(g)))
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(s.bearing(g)))
	}
	head, hhea, maxp := slices.Clone(s.head), slices.Clone(s.hhea), slices.Clone(s.maxp)
	binary.BigEndian.PutUint32(head[8:], 0) // checkSumAdjustment, set below
	binary.BigEndian.PutUint16(head[50:], 1)
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(list)))
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(list)))
	// No instructions: zones 1; twilight points, storage, functions,
	// definitions, stack and size of instructions 0.
	binary.BigEndian.PutUint16(maxp[14:], 1)
	clear(maxp[16:28])
	return join(map[string][]byte{"glyf": glyf, "head": head, "hhea": hhea, "hmtx": hmtx, "loca": loca, "maxp": maxp})
}

// join writes a font file of the tables.
func join(tables map[string][]byte) []byte {
	n := len(tables)
	log := bits.Len(uint(n)) - 1
	b := []byte{0, 1, 0, 0}
	for _, v := range []int{n, 16 << log, log, 16*n - 16<<log} {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	names := slices.Sorted(maps.Keys(tables))
	at, head := 12+16*n, 0
	for _, name := range names {
		if name == "head" {
			head = at
		}
		t := tables[name]
		b = append(b, name...)
		for _, v := range []uint32{checksum(t), uint32(at), uint32(len(t))} {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		at += (len(t) + 3) &^ 3
	}
	for _, name := range names {
		b = append(b, tables[name]...)
		b = append(b, make([]byte, -len(b)&3)...)
	}
	binary.BigEndian.PutUint32(b[head+8:], 0xB1B0AFBA-checksum(b))
	return b
}

func checksum(b []byte) uint32 {
	var sum uint32
	for ; len(b) >= 4; b = b[4:] {
		sum += binary.BigEndian.Uint32(b)
	}
	var rest [4]byte
	copy(rest[:], b)
	return sum + binary.BigEndian.Uint32(rest[:])
}
