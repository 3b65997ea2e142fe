package convert_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"paraph/app/convert"
)

// shown lists where the corners of quarters end up, by orientation.
var shown = map[uint16][4]color.NRGBA{
	1: {red, green, blue, yellow},
	2: {green, red, yellow, blue},
	3: {yellow, blue, green, red},
	4: {blue, yellow, red, green},
	5: {red, blue, green, yellow},
	6: {blue, red, yellow, green},
	7: {yellow, green, blue, red},
	8: {green, yellow, red, blue},
}

func TestOrientation(t *testing.T) {
	t.Parallel()
	plain := jpegOf(t, quarters(160, 96))
	for o, want := range shown {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			t.Parallel()
			m := pictureOf(t, toPDF(t, withEXIF(plain, o, 72)), "1")
			if got := corners(m); !sameColours(got, want, 12) {
				t.Errorf("corners %v, want %v", got, want)
			}
			w, h := 160, 96
			if o >= 5 {
				w, h = h, w
			}
			if b := m.Bounds(); b.Dx() != w || b.Dy() != h {
				t.Errorf("the page is %v, want %d × %d", b.Max, w, h)
			}
		})
	}
}

// pdfPageSize returns the first page's size in points, as pdfinfo sees it.
func pdfPageSize(tb testing.TB, name string) string {
	tb.Helper()
	out, err := exec.Command("pdfinfo", name).Output()
	if err != nil {
		tb.Fatal(err)
	}
	_, size, _ := strings.Cut(string(out), "Page size:")
	size, _, _ = strings.Cut(size, "pts")
	return strings.TrimSpace(size)
}

func TestPageSize(t *testing.T) {
	t.Parallel()
	physical := func(perMetre uint32) []byte {
		b := binary.BigEndian.AppendUint32(nil, perMetre)
		return chunk("pHYs", append(binary.BigEndian.AppendUint32(b, perMetre), 1))
	}
	jfif := func(unit byte, density uint16) []byte {
		d := binary.BigEndian.AppendUint16(nil, density)
		return append(append([]byte("JFIF\x00\x01\x02"), unit), append(append(d, d...), 0, 0)...)
	}
	grey := func(w, h int, more ...[]byte) []byte { return rawPNG(w, h, 8, 0, make([]byte, w*h), more...) }
	bare := jpegOf(t, quarters(300, 150))
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"no resolution counts as 96", grey(96, 192), "72 x 144"},
		{"a large one is fitted into A4", grey(4000, 3000), "793.707 x 595.28"},
		{"pHYs, 300 dpi", grey(300, 150, physical(11811)), "72 x 36"},
		{"JFIF, 150 dpi", withSegment(bare, 0xE0, jfif(1, 150)), "144 x 72"},
		{"JFIF, per cm", withSegment(bare, 0xE0, jfif(2, 100)), "85.039 x 42.52"},
		{"EXIF, 100 dpi", withEXIF(bare, 1, 100), "216 x 108"},
		{"EXIF, upright", withEXIF(bare, 6, 100), "108 x 216"},
		{"a camera's 72 is ignored", withEXIF(jpegOf(t, image.NewGray(image.Rect(0, 0, 4000, 2000))), 1, 72), "841.89 x 420.945"},
		{"one pixel", grey(1, 1), "3 x 3"},
		{"a thread", grey(20000, 1, physical(3937)), "14400 x 3"},
		{"zero resolution", grey(96, 96, physical(0)), "72 x 72"},
		{"absurd resolution", grey(96, 96, physical(4294967295)), "72 x 72"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := pdfPageSize(t, toPDF(t, tt.in)); got != tt.want {
				t.Errorf("%s points, want %s", got, tt.want)
			}
		})
	}
}

