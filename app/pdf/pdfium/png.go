package pdfium

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Colour types of PNG (ISO/IEC 15948 §11.2.2).
const (
	pngGray    = 0
	pngRGB     = 2
	pngIndexed = 3
)

// encodePNG encodes RGBx pixels. Pages of text become pictures of few colours,
// a third of the size of image/png's and twelve times faster: shades between
// ink and paper are rounded to 16. Pages where that would be visible
// (photographs, gradients) keep every colour.
func encodePNG(pixels []byte, width, height, stride int) ([]byte, error) {
	img := bitmap{pixels, width, height, stride}
	s := img.survey()
	if p, ok := s.palette(); ok {
		return img.encodeIndexed(p)
	}
	return img.encodeFull(s)
}

// encodeIndexed writes indexes of 1, 2, 4 or 8 bits, unfiltered: letters
// repeat, and deflate finds repetitions best in unfiltered data.
func (m bitmap) encodeIndexed(p *palette) ([]byte, error) {
	indexes := m.index(p)
	depth := 8
	for _, d := range []int{4, 2, 1} {
		if len(p.colours) <= 1<<d {
			depth = d
		}
	}
	row := make([]byte, 1+(m.width*depth+7)/8)
	return m.encode(pngIndexed, depth, p.colours, 4, func(y int) []byte {
		pack(row[1:], indexes[y*m.width:(y+1)*m.width], depth)
		return row
	})
}

// pack packs indexes of one byte into depth bits each, high bits first.
func pack(dst, src []byte, depth int) {
	if depth == 8 {
		copy(dst, src)
		return
	}
	per := 8 / depth
	for k := range dst {
		var b byte
		for j, v := range src[k*per : min((k+1)*per, len(src))] {
			b |= v << (8 - depth*(j+1))
		}
		dst[k] = b
	}
}

// encodeFull writes every colour, with each row as the difference from the
// prediction by surrounding pixels.
func (m bitmap) encodeFull(s *survey) ([]byte, error) {
	parts, kind := 3, pngRGB
	if s.gray {
		parts, kind = 1, pngGray
	}
	level := flate.BestSpeed
	if s.runs > m.width*m.height/2 { // nothing repeats, so don't search for repetitions
		level = flate.HuffmanOnly
	}
	above, here := make([]byte, m.width*parts), make([]byte, m.width*parts)
	row := make([]byte, 1+m.width*parts)
	return m.encode(kind, 8, nil, level, func(y int) []byte {
		above, here = here, above
		src := m.pix[y*m.stride:]
		for x := range m.width {
			copy(here[x*parts:(x+1)*parts], src[4*x:])
		}
		row[0] = 4 // Paeth
		filterPaeth(row[1:], here, above, parts)
		return row
	})
}

// filterPaeth is filter 4 of ISO/IEC 15948 §9.4. For the first row, above is zero.
func filterPaeth(dst, here, above []byte, parts int) {
	for x := range min(parts, len(here)) {
		dst[x] = here[x] - above[x]
	}
	for x := parts; x < len(here); x++ {
		a, b, c := int(here[x-parts]), int(above[x]), int(above[x-parts])
		pa, pb, pc := magnitude(b-c), magnitude(a-c), magnitude(a+b-2*c)
		switch {
		case pa <= pb && pa <= pc:
			dst[x] = here[x] - byte(a)
		case pb <= pc:
			dst[x] = here[x] - byte(b)
		default:
			dst[x] = here[x] - byte(c)
		}
	}
}

func magnitude(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

// encode writes the chunks of a PNG from filtered rows.
func (m bitmap) encode(kind, depth int, colours []uint32, level int, row func(y int) []byte) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(nil, uint32(m.width))
	head = binary.BigEndian.AppendUint32(head, uint32(m.height))
	chunk(&out, "IHDR", append(head, byte(depth), byte(kind), 0, 0, 0))
	if colours != nil {
		plte := make([]byte, 0, 3*len(colours))
		for _, c := range colours {
			plte = append(plte, byte(c), byte(c>>8), byte(c>>16))
		}
		chunk(&out, "PLTE", plte)
	}
	data, err := m.deflate(level, row)
	if err != nil {
		return nil, err
	}
	chunk(&out, "IDAT", data)
	chunk(&out, "IEND", nil)
	return out.Bytes(), nil
}

func (m bitmap) deflate(level int, row func(y int) []byte) ([]byte, error) {
	var data bytes.Buffer
	z, err := zlib.NewWriterLevel(&data, level)
	if err != nil {
		return nil, fmt.Errorf("pdfium: png: %w", err)
	}
	for y := range m.height {
		if _, err := z.Write(row(y)); err != nil {
			return nil, fmt.Errorf("pdfium: png: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pdfium: png: %w", err)
	}
	return data.Bytes(), nil
}

func chunk(out *bytes.Buffer, name string, data []byte) {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(data)))
	out.Write(n[:])
	out.WriteString(name)
	out.Write(data)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, data)
	binary.BigEndian.PutUint32(n[:], sum)
	out.Write(n[:])
}
