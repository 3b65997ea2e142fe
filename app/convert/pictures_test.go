package convert_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"paraph/app/convert"
)

// entry is a field of a TIFF directory. Its value is a number, or bytes that lie elsewhere.
type entry struct {
	tag, kind uint16
	value     any
}

// rawTIFF makes a TIFF of one directory, whose tags ascend, and of strips or tiles: their offsets and
// lengths are the tags at and at+lengths.
func rawTIFF(order byteOrder, blocks [][]byte, at, lengths uint16, entries ...entry) []byte {
	head := map[bool]string{true: "II*\x00", false: "MM\x00*"}[order == byteOrder(binary.LittleEndian)]
	out := append([]byte(head), 0, 0, 0, 0)
	put := func(b []byte) (offset uint32) {
		offset = uint32(len(out))
		out = append(out, b...)
		return offset
	}
	var offsets, sizes []byte
	for _, b := range blocks {
		offsets = order.AppendUint32(offsets, put(b))
		sizes = order.AppendUint32(sizes, uint32(len(b)))
	}
	entries = append(entries, entry{at, 4, offsets}, entry{lengths, 4, sizes})
	for i := range entries { // ascending
		for j := i; j > 0 && entries[j].tag < entries[j-1].tag; j-- {
			entries[j], entries[j-1] = entries[j-1], entries[j]
		}
	}
	var body []byte
	for _, e := range entries {
		body = order.AppendUint16(order.AppendUint16(body, e.tag), e.kind)
		switch v := e.value.(type) {
		case int:
			body = order.AppendUint32(body, 1)
			if e.kind == 3 {
				body = order.AppendUint16(order.AppendUint16(body, uint16(v)), 0)
			} else {
				body = order.AppendUint32(body, uint32(v))
			}
		case []byte:
			size := map[uint16]int{3: 2, 4: 4, 7: 1}[e.kind]
			body = order.AppendUint32(body, uint32(len(v)/size))
			if len(v) <= 4 {
				body = append(body, append(bytes.Clone(v), make([]byte, 4-len(v))...)...)
			} else {
				body = order.AppendUint32(body, put(v))
			}
		}
	}
	order.PutUint32(out[4:], uint32(len(out)))
	out = order.AppendUint16(out, uint16(len(entries)))
	return append(append(out, body...), 0, 0, 0, 0)
}

// splitJPEG parts a JPEG into its tables, as an abbreviated stream, and the rest.
func splitJPEG(jpg []byte) (tables, rest []byte) {
	tables, rest = []byte{0xFF, 0xD8}, []byte{0xFF, 0xD8}
	for i := 2; i < len(jpg); {
		n := 2 + int(binary.BigEndian.Uint16(jpg[i+2:]))
		switch jpg[i+1] {
		case 0xDB, 0xC4:
			tables = append(tables, jpg[i:i+n]...)
		case 0xDA:
			return append(tables, 0xFF, 0xD9), append(rest, jpg[i:]...)
		default:
			rest = append(rest, jpg[i:i+n]...)
		}
		i += n
	}
	return nil, nil
}

// jpegTIFF makes a TIFF of a picture in blocks that are JPEGs, of the colours that a JPEG has.
func jpegTIFF(t *testing.T, order byteOrder, m image.Image, width, height int, tiled, shared bool, photometric int) []byte {
	t.Helper()
	b := m.Bounds()
	var blocks [][]byte
	var tables []byte
	for y := b.Min.Y; y < b.Max.Y; y += height {
		for x := b.Min.X; x < b.Max.X; x += width {
			box := image.Rect(0, 0, width, height)
			if !tiled {
				box = image.Rect(0, 0, min(width, b.Max.X-x), min(height, b.Max.Y-y))
			}
			var to draw.Image = image.NewRGBA(box)
			if photometric == 1 {
				to = image.NewGray(box)
			}
			draw.Draw(to, box, m, image.Pt(x, y), draw.Src)
			jpg := jpegOf(t, to)
			if shared {
				tables, jpg = splitJPEG(jpg)
			}
			blocks = append(blocks, jpg)
		}
	}
	samples, depth := 3, []byte{8, 0, 8, 0, 8, 0}
	if order == byteOrder(binary.BigEndian) {
		depth = []byte{0, 8, 0, 8, 0, 8}
	}
	if photometric == 1 {
		samples, depth = 1, depth[:2]
	}
	entries := []entry{{256, 4, b.Dx()}, {257, 4, b.Dy()}, {258, 3, depth}, {259, 3, 7}, {262, 3, photometric}, {277, 3, samples}, {284, 3, 1}}
	if shared {
		entries = append(entries, entry{347, 7, tables})
	}
	if tiled {
		entries = append(entries, entry{322, 3, width}, entry{323, 3, height})
		return rawTIFF(order, blocks, 324, 325, entries...)
	}
	return rawTIFF(order, blocks, 273, 279, append(entries, entry{278, 3, height})...)
}