func TestJPEGPassesThrough(t *testing.T) {
	t.Parallel()
	plain := jpegOf(t, quarters(64, 64))
	in := withEXIF(withSegment(plain, 0xFE, []byte("a comment, perhaps with a place")), 1, 72)
	in = append(in, "a video after the picture"...)
	out, err := os.ReadFile(toPDF(t, in))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, plain) {
		t.Error("the data was changed")
	}
	for _, private := range []string{"Exif", "a comment", "a video"} {
		if bytes.Contains(out, []byte(private)) {
			t.Errorf("the PDF contains %q", private)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	in := pngOf(t, quarters(50, 50))
	a, err1 := os.ReadFile(toPDF(t, in))
	b, err2 := os.ReadFile(toPDF(t, in))
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(a, b) {
		t.Error("two runs differ", err)
	}
}

// bits packs samples of a depth into rows.
func bits(w, h, depth int, at func(x, y int) int) []byte {
	n := (w*depth + 7) / 8
	out := make([]byte, n*h)
	for y := range h {
		for x := range w {
			bit := x * depth
			out[y*n+bit/8] |= byte(at(x, y) << (8 - depth - bit%8))
		}
	}
	return out
}

func TestEveryKindOfPNG(t *testing.T) {
	t.Parallel()
	const w, h = 90, 60
	quarter := func(x, y int) int { return x*2/w + y*2/h*2 }
	colours := [4]color.NRGBA{red, green, blue, yellow}
	greys := [4]color.NRGBA{{0, 0, 0, 255}, {85, 85, 85, 255}, {170, 170, 170, 255}, {255, 255, 255, 255}}
	samples := func(f func(c color.NRGBA) []byte) (rows []byte) {
		for y := range h {
			for x := range w {
				rows = append(rows, f(colours[quarter(x, y)])...)
			}
		}
		return rows
	}
	palette := chunk("PLTE", []byte{red.R, red.G, red.B, green.R, green.G, green.B, blue.R, blue.G, blue.B, yellow.R, yellow.G, yellow.B})
	white := color.NRGBA{255, 255, 255, 255}
	over := func(i int, c color.NRGBA) [4]color.NRGBA { // colours with one replaced
		k := colours
		k[i] = c
		return k
	}
	half := color.NRGBA{uint8((int(red.R) + 255) / 2), uint8((int(red.G) + 255) / 2), uint8((int(red.B) + 255) / 2),
		255}
	for name, tt := range map[string]struct {
		in   []byte
		want [4]color.NRGBA
	}{
		"grey 1":                       {rawPNG(w, h, 1, 0, bits(w, h, 1, func(x, y int) int { return quarter(x, y) % 2 })), [4]color.NRGBA{greys[0], white, greys[0], white}},
		"grey 2":                       {rawPNG(w, h, 2, 0, bits(w, h, 2, quarter)), greys},
		"grey 4":                       {rawPNG(w, h, 4, 0, bits(w, h, 4, func(x, y int) int { return quarter(x, y) * 5 })), greys},
		"grey 8":                       {rawPNG(w, h, 8, 0, bits(w, h, 8, func(x, y int) int { return quarter(x, y) * 85 })), greys},
		"grey 16":                      {rawPNG(w, h, 16, 0, bits(w*2, h, 8, func(x, y int) int { return quarter(x/2, y) * 85 })), greys},
		"colour 8":                     {rawPNG(w, h, 8, 2, samples(func(c color.NRGBA) []byte { return []byte{c.R, c.G, c.B} })), colours},
		"colour 16":                    {rawPNG(w, h, 16, 2, samples(func(c color.NRGBA) []byte { return []byte{c.R, 1, c.G, 2, c.B, 3} })), colours},
		"palette 2":                    {rawPNG(w, h, 2, 3, bits(w, h, 2, quarter), palette), colours},
		"palette 8":                    {rawPNG(w, h, 8, 3, bits(w, h, 8, quarter), palette), colours},
		"palette, short":               {rawPNG(w, h, 8, 3, bits(w, h, 8, quarter), chunk("PLTE", []byte{red.R, red.G, red.B})), [4]color.NRGBA{red, greys[0], greys[0], greys[0]}},
		"palette, see-through":         {rawPNG(w, h, 2, 3, bits(w, h, 2, quarter), palette, chunk("tRNS", []byte{255, 0})), over(1, white)},
		"grey, a colour see-through":   {rawPNG(w, h, 2, 0, bits(w, h, 2, quarter), chunk("tRNS", []byte{0, 0})), [4]color.NRGBA{white, greys[1], greys[2], white}},
		"colour, a colour see-through": {rawPNG(w, h, 8, 2, samples(func(c color.NRGBA) []byte { return []byte{c.R, c.G, c.B} }), chunk("tRNS", []byte{0, blue.R, 0, blue.G, 0, blue.B})), over(2, white)},
		"grey with alpha":              {rawPNG(w, h, 8, 4, samples(func(c color.NRGBA) []byte { return []byte{0, map[bool]byte{true: 255}[c == red]} })), [4]color.NRGBA{greys[0], white, white, white}},
		"colour with alpha": {rawPNG(w, h, 8, 6, samples(func(c color.NRGBA) []byte {
			return []byte{c.R, c.G, c.B, map[bool]byte{true: 128, false: 255}[c == red]}
		})), over(0, half)},
		"colour with alpha 16": {rawPNG(w, h, 16, 6, samples(func(c color.NRGBA) []byte {
			return []byte{c.R, 0, c.G, 0, c.B, 0, map[bool]byte{false: 255}[c == red], 0}
		})), over(0, white)},
		"rotated":          {rawPNG(h, w, 8, 2, bits(h*3, w, 8, func(x, y int) int { return int([]byte{red.R, red.G, red.B}[x%3]) }), chunk("eXIf", exifBlock(binary.LittleEndian, 6, 72))), [4]color.NRGBA{red, red, red, red}},
		"standard library": {pngOf(t, quarters(w, h)), colours},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := corners(pictureOf(t, toPDF(t, tt.in), "1")); !sameColours(got, tt.want, 2) {
				t.Errorf("corners %v, want %v", got, tt.want)
			}
		})
	}
}

