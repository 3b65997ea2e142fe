package pdfium_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"paraph/app/pdf/pdfium"
)

func decode(tb testing.TB, b []byte) image.Image {
	tb.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	return img
}

func render(tb testing.TB, e *pdfium.Engine, src pdfium.Source, page, width int) image.Image {
	tb.Helper()
	b, err := e.Render(ctx(tb), src, page, width)
	if err != nil {
		tb.Fatal(err)
	}
	return decode(tb, b)
}

// ink returns the bounding box of everything darker than half gray.
func ink(img image.Image) image.Rectangle {
	var r image.Rectangle
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 128 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

func near(a, b image.Rectangle, by int) bool {
	for _, d := range []int{a.Min.X - b.Min.X, a.Min.Y - b.Min.Y, a.Max.X - b.Max.X, a.Max.Y - b.Max.Y} {
		if d > by || d < -by {
			return false
		}
	}
	return true
}

// TestGeometry compares pictures, sizes and word positions with poppler.
func TestGeometry(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	for _, page := range []string{
		letter,
		letter + "/CropBox[50 60 500 700]",
		letter + "/CropBox[50 60 500 700]/Rotate 90",
		letter + "/CropBox[50 60 500 700]/Rotate 180",
		letter + "/Rotate 270",
		letter + "/Rotate -90",
		letter + "/Rotate 450",
		letter + "/CropBox[-100 -100 900 900]",
		"/MediaBox[100 100 712 892]/Rotate 90",
		"/MediaBox[612 792 0 0]",
		"/MediaBox[0 0 200.5 792.25]/CropBox[80 500 200.5 700]",
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			src := write(t, onePage(page, "BT /F 24 Tf 110 600 Td (HEIM) Tj ET"))
			const width = 900
			got := render(t, e, src, 0, width)
			sizes, err := e.Pages(ctx(t), src)
			if err != nil {
				t.Fatal(err)
			}
			scale := width / sizes[0].Width // pixels per point
			base := filepath.Join(t.TempDir(), "poppler")
			tool(t, "pdftoppm", "-cropbox", "-png", "-singlefile", "-r", fmt.Sprint(72*scale), src.Paths[0], base)
			f, err := os.ReadFile(base + ".png")
			if err != nil {
				t.Fatal(err)
			}
			want := decode(t, f)
			if g, w := ink(got), ink(want); g.Empty() || !near(g, w, 2+int(scale)) {
				t.Errorf("ink at %v, poppler has it at %v", g, w)
			}
			sizeAndWord(t, e, src, got)
		})
	}
}

func sizeAndWord(t *testing.T, e *pdfium.Engine, src pdfium.Source, img image.Image) {
	t.Helper()
	sizes, err := e.Pages(ctx(t), src)
	if err != nil || len(sizes) != 1 {
		t.Fatalf("Pages = %v, %v", sizes, err)
	}
	b := img.Bounds()
	ratio := sizes[0].Height / sizes[0].Width * float64(b.Dx())
	if ratio < float64(b.Dy())-1 || ratio > float64(b.Dy())+1 {
		t.Errorf("size %v does not fit a picture of %v", sizes[0], b)
	}
	pages, err := e.Text(ctx(t), src)
	if err != nil || len(pages) != 1 || len(pages[0].Words) != 1 || pages[0].Words[0].Text != "HEIM" {
		t.Fatalf("Text = %v, %v", pages, err)
	}
	w := pages[0].Words[0]
	box := image.Rect(int(w.X*float64(b.Dx())), int(w.Y*float64(b.Dy())),
		int((w.X+w.W)*float64(b.Dx())+1), int((w.Y+w.H)*float64(b.Dy())+1))
	if in := ink(img); !in.In(box.Inset(-1)) || box.Dx() > 2*in.Dx()+60 || box.Dy() > 2*in.Dy()+60 {
		t.Errorf("word at %v, its ink at %v", box, in)
	}
}

func at(img image.Image, x, y float64) color.RGBA {
	b := img.Bounds()
	return color.RGBAModel.Convert(img.At(int(x*float64(b.Dx())), int(y*float64(b.Dy())))).(color.RGBA)
}

