package page

import (
	"encoding/binary"
	"math"
	"sync"
	"unicode/utf16"
)

// sRGB returns an sRGB colour profile (IEC 61966-2-1) in the format of
// ICC.1:2004-10: primaries adapted to D50 and the parametric curve. It must not be changed.
var sRGB = sync.OnceValue(func() []byte {
	tags := []struct {
		name string
		data []byte
	}{
		{"desc", multi("sRGB")},
		{"cprt", multi("No copyright, use freely")},
		{"wtpt", xyz(0.9642, 1, 0.8249)},
		{"chad", fixed("sf32", 1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168)},
		{"rXYZ", xyz(0.43607, 0.22249, 0.01392)},
		{"gXYZ", xyz(0.38515, 0.71687, 0.09708)},
		{"bXYZ", xyz(0.14307, 0.06061, 0.71410)},
		{"rTRC", curve()},
		{"gTRC", curve()},
		{"bTRC", curve()},
	}
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var data []byte
	at := 128 + 4 + 12*len(tags)
	for _, t := range tags {
		table = append(table, t.name...)
		table = binary.BigEndian.AppendUint32(table, uint32(at+len(data)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(t.data)))
		data = append(data, t.data...)
		data = append(data, make([]byte, -len(data)&3)...)
	}
	return append(append(header(at+len(data)), table...), data...)
})

// header returns the header of a display profile from RGB to XYZ.
func header(size int) []byte {
	h := make([]byte, 128)
	binary.BigEndian.PutUint32(h, uint32(size))
	binary.BigEndian.PutUint32(h[8:], 0x04200000) // version 4.2
	copy(h[12:], "mntrRGB XYZ ")
	binary.BigEndian.PutUint16(h[24:], 2020) // creation date 1 January 2020
	binary.BigEndian.PutUint16(h[26:], 1)
	binary.BigEndian.PutUint16(h[28:], 1)
	copy(h[36:], "acsp")
	copy(h[68:], xyz(0.9642, 1, 0.8249)[8:])
	return h
}

func fixed(kind string, values ...float64) []byte {
	b := append([]byte(kind), 0, 0, 0, 0)
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
	}
	return b
}

func xyz(x, y, z float64) []byte { return fixed("XYZ ", x, y, z) }

// curve returns the parametric curve of type 3 with the sRGB parameters.
func curve() []byte {
	b := fixed("para", 0, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)
	binary.BigEndian.PutUint16(b[8:], 3)
	return b
}

// multi returns a text in one language.
func multi(s string) []byte {
	u := utf16.Encode([]rune(s))
	b := append([]byte("mluc"), 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 12)
	b = append(b, "enUS"...)
	b = binary.BigEndian.AppendUint32(b, uint32(2*len(u)))
	b = binary.BigEndian.AppendUint32(b, 28)
	for _, v := range u {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}