// An Adam7 file: of 2 × 2 pixels only passes 1, 6 and 7 exist.
func TestInterlacedPNG(t *testing.T) {
	t.Parallel()
	px := func(c color.NRGBA) []byte { return []byte{c.R, c.G, c.B} }
	in := rawPNG(2, 2, 8, 2, make([]byte, 12))
	rows := append([]byte{0}, px(red)...)
	rows = append(append(rows, 0), px(green)...)
	rows = append(append(append(rows, 0), px(blue)...), px(yellow)...)
	in[28] = 1 // interlace method
	copy(in[29:], binary.BigEndian.AppendUint32(nil, crcOf(in[12:29])))
	at := bytes.Index(in, []byte("IDAT")) - 4
	in = append(append(in[:at:at], chunk("IDAT", deflated(rows))...), chunk("IEND", nil)...)
	if got := corners(pictureOf(t, toPDF(t, in), "1")); !sameColours(got, [4]color.NRGBA{red, green, blue, yellow}, 40) {
		t.Errorf("corners %v", got)
	}
}

func TestGIF(t *testing.T) {
	t.Parallel()
	m := image.NewPaletted(image.Rect(0, 0, 80, 40), color.Palette{red, green, blue, yellow, color.NRGBA{}})
	for i := range m.Pix {
		x, y := i%80, i/80
		m.Pix[i] = byte(x*2/80 + y*2/40*2)
		if m.Pix[i] == 3 {
			m.Pix[i] = 4
		}
	}
	if got := corners(pictureOf(t, toPDF(t, gifOf(t, m)), "1")); !sameColours(got, [4]color.NRGBA{red, green, blue, {255, 255, 255, 255}}, 2) {
		t.Errorf("corners %v", got)
	}
}

// TestImagesMatchTheReference compares with a PNG of the same picture.
func TestImagesMatchTheReference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, ref   string
		tolerance float64
	}{
		{"video-001.lossy.webp", "video-001.png", 6},
		{"gopher-doc.with-alpha.lossless.webp", "gopher-doc.with-alpha.png", 1.5},
		{"bw-gopher_ccittGroup4.tiff", "bw-gopher.png", 0.5},
		{"video-001.progressive.jpeg", "video-001.png", 5},
		{"video-001.rgb.jpeg", "video-001.rgb.png", 5},
		{"video-001.cmyk.jpeg", "video-001.cmyk.png", 12}, // the look of inks is up to the viewer
		{"video-001.interlaced.gif", "video-001.png", 12},
	} {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			read := func(name string) image.Image {
				b, err := os.ReadFile(filepath.Join("testdata", name))
				if err != nil {
					t.Fatal(err)
				}
				return pictureOf(t, toPDF(t, b), "1", "-scale-to-x", "120", "-scale-to-y", "80")
			}
			a, b := read(tt.in), read(tt.ref)
			if a.Bounds() != b.Bounds() {
				t.Fatalf("%v and %v", a.Bounds(), b.Bounds())
			}
			if d := difference(a, b); d > tt.tolerance {
				t.Errorf("colours differ by %.2f of 255", d)
			}
		})
	}
}

func difference(a, b image.Image) float64 {
	total := 0.0
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(ar) - int(br), int(ag) - int(bg), int(ab) - int(bb)} {
				total += float64(max(d, -d)) / 257
			}
		}
	}
	return total / float64(r.Dx()*r.Dy()*3)
}

