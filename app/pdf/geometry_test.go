package pdf_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// corner is black in the top left quarter of its box and blank elsewhere.
type corner struct{ width, height float64 }

func (c corner) Stream() (*object.Stream, error) {
	return &object.Stream{
		Dict: object.Dict{
			"Type": object.Name("XObject"), "Subtype": object.Name("Form"),
			"BBox": object.Array{0, 0, c.width, c.height}, "Resources": object.Dict{},
		},
		Data: fmt.Appendf(nil, "0 g 0 %g %g %g re f", c.height/2, c.width/2, c.height/2),
	}, nil
}

// turnedCorner is corner for a page rotated clockwise.
type turnedCorner struct {
	corner
	rotate int
}

func (c turnedCorner) Stream() (*object.Stream, error) {
	s, err := c.corner.Stream()
	switch c.rotate {
	case 90:
		s.Dict["Matrix"] = object.Array{0, 1, -1, 0, c.height, 0}
	case 180:
		s.Dict["Matrix"] = object.Array{-1, 0, 0, -1, c.width, c.height}
	case 270:
		s.Dict["Matrix"] = object.Array{0, -1, 1, 0, 0, c.width}
	}
	return s, err
}

func TestGeometry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attributes    string
		width, height float64
		rotate        int
	}{
		{"/MediaBox[0 0 600 800]", 600, 800, 0},
		{"/MediaBox[0 0 600 800]/Rotate 90", 800, 600, 90},
		{"/MediaBox[0 0 600 800]/Rotate 180", 600, 800, 180},
		{"/MediaBox[0 0 600 800]/Rotate -90", 800, 600, 270},
		{"/MediaBox[0 0 600 800]/Rotate 450", 800, 600, 90},
		{"/MediaBox[-100 -50 500 750]", 600, 800, 0},
		{"/MediaBox[600 800 0 0]/CropBox[100 50 400 450]", 300, 400, 0},
		{"/MediaBox[0 0 600 800]/CropBox[100 50 400 450]/Rotate 90", 400, 300, 90},
		{"/MediaBox[0 0 600 800]/CropBox[100 50 400 450]/Rotate 180", 300, 400, 180},
		{"/MediaBox[-100 -50 600 800]/CropBox[100 50 400 450]/Rotate 270", 400, 300, 270},
		{"/MediaBox[0 0 600 800]/CropBox[300 400 900 900]", 300, 400, 0},
		{"/MediaBox[0 0 600 800]/UserUnit 2", 600, 800, 0},
		{"", 612, 792, 0},
	} {
		t.Run(c.attributes, func(t *testing.T) {
			t.Parallel()
			chain := newChain(t, sized(1, c.attributes, 0))
			page := chain.open().Pages()[0]
			if page.Width != c.width || page.Height != c.height || page.Rotate != c.rotate {
				t.Fatalf("page %+v", page)
			}
			box := document.Box{X: 0.6, Y: 0.55, Width: 0.3, Height: 0.2}
			back := page.Box(page.Rect(box))
			deviation := math.Abs(back.X-box.X) + math.Abs(back.Y-box.Y) +
				math.Abs(back.Width-box.Width) + math.Abs(back.Height-box.Height)
			if deviation > 1e-9 {
				t.Errorf("%v is converted back to %v", box, back)
			}
			w, h := page.Size(box)
			chain.add(pdf.Prepare(chain.base(), pdf.PrepareSpec{Fields: []pdf.FieldSpec{{
				Name: "stamp", Type: pdf.FieldStamp, X: box.X, Y: box.Y, Width: box.Width, Height: box.Height,
				Appearance: turnedCorner{corner{w, h}, c.rotate},
			}}}))
			x1, y1, x2, y2 := ink(t, chain.bytes)
			deviations := []float64{x1 - box.X, y1 - box.Y, x2 - (box.X + box.Width/2), y2 - (box.Y + box.Height/2)}
			for _, d := range deviations {
				if math.Abs(d) > 0.02 {
					t.Errorf("ink at %.2f %.2f to %.2f %.2f", x1, y1, x2, y2)
				}
			}
			fields := chain.open().Inspect().FormFields
			if len(fields) != 2 || math.Abs(fields[0].X-box.X) > 1e-4 ||
				math.Abs(fields[0].Height-box.Height) > 1e-4 {
				t.Errorf("fields %+v", fields)
			}
		})
	}
}

// ink renders the first page without its text and returns the corners of the
// black area as fractions. The text of the test pages is grey enough to be
// ignored.
func ink(t *testing.T, b []byte) (x1, y1, x2, y2 float64) {
	t.Helper()
	b = bytes.ReplaceAll(b, []byte("(Page 1) Tj"), []byte("(      ) Tj"))
	out := filepath.Join(t.TempDir(), "page")
	if s, err := tool(t, "pdftoppm", "-r", "36", "-cropbox", "-singlefile", "-png", file(t, b), out); err != nil {
		t.Fatal(err, s)
	}
	in, err := os.Open(out + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	img, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	x1, y1 = 1, 1
	for y := range size.Y {
		for x := range size.X {
			if r, _, _, _ := img.At(x, y).RGBA(); r < 0x8000 {
				fx, fy := float64(x)/float64(size.X), float64(y)/float64(size.Y)
				x1, y1, x2, y2 = min(x1, fx), min(y1, fy), max(x2, fx), max(y2, fy)
			}
		}
	}
	return x1, y1, x2, y2
}
