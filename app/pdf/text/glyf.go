package text

import (
	"encoding/binary"
	"slices"
)

// Flags of a composite glyph (ISO/IEC 14496-22, glyf).
const (
	argsAreWords   = 0x0001
	hasScale       = 0x0008
	moreComponents = 0x0020
	hasTwoScales   = 0x0040
	hasMatrix      = 0x0080
	hasCode        = 0x0100
)

// appendOutline copies the outline of glyph g without its instructions, to a
// multiple of four bytes. place gives the new number of a glyph that a
// composite is made of. An outline that is cut short becomes empty.
func (s *sfnt) appendOutline(b []byte, g int, place func(int) int) []byte {
	o := s.outline(g)
	if len(o) < 10 {
		return b
	}
	start := len(b)
	var ok bool
	if contours := i16(o, 0); contours >= 0 {
		b, ok = appendSimple(b, o, contours)
	} else {
		b, ok = appendComposite(b, o, place)
	}
	if !ok {
		return b[:start]
	}
	return append(b, make([]byte, -len(b)&3)...)
}

func appendSimple(b, o []byte, contours int) ([]byte, bool) {
	code := 10 + 2*contours // where the length of the instructions is
	if len(o) < code+2 {
		return b, false
	}
	points := code + 2 + u16(o, code)
	if len(o) < points {
		return b, false
	}
	b = append(b, o[:code]...)
	b = append(b, 0, 0)
	return append(b, o[points:]...), true
}

func appendComposite(b, o []byte, place func(int) int) ([]byte, bool) {
	b = append(b, o[:10]...)
	for at := 10; ; {
		if len(o) < at+4 {
			return b, false
		}
		flags := u16(o, at)
		size := componentSize(flags)
		if len(o) < at+size {
			return b, false
		}
		part := slices.Clone(o[at : at+size])
		binary.BigEndian.PutUint16(part, uint16(flags&^hasCode))
		binary.BigEndian.PutUint16(part[2:], uint16(place(u16(o, at+2))))
		b = append(b, part...)
		if flags&moreComponents == 0 {
			return b, true
		}
		at += size
	}
}

func componentSize(flags int) int {
	size := 6
	if flags&argsAreWords != 0 {
		size = 8
	}
	switch {
	case flags&hasScale != 0:
		size += 2
	case flags&hasTwoScales != 0:
		size += 4
	case flags&hasMatrix != 0:
		size += 8
	}
	return size
}