func TestJPEGInTIFF(t *testing.T) {
	t.Parallel()
	m := quarters(150, 100)
	grey := image.NewGray(m.Rect)
	draw.Draw(grey, m.Rect, m, image.Point{}, draw.Src)
	var greys [4]color.NRGBA
	for i, c := range shown[1] {
		greys[i] = color.NRGBAModel.Convert(color.GrayModel.Convert(c)).(color.NRGBA)
	}
	little, big := byteOrder(binary.LittleEndian), byteOrder(binary.BigEndian)
	whole := jpegOf(t, m)
	for name, x := range map[string]struct {
		in   []byte
		want [4]color.NRGBA
	}{
		"one strip":                  {jpegTIFF(t, little, m, 150, 100, false, false, 6), shown[1]},
		"strips with shared tables":  {jpegTIFF(t, big, m, 150, 48, false, true, 6), shown[1]},
		"tiles beyond the edges":     {jpegTIFF(t, little, m, 64, 64, true, true, 6), shown[1]},
		"gray":                       {jpegTIFF(t, little, grey, 150, 32, false, true, 1), greys},
		"of the older kind, in full": {rawTIFF(little, nil, 273, 279, entry{256, 3, 150}, entry{257, 3, 100}, entry{259, 3, 6}, entry{262, 3, 6}, entry{277, 3, 3}, entry{513, 7, whole}, entry{514, 4, len(whole)}), shown[1]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(name, "older") {
				x.in = pointAt(x.in, 513)
			}
			if got := corners(pictureOf(t, toPDF(t, x.in), "1")); !sameColours(got, x.want, 12) {
				t.Errorf("corners %v, want %v", got, x.want)
			}
			if got, _ := photoOf(t, x.in, 150); !sameColours(corners(got), x.want, 16) {
				t.Errorf("as a photo, corners %v, want %v", corners(got), x.want)
			}
		})
	}
	// Of four samples, as libtiff writes them: inks, and the last quarter transparent.
	clear := shown[1]
	clear[3] = color.NRGBA{255, 255, 255, 255}
	for name, want := range map[string][4]color.NRGBA{"jpeg-cmyk.tif": shown[1], "jpeg-alpha.tif": clear} {
		in := fileOf(t, name)
		if got := corners(pictureOf(t, toPDF(t, in), "1")); !sameColours(got, want, 100) { // inks as the viewer mixes them
			t.Errorf("%s: corners %v, want %v", name, got, want)
		}
		photo, _ := photoOf(t, in, 150)
		got := corners(photo)
		if name == "jpeg-alpha.tif" {
			if _, _, _, a := photo.At(140, 90).RGBA(); a > 0x1000 {
				t.Errorf("%s: the last quarter is opaque", name)
			}
			got[3] = want[3]
		}
		if !sameColours(got, want, 80) {
			t.Errorf("%s: as a photo, corners %v, want %v", name, got, want)
		}
	}
	// Whether colours are RGB is said by the TIFF, not by the JPEG.
	r := image.NewRGBA(m.Rect)
	draw.Draw(r, m.Rect, image.NewUniform(color.RGBA{40, 128, 128, 255}), image.Point{}, draw.Src)
	asYCC := jpegTIFF(t, little, r, 150, 100, false, false, 6)
	asRGB := jpegTIFF(t, little, r, 150, 100, false, false, 2)
	y, cb, cr := color.RGBToYCbCr(40, 128, 128)
	for _, x := range []struct {
		in   []byte
		want color.NRGBA
	}{{asYCC, color.NRGBA{40, 128, 128, 255}}, {asRGB, color.NRGBA{y, cb, cr, 255}}} {
		if got := corners(pictureOf(t, toPDF(t, x.in), "1")); !sameColours(got, [4]color.NRGBA{x.want, x.want, x.want, x.want}, 6) {
			t.Errorf("corners %v, want %v", got, x.want)
		}
	}
}

// pointAt makes the entry of bytes with a tag one number, their offset.
func pointAt(tiff []byte, tag uint16) []byte {
	out := bytes.Clone(tiff)
	order := binary.LittleEndian
	for e := out[order.Uint32(out[4:])+2:]; len(e) >= 12; e = e[12:] {
		if order.Uint16(e) == tag {
			order.PutUint16(e[2:], 4)
			order.PutUint32(e[4:], 1)
		}
	}
	return out
}

