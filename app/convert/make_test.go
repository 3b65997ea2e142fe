package convert_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/convert"
)

// The corners of the test picture, as stored: top left, top right, bottom
// left, bottom right.
var (
	red    = color.NRGBA{220, 20, 20, 255}
	green  = color.NRGBA{20, 180, 20, 255}
	blue   = color.NRGBA{20, 20, 220, 255}
	yellow = color.NRGBA{230, 220, 20, 255}
)

// quarters returns a picture of four colours, wider than high.
func quarters(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := red
			switch {
			case x >= w/2 && y < h/2:
				c = green
			case x < w/2 && y >= h/2:
				c = blue
			case x >= w/2:
				c = yellow
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func jpegOf(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, m, nil); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// exifBlock returns a TIFF structure with orientation and resolution.
func exifBlock(order byteOrder, orientation uint16, dpi uint32) []byte {
	mark := "II"
	if order.String() == "BigEndian" {
		mark = "MM"
	}
	b := []byte(mark)
	put := func(v ...any) {
		for _, x := range v {
			switch x := x.(type) {
			case uint16:
				b = order.AppendUint16(b, x)
			case uint32:
				b = order.AppendUint32(b, x)
			}
		}
	}
	const entries, values = uint16(4), uint32(8 + 2 + 4*12 + 4)
	put(uint16(42), uint32(8), entries)
	put(uint16(274), uint16(3), uint32(1), orientation, uint16(0))
	put(uint16(282), uint16(5), uint32(1), values)
	put(uint16(283), uint16(5), uint32(1), values)
	put(uint16(296), uint16(3), uint32(1), uint16(2), uint16(0))
	put(uint32(0), dpi, uint32(1))
	return b
}

// withSegment inserts an application segment after the start of a JPEG.
func withSegment(jpg []byte, marker byte, body []byte) []byte {
	out := append([]byte{0xFF, 0xD8, 0xFF, marker}, binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))...)
	return append(append(out, body...), jpg[2:]...)
}

func withEXIF(jpg []byte, orientation uint16, dpi uint32) []byte {
	return withSegment(jpg, 0xE1, append([]byte("Exif\x00\x00"), exifBlock(binary.BigEndian, orientation, dpi)...))
}

// chunk returns a PNG chunk.
func chunk(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// rawPNG makes a PNG of any kind: rows are as stored, each with filter 0.
func rawPNG(w, h, depth, colourType int, rows []byte, more ...[]byte) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(w))
	head = append(binary.BigEndian.AppendUint32(head, uint32(h)), byte(depth), byte(colourType), 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head)...)
	for _, m := range more {
		out = append(out, m...)
	}
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	n := len(rows) / h
	for y := range h {
		_, _ = z.Write([]byte{0}) // a buffer never fails
		_, _ = z.Write(rows[y*n : (y+1)*n])
	}
	_ = z.Close()
	return append(append(out, chunk("IDAT", data.Bytes())...), chunk("IEND", nil)...)
}

// toPDF converts and checks the structure with qpdf.
func toPDF(tb testing.TB, in []byte) string {
	tb.Helper()
	var out bytes.Buffer
	if err := convert.Image(tb.Context(), bytes.NewReader(in), int64(len(in)), &out,
		convert.ImageLimits{}); err != nil {
		tb.Fatal(err)
	}
	name := filepath.Join(tb.TempDir(), "a.pdf")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	if said, err := exec.Command("qpdf", "--check", name).CombinedOutput(); err != nil {
		tb.Fatalf("qpdf: %v\n%s", err, said)
	}
	return name
}

// pictureOf renders a page so that one point is about one pixel.
func pictureOf(tb testing.TB, pdf string, page string, more ...string) image.Image {
	tb.Helper()
	to := strings.TrimSuffix(pdf, ".pdf") + "-" + page
	args := append([]string{"-r", "72", "-f", page, "-l", page, "-singlefile", "-png"}, more...)
	said, err := exec.Command("pdftoppm", append(args, pdf, to)...).CombinedOutput()
	if err != nil || len(said) > 0 {
		tb.Fatalf("pdftoppm: %v\n%s", err, said)
	}
	f, err := os.Open(to + ".png")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	m, err := png.Decode(f)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// corners returns the colours near the four corners.
func corners(m image.Image) [4]color.NRGBA {
	r := m.Bounds()
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA) }
	dx, dy := r.Dx()/6, r.Dy()/6
	return [4]color.NRGBA{at(dx, dy), at(r.Dx()-1-dx, dy), at(dx, r.Dy()-1-dy), at(r.Dx()-1-dx, r.Dy()-1-dy)}
}

func sameColours(a, b [4]color.NRGBA, tolerance int) bool {
	for i := range a {
		for _, d := range []int{int(a[i].R) - int(b[i].R), int(a[i].G) - int(b[i].G), int(a[i].B) - int(b[i].B)} {
			if d > tolerance || d < -tolerance {
				return false
			}
		}
	}
	return true
}

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

func deflated(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write(b) // a buffer never fails
	_ = z.Close()
	return out.Bytes()
}

func flipped(b []byte, at int) []byte {
	out := bytes.Clone(b)
	out[at] ^= 1
	return out
}

// badFilter returns a PNG with a filter that does not exist.
func badFilter() []byte {
	in := rawPNG(1, 1, 8, 0, []byte{0})
	at := bytes.Index(in, []byte("IDAT")) - 4
	return append(append(in[:at:at], chunk("IDAT", deflated([]byte{9, 0}))...), chunk("IEND", nil)...)
}
