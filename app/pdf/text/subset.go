package text

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// A shape is one glyph of a subset: a glyph of the font, a combination of
// several, or nothing.
type shape struct {
	id    int    // glyph of the font if there are no parts; blankGlyph draws nothing
	parts []part // glyphs of a group that represents one text
	width int    // font units
	text  string // text copied out of the PDF

	ascii byte // the character, if it is a shape of face.ascii, else 0
}

// A part is a glyph of the font moved by x and y, in font units.
type part struct{ id, x, y int }

const blankGlyph = -1

// A subsetter writes the outlines of a subset. Its list grows by the parts of
// composite glyphs.
type subsetter struct {
	*sfnt
	list     []shape
	place    map[int]int // index in the list of a glyph of the font
	elements int         // maximum number of parts in a glyph
}

// subset returns a font whose glyph i is shapes[i], and its number of glyphs:
// parts are added at the end. Instructions are left out: no PDF viewer needs
// them, and they make up most of a small subset.
func (s *sfnt) subset(shapes []shape) (program []byte, glyphs int) {
	tables, glyphs := s.tables(shapes)
	return join(tables), glyphs
}

// tables returns the tables that every subset has.
func (s *sfnt) tables(shapes []shape) (tables map[string][]byte, glyphs int) {
	b := subsetter{sfnt: s, list: slices.Clone(shapes), place: make(map[int]int, len(shapes))}
	for i, sh := range shapes {
		if sh.parts == nil && sh.id != blankGlyph {
			b.place[sh.id] = i
		}
	}
	var glyf, loca, hmtx []byte
	for i := 0; i < len(b.list); i++ { // the list grows during the loop
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		start := len(glyf)
		glyf = b.append(glyf, b.list[i])
		left := 0
		if len(glyf) >= start+10 {
			left = i16(glyf, start+2)
		}
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(b.list[i].width))
		hmtx = binary.BigEndian.AppendUint16(hmtx, uint16(left))
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	return map[string][]byte{
		"glyf": glyf, "loca": loca, "hmtx": hmtx,
		"head": b.newHead(), "hhea": b.newHhea(), "maxp": b.newMaxp(),
	}, len(b.list)
}

// index returns the index in the subset of glyph g of the font.
func (b *subsetter) index(g int) int {
	at, ok := b.place[g]
	if !ok {
		at = len(b.list)
		b.place[g] = at
		b.list = append(b.list, shape{id: g, width: b.advance(g)})
	}
	return at
}

// append writes the outline of a shape, padded to a multiple of four bytes. A
// truncated outline becomes empty.
func (b *subsetter) append(glyf []byte, sh shape) []byte {
	start := len(glyf)
	ok := true
	if sh.parts != nil {
		glyf = b.appendParts(glyf, sh.parts)
	} else if o := b.outline(sh.id); len(o) >= 10 {
		if contours := i16(o, 0); contours >= 0 {
			glyf, ok = appendSimple(glyf, o, contours)
		} else {
			glyf, ok = appendComposite(glyf, o, b.index)
		}
	}
	if !ok {
		glyf = glyf[:start]
	}
	return append(glyf, make([]byte, -len(glyf)&3)...)
}

// appendParts writes a composite glyph. Parts without an outline are left out.
func (b *subsetter) appendParts(glyf []byte, parts []part) []byte {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return len(b.outline(p.id)) < 10 })
	b.elements = max(b.elements, len(parts))
	if len(parts) == 0 {
		return glyf
	}
	box := [4]int{1 << 15, 1 << 15, -1 << 15, -1 << 15}
	for _, p := range parts {
		o := b.outline(p.id)
		box[0], box[1] = min(box[0], i16(o, 2)+p.x), min(box[1], i16(o, 4)+p.y)
		box[2], box[3] = max(box[2], i16(o, 6)+p.x), max(box[3], i16(o, 8)+p.y)
	}
	glyf = append(glyf, 0xFF, 0xFF) // -1 contours: composite
	for _, v := range box {
		glyf = binary.BigEndian.AppendUint16(glyf, uint16(v))
	}
	for i, p := range parts {
		flags := argsAreWords | argsAreOffsets
		if i < len(parts)-1 {
			flags |= moreComponents
		}
		for _, v := range []int{flags, b.index(p.id), p.x, p.y} {
			glyf = binary.BigEndian.AppendUint16(glyf, uint16(v))
		}
	}
	return glyf
}

func (b *subsetter) newHead() []byte {
	head := slices.Clone(b.head)
	binary.BigEndian.PutUint32(head[8:], 0)  // checkSumAdjustment, set by join
	binary.BigEndian.PutUint16(head[50:], 1) // loca of 32 bits
	return head
}

func (b *subsetter) newHhea() []byte {
	hhea := slices.Clone(b.hhea)
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(b.list)))
	return hhea
}

// newMaxp returns the maxp table of a font without instructions, whose
// composites may be one level deeper and have more elements.
func (b *subsetter) newMaxp() []byte {
	maxp := slices.Clone(b.maxp)
	put := func(at, v int) { binary.BigEndian.PutUint16(maxp[at:], uint16(min(v, 0xFFFF))) }
	many := max(1, b.elements)
	put(4, len(b.list))
	put(10, max(u16(maxp, 6), u16(maxp, 10))*many)
	put(12, max(u16(maxp, 8), u16(maxp, 12))*many)
	put(14, 1) // zones
	clear(maxp[16:28])
	put(28, max(u16(maxp, 28), b.elements))
	put(30, u16(maxp, 30)+1)
	return maxp
}

// join assembles the tables into a font file.
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