func tiffOf(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// joinTIFF joins files into one with several pages: each is appended to the
// others, and its directory linked.
func joinTIFF(files ...[]byte) []byte {
	order := binary.LittleEndian
	var out []byte
	link := 4
	for _, f := range files {
		base := uint32(len(out))
		part := bytes.Clone(f)
		dir := order.Uint32(part[4:])
		n := int(order.Uint16(part[dir:]))
		for i := range n {
			e := part[int(dir)+2+12*i:]
			size := map[uint16]uint32{1: 1, 2: 1, 3: 2, 4: 4, 5: 8}[order.Uint16(e[2:])] * order.Uint32(e[4:])
			if tag := order.Uint16(e); size > 4 || tag == 273 { // an offset
				order.PutUint32(e[8:], order.Uint32(e[8:])+base)
			}
		}
		out = append(out, part...)
		order.PutUint32(out[link:], base+dir)
		link = int(base+dir) + 2 + 12*n
	}
	return out
}

func TestTIFFPages(t *testing.T) {
	t.Parallel()
	first, second := quarters(60, 40), image.NewGray(image.Rect(0, 0, 30, 90))
	name := toPDF(t, joinTIFF(tiffOf(t, first), tiffOf(t, second), tiffOf(t, first)))
	for page, want := range map[string][4]color.NRGBA{
		"1": {red, green, blue, yellow}, "2": {{A: 255}, {A: 255}, {A: 255}, {A: 255}}, "3": {red, green, blue, yellow},
	} {
		if got := corners(pictureOf(t, name, page)); !sameColours(got, want, 2) {
			t.Errorf("page %s: corners %v, want %v", page, got, want)
		}
	}
}

func TestGreyJPEG(t *testing.T) {
	t.Parallel()
	grey := image.NewGray(image.Rect(0, 0, 40, 40))
	for i := range grey.Pix {
		grey.Pix[i] = 77
	}
	want := color.NRGBA{77, 77, 77, 255}
	if got := corners(pictureOf(t, toPDF(t, jpegOf(t, grey)), "1")); !sameColours(got, [4]color.NRGBA{want, want, want, want}, 3) {
		t.Errorf("corners %v", got)
	}
}

func TestImagesAreRefused(t *testing.T) {
	t.Parallel()
	jpg, pic := jpegOf(t, quarters(64, 64)), pngOf(t, quarters(64, 64))
	huge := rawPNG(1, 1, 8, 0, []byte{0})
	copy(huge[16:], []byte{0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0}) // 100,000 × 100,000
	copy(huge[29:], binary.BigEndian.AppendUint32(nil, crcOf(huge[12:29])))
	frame := func(b []byte) int { return bytes.Index(b, []byte{0xFF, 0xC0}) }
	changed := func(at int, v byte) []byte {
		b := bytes.Clone(jpg)
		b[at] = v
		return b
	}
	large := bytes.Clone(jpg)
	copy(large[frame(jpg)+5:], []byte{0xFF, 0xFF, 0xFF, 0xFF})
	loop := tiffOf(t, quarters(4, 4))
	dir := binary.LittleEndian.Uint32(loop[4:])
	binary.LittleEndian.PutUint32(loop[int(dir)+2+12*int(binary.LittleEndian.Uint16(loop[dir:])):], dir)
	for _, tt := range []struct {
		name string
		in   []byte
		want error
		why  string // in the catalogue
	}{
		{"empty", nil, convert.ErrUnsupported, ""},
		{"text", []byte("hello"), convert.ErrUnsupported, ""},
		{"a PDF", []byte("%PDF-1.7"), convert.ErrUnsupported, ""},
		{"PNG of 100,000 × 100,000", huge, convert.ErrTooLarge, ""},
		{"JPEG of 65,535 × 65,535", large, convert.ErrTooLarge, ""},
		{"JPEG, cut", jpg[:len(jpg)/2], convert.ErrDamaged, ""},
		{"JPEG, cut in the header", jpg[:20], convert.ErrDamaged, ""},
		{"JPEG, no end", jpg[:len(jpg)-2], convert.ErrDamaged, ""},
		{"JPEG, arithmetic", changed(frame(jpg)+1, 0xC9), convert.ErrUnsupported, "image.variant"},
		{"JPEG, lossless", changed(frame(jpg)+1, 0xC3), convert.ErrUnsupported, "image.variant"},
		{"JPEG, 12 bits", changed(frame(jpg)+4, 12), convert.ErrUnsupported, "image.variant"},
		{"PNG, cut", pic[:len(pic)/2], convert.ErrDamaged, ""},
		{"PNG, cut in the header", pic[:20], convert.ErrDamaged, ""},
		{"PNG, a bit flipped", flipped(pic, len(pic)/2), convert.ErrDamaged, ""},
		{"PNG, no data", append(pic[:33:33], chunk("IEND", nil)...), convert.ErrDamaged, ""},
		{"PNG, too little data", rawPNG(4, 2, 8, 0, []byte{1, 2}), convert.ErrDamaged, ""},
		{"PNG, too much data", rawPNG(1, 1, 8, 0, make([]byte, 100)), convert.ErrDamaged, ""},
		{"PNG, filter 9", badFilter(), convert.ErrDamaged, ""},
		{"PNG, palette without colours", rawPNG(1, 1, 8, 3, []byte{0}), convert.ErrDamaged, ""},
		{"GIF, cut", []byte("GIF89a\x10\x00\x10\x00"), convert.ErrDamaged, ""},
		{"GIF of 65,535 × 65,535", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,"), convert.ErrTooLarge, ""},
		{"WebP, cut", []byte("RIFF\x10\x00\x00\x00WEBPVP8 "), convert.ErrDamaged, ""},
		{"WebP, animated", []byte("RIFF\x20\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x01\x00\x00"), convert.ErrUnsupported, "image.animated"},
		{"TIFF, cut", []byte("II*\x00\x08\x00\x00\x00"), convert.ErrDamaged, ""},
		{"TIFF, a cycle", loop, convert.ErrDamaged, ""},
		{"BigTIFF", []byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"), convert.ErrUnsupported, "image.big_tiff"},
		{"BigTIFF, whole", fileOf(t, "bigtiff.tif"), convert.ErrUnsupported, "image.big_tiff"},
		{"TIFF of floating-point numbers", fileOf(t, "floating-point.tif"), convert.ErrUnsupported, "image.floating_point"},
		{"GIF, animated", animatedGIF(t, 2), convert.ErrUnsupported, "image.animated"},
		{"PNG, animated", append(append(pic[:33:33], chunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})...), pic[33:]...), convert.ErrUnsupported, "image.animated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := convert.Image(t.Context(), bytes.NewReader(tt.in), int64(len(tt.in)), &out, convert.ImageLimits{})
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if r, ok := errors.AsType[*convert.Refusal](err); !ok || (r.Why.Name == "why") != (tt.want == convert.ErrTooLarge || tt.why != "") || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("refused without a reason: %v", err)
			}
		})
	}
}