func TestJPEGInTIFFIsRefused(t *testing.T) {
	t.Parallel()
	m := quarters(64, 64)
	little := byteOrder(binary.LittleEndian)
	head := func(more ...entry) []entry {
		return append([]entry{{256, 3, 64}, {257, 3, 64}, {259, 3, 7}, {277, 3, 3}, {278, 3, 64}}, more...)
	}
	progressive, err := os.ReadFile("testdata/video-001.progressive.jpeg")
	if err != nil {
		t.Fatal(err)
	}
	jpg := jpegOf(t, m)
	for name, x := range map[string]struct {
		in   []byte
		want error
	}{
		"no JPEG":               {rawTIFF(little, [][]byte{[]byte("no picture")}, 273, 279, head(entry{262, 3, 6})...), convert.ErrDamaged},
		"cut":                   {rawTIFF(little, [][]byte{jpg[:len(jpg)/2]}, 273, 279, head(entry{262, 3, 6})...), convert.ErrDamaged},
		"smaller than it says":  {rawTIFF(little, [][]byte{jpegOf(t, quarters(32, 32))}, 273, 279, head(entry{262, 3, 6})...), convert.ErrDamaged},
		"larger than it says":   {rawTIFF(little, [][]byte{jpegOf(t, quarters(4000, 32))}, 273, 279, head(entry{262, 3, 6})...), convert.ErrDamaged},
		"fewer strips":          {rawTIFF(little, nil, 273, 279, head(entry{262, 3, 6})...), convert.ErrDamaged},
		"inks of three colors":  {rawTIFF(little, [][]byte{jpg}, 273, 279, head(entry{262, 3, 5})...), convert.ErrUnsupported},
		"planes":                {rawTIFF(little, [][]byte{jpg}, 273, 279, head(entry{262, 3, 6}, entry{284, 3, 2})...), convert.ErrUnsupported},
		"progressive":           {rawTIFF(little, [][]byte{progressive}, 273, 279, entry{256, 3, 150}, entry{257, 3, 103}, entry{259, 3, 7}, entry{262, 3, 6}, entry{277, 3, 3}), convert.ErrUnsupported},
		"pieces of the old way": {rawTIFF(little, [][]byte{jpg[20:]}, 273, 279, entry{256, 3, 64}, entry{257, 3, 64}, entry{259, 3, 6}, entry{262, 3, 6}, entry{277, 3, 3}), convert.ErrUnsupported},
	} {
		err := convert.Image(t.Context(), bytes.NewReader(x.in), int64(len(x.in)), new(bytes.Buffer), convert.ImageLimits{})
		if !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}

// TestFaxes shows a black box on white, whichever of the two values is black.
func TestFaxes(t *testing.T) {
	t.Parallel()
	group4, err := os.ReadFile("testdata/fax-black-is-zero.tif")
	if err != nil {
		t.Fatal(err)
	}
	white, err := os.ReadFile("testdata/bw-gopher_ccittGroup4.tiff")
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string][]byte{"Group 4, black is 0": group4, "Group 4, white is 0": white, "Group 3, black is 0": group3()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			share := func(m image.Image) float64 {
				light := 0
				for y := range m.Bounds().Dy() {
					for x := range m.Bounds().Dx() {
						if r, _, _, _ := m.At(x, y).RGBA(); r > 0x8000 {
							light++
						}
					}
				}
				return float64(light) / float64(m.Bounds().Dx()*m.Bounds().Dy())
			}
			if got := share(pictureOf(t, toPDF(t, in), "1", "-r", "150")); got < 0.5 {
				t.Errorf("%.0f %% of the page are white", 100*got)
			}
			if m, _ := photoOf(t, in, 400); share(m) < 0.5 {
				t.Errorf("%.0f %% of the photo are white", 100*share(m))
			}
		})
	}
}

// group3 makes a fax of one dimension (ITU-T T.4) of 64 × 8 pixels, 8 of each line black. Black is 0, so
// that what is white on paper is coded as a run of black.
func group3() []byte {
	const end, white0, white8, black28 = "000000000001", "00110101", "10011", "000011001100"
	codes := strings.Repeat(end+white0+black28+white8+black28, 8) + strings.Repeat(end, 6)
	data := make([]byte, (len(codes)+7)/8)
	for i, c := range codes {
		if c == '1' {
			data[i/8] |= 0x80 >> (i % 8)
		}
	}
	return rawTIFF(byteOrder(binary.LittleEndian), [][]byte{data}, 273, 279, entry{256, 3, 64}, entry{257, 3, 8}, entry{258, 3, 1},
		entry{259, 3, 3}, entry{262, 3, 1}, entry{277, 3, 1}, entry{278, 3, 8})
}

