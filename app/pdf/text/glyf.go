package text

import (
	"encoding/binary"
	"slices"
)

// Flags of a composite glyph (ISO/IEC 14496-22, glyf).
const (
	argsAreWords   = 0x0001
	argsAreOffsets = 0x0002
	hasScale       = 0x0008
	moreComponents = 0x0020
	hasTwoScales   = 0x0040
	hasMatrix      = 0x0080
	hasCode        = 0x0100
)

// appendSimple copies an outline without its instructions.
func appendSimple(b, o []byte, contours int) ([]byte, bool) {
	code := 10 + 2*contours // position of the instruction length
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

// appendComposite copies a composite glyph; place returns the new numbers of
// its parts.
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
