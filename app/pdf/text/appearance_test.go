package text_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"paraph/app/pdf/object"
	"paraph/app/pdf/text"
)

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pad returns a picture of 200 by 100 with ink only in one part.
func pad() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	for y := 40; y < 60; y++ {
		for x := 50; x < 150; x++ {
			m.SetNRGBA(x, y, color.NRGBA{0, 0, 150, uint8(55 + x)})
		}
	}
	return m
}

// wave returns a signature drawn with a pen.
func wave() [][]text.Point {
	var s []text.Point
	for i := range 80 {
		x := float64(i)
		s = append(s, text.Point{X: x * 3, Y: 60 + 30*math.Sin(x/4)*math.Cos(x/11)})
	}
	return [][]text.Point{s, {{X: 20, Y: 100}, {X: 200, Y: 95}}, {{X: 150, Y: 20}}}
}

// gallery returns every kind of appearance, each at a place on a page of 400 by 300.
func gallery(t testing.TB, set *text.Set) []widget {
	t.Helper()
	picture, err := set.Picture(pngOf(t, pad()), true)
	if err != nil {
		t.Fatal(err)
	}
	box := text.Box{Width: 180, Height: 24}
	large := text.Box{Width: 180, Height: 60}
	small := text.Box{Width: 16, Height: 16}
	long := "A value that is far too long for the box it was typed into, by far"
	return []widget{
		{10, 270, set.Text(box, text.Field{Text: "Zoë Łuczak"})},
		{210, 270, set.Text(box, text.Field{Text: "1,234.50", Align: text.AlignRight})},
		{10, 240, set.Text(box, text.Field{Text: "محمد بن عبد الله"})},
		{210, 240, set.Text(box, text.Field{Text: "centred 漢字", Align: text.AlignCenter, Size: 16})},
		{10, 210, set.Text(box, text.Field{Text: long})},
		{210, 210, set.Text(text.Box{Width: 60, Height: 24}, text.Field{Text: long})},
		{290, 210, set.Check(small, true, text.Color{})},
		{310, 210, set.Radio(small, true, text.Color{})},
		{330, 210, set.Check(small, false, text.Color{})},
		{10, 145, set.Text(large, text.Field{Text: "One line\nand another one that is long enough to be wrapped\n\nand a last one", Multiline: true})},
		{210, 145, set.Stamp(large, text.Color{R: 0.7}, "RECEIVED", "21 November 2026", "Acme Ltd.")},
		{10, 80, set.Signature(large, text.Mark{Strokes: wave(), Color: text.Ink()}, "Signed by Zoë Łuczak", "2026-11-21 12:00 UTC")},
		{210, 80, set.Signature(large, text.Mark{Typed: "Zoë Łuczak", Color: text.Ink()}, "Signed by Zoë Łuczak <zoe@example.org>")},
		{10, 15, set.Signature(large, text.Mark{Picture: picture})},
		{210, 45, set.Signature(text.Box{Width: 60, Height: 30}, text.Mark{Typed: "ZŁ", Face: text.Script3})},
		{280, 45, set.Signature(text.Box{Width: 110, Height: 30}, text.Mark{Typed: "王小明", Face: text.Script2})},
		{210, 15, set.Attachment(box, "passport.pdf", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")},
	}
}

// Every appearance stays inside its box and looks the same at any page
// rotation.
func TestAppearancesOnTurnedPages(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	upright := make(map[int]image.Rectangle)
	for _, rotate := range []int{0, 90, 180, 270} {
		t.Run(fmt.Sprint(rotate), func(t *testing.T) {
			set := fonts.NewSet()
			widgets := gallery(t, set)
			for i := range widgets {
				widgets[i].appearance.Box.Rotate = rotate
			}
			path := writePDF(t, set, 400, 300, rotate, widgets...)
			run(t, "qpdf", "--check", path)
			const scale = 3
			m := render(t, path, scale)
			if m.Bounds().Dx() != 400*scale {
				t.Fatalf("page is %v", m.Bounds())
			}
			whole := ink(m, m.Bounds())
			if whole.Min.X < 9*scale || whole.Max.X > 391*scale || whole.Min.Y < 5*scale || whole.Max.Y > 286*scale {
				t.Errorf("something is outside: %v", whole)
			}
			for i, w := range widgets {
				b := w.appearance.Box
				place := image.Rect(int(w.x*scale), int((300-w.y-b.Height)*scale),
					int((w.x+b.Width)*scale), int((300-w.y)*scale))
				got := ink(m, place)
				if i == 8 { // the unchecked mark
					if !got.Empty() {
						t.Errorf("an unchecked box shows %v", got)
					}
					continue
				}
				if got.Empty() {
					t.Errorf("appearance %d is empty", i)
				}
				got = got.Sub(place.Min)
				if rotate == 0 {
					upright[i] = got
				}
				if !near(got, upright[i]) {
					t.Errorf("appearance %d is at %v, on an upright page at %v", i, got, upright[i])
				}
			}
		})
	}
}

func near(a, b image.Rectangle) bool {
	const most = 3
	d := func(x, y int) bool { return x-y <= most && y-x <= most }
	return d(a.Min.X, b.Min.X) && d(a.Min.Y, b.Min.Y) && d(a.Max.X, b.Max.X) && d(a.Max.Y, b.Max.Y)
}

func TestOtherToolsReadAppearances(t *testing.T) {
	t.Parallel()
	set := text.New().NewSet()
	path := writePDF(t, set, 400, 300, 0, gallery(t, set)...)
	run(t, "mutool", "draw", "-q", "-o", "/dev/null", "-F", "png", path)
	for _, want := range []string{"Zoë Łuczak", "1,234.50", "A value that is far", "RECEIVED", "passport.pdf", "王小明"} {
		if got := run(t, "pdftotext", "-layout", path, "-"); !strings.Contains(got, want) {
			t.Errorf("%q is not found in %q", want, got)
		}
	}
}

func TestAlignment(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	for name, c := range map[string]struct {
		field       text.Field
		left, right bool // touches the side
	}{
		"start":          {text.Field{Text: "abc"}, true, false},
		"start, Hebrew":  {text.Field{Text: "אבג"}, false, true},
		"left, Hebrew":   {text.Field{Text: "אבג", Align: text.AlignLeft}, true, false},
		"right":          {text.Field{Text: "abc", Align: text.AlignRight}, false, true},
		"center":         {text.Field{Text: "abc", Align: text.AlignCenter}, false, false},
		"multiline":      {text.Field{Text: "abc", Multiline: true}, true, false},
		"fixed size":     {text.Field{Text: "abc", Size: 12}, true, false},
		"far too large":  {text.Field{Text: "abc", Size: 400}, true, false},
		"fills the line": {text.Field{Text: strings.Repeat("mmmm", 40)}, true, true},
	} {
		set := fonts.NewSet()
		path := writePDF(t, set, 200, 60, 0, widget{20, 20, set.Text(text.Box{Width: 160, Height: 20}, c.field)})
		m := render(t, path, 2)
		r := ink(m, m.Bounds())
		if left, right := r.Min.X < 2*32, r.Max.X > 2*164; left != c.left || right != c.right {
			t.Errorf("%s: ink %v; at the left %v, right %v", name, r, left, right)
		}
		if r.Min.X < 40 || r.Max.X > 2*181 || r.Min.Y < 2*19 || r.Max.Y > 2*41 {
			t.Errorf("%s: ink %v is outside of the box", name, r)
		}
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	set := fonts.NewSet()
	trimmed, err := set.Picture(pngOf(t, pad()), true)
	if err != nil || trimmed.Width != 100 || trimmed.Height != 20 {
		t.Errorf("trimmed picture: %+v, %v", trimmed, err)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, pad(), nil); err != nil {
		t.Fatal(err)
	}
	photo, err := set.Picture(b.Bytes(), true)
	if err != nil || photo.Width != 200 {
		t.Errorf("photo: %+v, %v", photo, err)
	}
	var o objects
	set.Embed(&o)
	var masks, passed int
	for _, v := range o {
		if s, ok := v.(*object.Stream); ok {
			if _, ok := s.Dict["SMask"]; ok {
				masks++
			}
			if s.Dict["Filter"] == object.Name("DCTDecode") && bytes.Equal(s.Data, b.Bytes()) {
				passed++
			}
		}
	}
	if masks != 1 || passed != 1 || len(o) != 3 {
		t.Errorf("%d soft masks, %d unchanged photos, %d objects", masks, passed, len(o))
	}
	huge := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	copy(huge[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65,536 by 65,536; refused before decoding
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "half": b.Bytes()[:len(b.Bytes())/50], "huge": huge,
		"invisible": pngOf(t, image.NewNRGBA(image.Rect(0, 0, 5, 5))),
	} {
		if _, err := set.Picture(data, true); !errors.Is(err, text.ErrPicture) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func inflated(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A set for a file that may have no transparency leaves out what is transparent, rather than drawing it white.
func TestHolesWithoutTransparency(t *testing.T) {
	t.Parallel()
	m := image.NewNRGBA(image.Rect(0, 0, 8, 1))
	for x := range 3 {
		m.SetNRGBA(x, 0, color.NRGBA{200, 200, 200, 255})
	}
	set := text.New().NewSet()
	set.Opaque = true
	p, err := set.Picture(pngOf(t, m), false)
	if err != nil {
		t.Fatal(err)
	}
	set.NewAppearance(text.Box{Width: 10, Height: 10}).Picture(0, 0, 8, 1, p)
	var o objects
	set.Embed(&o)
	var masks []string
	for _, v := range o {
		if s, ok := v.(*object.Stream); ok && s.Dict["ImageMask"] == true {
			masks = append(masks, fmt.Sprintf("%08b", inflated(t, s.Data)))
		} else if ok && s.Dict["SMask"] != nil {
			t.Error("it has a soft mask")
		}
	}
	if len(masks) != 1 || masks[0] != "[00011111]" {
		t.Errorf("what is left out is %v", masks)
	}
}

// A photo taken with the camera on its side is shown upright.
func TestEXIFOrientation(t *testing.T) {
	t.Parallel()
	m := image.NewGray(image.Rect(0, 0, 80, 40))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	for y := range 16 {
		for x := range 16 {
			m.SetGray(x, y, color.Gray{}) // black at the top left of the stored picture
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	fonts := text.New()
	for orientation, want := range map[byte]image.Point{
		1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1},
	} {
		exif := "\xFF\xD8\xFF\xE1\x00\x22Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(orientation) + "\x00\x00\x00\x00\x00\x00"
		set := fonts.NewSet()
		p, err := set.Picture(append([]byte(exif), b.Bytes()[2:]...), true)
		if err != nil {
			t.Fatal(err)
		}
		size := image.Pt(p.Width, p.Height)
		if turned := orientation >= 5; turned != (p.Width == 40) {
			t.Errorf("orientation %d: %v", orientation, size)
		}
		a := set.NewAppearance(text.Box{Width: float64(size.X), Height: float64(size.Y)})
		a.Drawing.Picture(0, 0, float64(size.X), float64(size.Y), p)
		shown := render(t, writePDF(t, set, float64(size.X), float64(size.Y), 0, widget{0, 0, a}), 1)
		r := ink(shown, shown.Bounds())
		if got := image.Pt(r.Min.X/(size.X/2), r.Min.Y/(size.Y/2)); got != want {
			t.Errorf("orientation %d: black is at %v of %v, want in quarter %v", orientation, r, size, want)
		}
	}
}

func TestStreamNeedsFonts(t *testing.T) {
	t.Parallel()
	set := text.New().NewSet()
	a := set.Text(text.Box{Width: 50, Height: 20}, text.Field{Text: "a"})
	if _, err := a.Stream(); !errors.Is(err, text.ErrNotEmbedded) {
		t.Errorf("stream before the fonts: %v", err)
	}
}

// The same drawing produces the same bytes, no matter what was drawn before
// with the same fonts.
func TestDrawingIsRepeatable(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	var first []byte
	for range 3 {
		set := fonts.NewSet()
		gallery(t, set)
		var o objects
		set.Embed(&o)
		b := assemble(t, o)
		if first == nil {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Error("fonts differ from one time to the next")
		}
	}
}