// TestBMP converts bitmaps of Windows, with a palette and without one.
func TestBMP(t *testing.T) {
	t.Parallel()
	m := quarters(60, 40)
	palette := image.NewPaletted(m.Rect, color.Palette{red, green, blue, yellow})
	draw.Draw(palette, m.Rect, m, image.Point{}, draw.Src)
	for name, m := range map[string]image.Image{"colours": m, "palette": palette} {
		var b bytes.Buffer
		if err := bmp.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		if got := corners(pictureOf(t, toPDF(t, b.Bytes()), "1")); !sameColours(got, shown[1], 2) {
			t.Errorf("%s: corners %v", name, got)
		}
		if got, _ := photoOf(t, b.Bytes(), 60); !sameColours(corners(got), shown[1], 16) {
			t.Errorf("%s: corners of the photo %v", name, corners(got))
		}
		err := convert.Image(t.Context(), bytes.NewReader(b.Bytes()[:80]), 80, new(bytes.Buffer), convert.ImageLimits{})
		if !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("%s, cut: %v", name, err)
		}
	}
}

// TestTallScreenshots reads what a screenshot of a whole page shows: it becomes pages as wide as the
// paper, and each of its lines is whole on one of them.
func TestTallScreenshots(t *testing.T) {
	t.Parallel()
	const width, height, line = 720, 3600, 30
	m := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Pix[y*width+x] = 255
			if y%line >= line/4 && y%line < 3*line/4 { // a bar in the middle of each line, of a length that tells which
				if x < unit*(y/line) {
					m.Pix[y*width+x] = 0
				}
			}
		}
	}
	retina := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 5669), 5669) // 144 dpi
	for name, x := range map[string]struct {
		in   []byte
		wide int
	}{
		"PNG":              {pngOf(t, m), 540},
		"PNG, 144 dpi":     {rawPNG(width, height, 8, 0, m.Pix, chunk("pHYs", append(retina, 1))), 360},
		"JPEG":             {jpegOf(t, m), 540},
		"JPEG on its side": {withEXIF(jpegOf(t, sideways(m)), 6, 72), 540},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf := toPDF(t, x.in)
			out, err := exec.Command("pdftoppm", "-scale-to-x", "720", "-scale-to-y", "-1", "-png", pdf, pdf).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			pages, err := filepath.Glob(pdf + "-*.png")
			if err != nil || len(pages) < 3 {
				t.Fatalf("%d pages (%v)", len(pages), err)
			}
			if got := pdfPageSize(t, pdf); !strings.HasPrefix(got, fmt.Sprint(x.wide)) {
				t.Errorf("a page of %s, want one as wide as %v", got, x.wide)
			}
			read := map[int]bool{}
			for _, p := range pages {
				readBars(t, p, line, read)
			}
			for i := range height/line - 1 {
				if !read[i+1] {
					t.Errorf("line %d is whole on none of %d pages", i+1, len(pages))
				}
			}
		})
	}
	for _, x := range []struct {
		name string
		in   []byte
	}{
		{"a panorama", pngOf(t, image.NewGray(image.Rect(0, 0, 9000, 500)))},
		{"a portrait", pngOf(t, image.NewGray(image.Rect(0, 0, 1080, 2340)))},
		{"a scanned roll, 300 dpi", rawPNG(100, 9000, 8, 0, make([]byte, 900_000), chunk("pHYs", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 11811), 11811), 1)))},
	} {
		if out, err := exec.Command("pdfinfo", toPDF(t, x.in)).Output(); err != nil || !strings.Contains(string(out), "Pages:           1\n") {
			t.Errorf("%s is not on one page: %s %v", x.name, out, err)
		}
	}
}

// unit is the difference between the lengths of two bars.
const unit = 6

// sideways turns a picture so that orientation 6 shows it upright again.
func sideways(m *image.Gray) image.Image {
	out := image.NewGray(image.Rect(0, 0, m.Rect.Dy(), m.Rect.Dx()))
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			out.SetGray(y, m.Rect.Dx()-1-x, m.GrayAt(x, y))
		}
	}
	return out
}

// readBars notes the lengths of the bars in a rendered page that are whole.
func readBars(t *testing.T, name string, line int, read map[int]bool) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	length := func(y int) (n int) {
		for ; n < m.Bounds().Dx(); n++ {
			if r, _, _, _ := m.At(n, y).RGBA(); r > 0x8000 {
				break
			}
		}
		return n
	}
	for y := 0; y < m.Bounds().Dy(); {
		n, top := length(y), y
		for y < m.Bounds().Dy() && max(length(y)-n, n-length(y)) <= 1 {
			y++
		}
		if n > 0 && y-top >= line/2-2 && top > 0 && y < m.Bounds().Dy() {
			read[(n+unit/2)/unit] = true
		}
	}
}