// TestFormFieldsAndAnnotations checks that both are drawn, since FPDF_ANNOT
// omits widgets.
func TestFormFieldsAndAnnotations(t *testing.T) {
	skipShort(t)
	t.Parallel()
	look := func(rgb string) string {
		return stream("/Type/XObject/Subtype/Form/BBox[0 0 100 100]", rgb+" rg 0 0 100 100 re f")
	}
	data := build(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/Annots[5 0 R 7 0 R]>>",
		stream("", ""),
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(b)/Rect[0 300 100 400]/F 4/AP<</N 6 0 R>>/P 3 0 R>>",
		look("1 0 0"),
		"<</Type/Annot/Subtype/Square/Rect[300 0 400 100]/F 4/AP<</N 8 0 R>>/P 3 0 R>>",
		look("0 0 1"),
	)
	img := render(t, open(t, nil), write(t, data), 0, 400)
	for _, c := range []struct {
		what string
		x, y float64
		want color.RGBA
	}{
		{"field", .12, .12, color.RGBA{255, 0, 0, 255}},
		{"annotation", .88, .88, color.RGBA{0, 0, 255, 255}},
		{"paper", .5, .5, color.RGBA{255, 255, 255, 255}},
	} {
		if got := at(img, c.x, c.y); got != c.want {
			t.Errorf("%s is %v, want %v", c.what, got, c.want)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	skipShort(t)
	t.Parallel()
	e := open(t, nil)
	src := write(t, lines("one"))
	tall := write(t, onePage("/MediaBox[0 0 3 14400]", ""))
	for _, c := range []struct {
		name        string
		src         pdfium.Source
		page, width int
		want        error
	}{
		{"page -1", src, -1, 100, pdfium.ErrNoPage},
		{"page past the end", src, 1, 100, pdfium.ErrNoPage},
		{"no width", src, 0, 0, pdfium.ErrTooLarge},
		{"41 megapixels", src, 0, 5630, pdfium.ErrTooLarge},
		{"far too wide", src, 0, 1 << 40, pdfium.ErrTooLarge},
		{"tall page", tall, 0, 80, nil},
		{"taller picture", tall, 0, 1000, pdfium.ErrTooLarge},
	} {
		if _, err := e.Render(ctx(t), c.src, c.page, c.width); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if got := render(t, e, src, 0, 5500).Bounds(); got != image.Rect(0, 0, 5500, 7118) {
		t.Errorf("39 megapixels are %v", got)
	}
}

// TestLetter renders a typical page: legible, and small enough for a phone.
func TestLetter(t *testing.T) {
	skipShort(t)
	t.Parallel()
	e := open(t, nil)
	src := letterOf(t, 7)
	b, err := e.Render(ctx(t), src, 0, 1240)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 120<<10 {
		t.Errorf("picture of %d bytes", len(b))
	}
	base := filepath.Join(t.TempDir(), "poppler")
	tool(t, "pdftoppm", "-png", "-singlefile", "-scale-to-x", "1240", "-scale-to-y", "1754", src.Paths[0], base)
	f, err := os.ReadFile(base + ".png")
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(decode(t, b), decode(t, f)); d > 8 {
		t.Errorf("mean difference from poppler is %.1f of 255", d)
	}
}

// difference returns the mean difference of gray levels.
func difference(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 255
	}
	sum, n := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			d := int(color.GrayModel.Convert(a.At(x, y)).(color.Gray).Y) -
				int(color.GrayModel.Convert(b.At(x, y)).(color.Gray).Y)
			sum += max(d, -d)
			n++
		}
	}
	return float64(sum) / float64(n)
}

// TestFonts checks that a font that the file names but does not embed is taken
// from the font directory, and only from there.
func TestFonts(t *testing.T) {
	skipShort(t)
	t.Parallel()
	src := write(t, build(
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>"+letter+">>",
		stream("", "BT /F 90 Tf 40 600 Td (Whim) Tj ET"),
		"<</Type/Font/Subtype/TrueType/BaseFont/GreatVibes-Regular/Encoding/WinAnsiEncoding/FontDescriptor 6 0 R>>",
		"<</Type/FontDescriptor/FontName/GreatVibes-Regular/Flags 32/FontBBox[-500 -400 1300 1000]/ItalicAngle 0/Ascent 900/Descent -400/CapHeight 700/StemV 50>>",
	))
	in := func(dir string) image.Image {
		return render(t, open(t, func(o *pdfium.Options) { o.FontDir = dir }), src, 0, 600)
	}
	with, without := in(fontDir(t, "GreatVibes-Regular")), in(t.TempDir())
	if ink(with).Empty() || ink(without).Empty() {
		t.Errorf("ink: %v with fonts, %v without", ink(with), ink(without))
	}
	if difference(with, without) == 0 {
		t.Error("the font folder makes no difference")
	}
}

// fontDir returns a directory with one of the fonts embedded in the program, so
// that no font has to be installed.
func fontDir(t *testing.T, name string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("..", "text", "fonts", name+".ttf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	font, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name+".ttf"), font, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