func TestLimitsAreNamed(t *testing.T) {
	t.Parallel()
	try := func(in []byte, l convert.ImageLimits) error {
		return convert.Image(t.Context(), bytes.NewReader(in), int64(len(in)), new(bytes.Buffer), l)
	}
	one := tiffOf(t, quarters(100, 100))
	for want, err := range map[string]error{
		"limit.image_pixels": try(pngOf(t, quarters(100, 100)), convert.ImageLimits{Pixels: 9999}),
		"limit.image_memory": try(one, convert.ImageLimits{Memory: 9999}),
		"limit.image_pages":  try(joinTIFF(one, one), convert.ImageLimits{Pages: 1}),
	} {
		if !errors.Is(err, convert.ErrTooLarge) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestImageStopsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, in := range [][]byte{jpegOf(t, quarters(64, 64)), pngOf(t, quarters(64, 64)), gifOf(t, quarters(64, 64)),
		tiffOf(t, quarters(64, 64))} {
		if err := convert.Image(ctx, bytes.NewReader(in), int64(len(in)), new(bytes.Buffer),
			convert.ImageLimits{}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestWriteErrorsAreReported(t *testing.T) {
	t.Parallel()
	in := pngOf(t, quarters(64, 64))
	full := errors.New("disk full")
	if err := convert.Image(t.Context(), bytes.NewReader(in), int64(len(in)), failing{full},
		convert.ImageLimits{}); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// fileOf reads a file of testdata.
func fileOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// animatedGIF returns a GIF of many pictures.
func animatedGIF(t *testing.T, frames int) []byte {
	t.Helper()
	one := gifOf(t, quarters(64, 64))
	frame := bytes.LastIndex(one, []byte{0x2c, 0, 0, 0, 0, 64, 0, 64, 0})
	if frame < 0 {
		t.Fatal("no frame found")
	}
	return append(append(bytes.Clone(one[:frame]), bytes.Repeat(one[frame:len(one)-1], frames)...), ';')
}
