package app_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"paraph/app/apptest"
)

// A sketch is a small grey picture of a page, from 0 for paper to 255 for ink.
type sketch struct {
	w, h int
	ink  []float64
}

const sketchWidth = 100

// newSketch averages many pixels per cell and blurs the cells, because programs
// smooth letters differently.
func newSketch(m image.Image) sketch {
	b := m.Bounds()
	s := sketch{w: sketchWidth, h: max(1, (b.Dy()*sketchWidth+b.Dx()/2)/b.Dx())}
	sums, counts := make([]float64, s.w*s.h), make([]float64, s.w*s.h)
	for y := range b.Dy() {
		for x := range b.Dx() {
			at := min(y*s.h/b.Dy(), s.h-1)*s.w + min(x*s.w/b.Dx(), s.w-1)
			sums[at] += 255 - float64(color.GrayModel.Convert(m.At(b.Min.X+x, b.Min.Y+y)).(color.Gray).Y)
			counts[at]++
		}
	}
	for i := range sums {
		sums[i] /= max(counts[i], 1)
	}
	s.ink = make([]float64, len(sums))
	for y := range s.h {
		for x := range s.w {
			n := 0.0
			for j := max(y-1, 0); j <= min(y+1, s.h-1); j++ {
				for i := max(x-1, 0); i <= min(x+1, s.w-1); i++ {
					s.ink[y*s.w+x] += sums[j*s.w+i]
					n++
				}
			}
			s.ink[y*s.w+x] /= n
		}
	}
	return s
}

// box returns the rectangle that contains all ink.
func (s sketch) box() image.Rectangle {
	var r image.Rectangle
	for i, v := range s.ink {
		if v > 12 {
			r = r.Union(image.Rect(i%s.w, i/s.w, i%s.w+1, i/s.w+1))
		}
	}
	return r
}

// unlike describes how two sketches of a page differ, or returns "".
func (s sketch) unlike(o sketch) string {
	if d := s.h - o.h; d < -2 || d > 2 {
		return fmt.Sprintf("%d × %d and %d × %d", s.w, s.h, o.w, o.h)
	}
	n := min(len(s.ink), len(o.ink))
	a, b := s.ink[:n], o.ink[:n]
	apart := 0.0
	for i := range a {
		apart += math.Abs(a[i]-b[i]) / float64(n)
	}
	if apart < 1 { // nearly uniform, such as blank pages
		return ""
	}
	if c := correlation(a, b); c < .8 {
		return fmt.Sprintf("correlation %.2f, %.0f apart", c, apart)
	}
	p, q := s.box(), o.box()
	for _, d := range []int{p.Min.X - q.Min.X, p.Min.Y - q.Min.Y, p.Max.X - q.Max.X, p.Max.Y - q.Max.Y} {
		if apart > 3 && (d < -8 || d > 8) {
			return fmt.Sprintf("ink in %v and %v", p, q)
		}
	}
	return ""
}

func correlation(a, b []float64) float64 {
	var ma, mb float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// pictureWidth is the width of the pictures that sketches are made from.
const pictureWidth = 400

// pictures compares the pictures of a completed file's pages that the product
// serves with those that poppler draws. It returns how many there are, and
// which differ.
func (j *judges) pictures(t *testing.T, c *apptest.Client, doc *apptest.Response, path string) (pages int, unlike []string) {
	t.Helper()
	dir := t.TempDir()
	// Quiet and with a time limit: some files take minutes and print gigabytes of
	// warnings.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	draw := exec.CommandContext(ctx, "pdftoppm", "-q", "-cropbox", "-gray", "-png", "-scale-to-x", fmt.Sprint(pictureWidth), "-scale-to-y", "-1", path, filepath.Join(dir, "page"))
	if err := draw.Run(); err != nil {
		t.Logf("pdftoppm: %v", err)
		return 0, nil
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	at := "/documents/" + doc.Text(t, "id") + "/files/" + doc.Text(t, "files.0.id")
	for i, name := range all {
		theirs, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := c.Get(t, fmt.Sprintf("%s/pages/%d.png?width=%d", at, i+1, pictureWidth))
		if r.Status != http.StatusOK {
			unlike = append(unlike, fmt.Sprintf("page %d is not drawn: %d %.200s", i+1, r.Status, r.Body))
			continue
		}
		if d := newSketch(decodePNG(t, r.Body)).unlike(newSketch(decodePNG(t, theirs))); d != "" {
			unlike = append(unlike, fmt.Sprintf("page %d: %s", i+1, d))
		}
	}
	return len(all), unlike
}

func decodePNG(t *testing.T, b []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSketchesRevealDifferences checks that the comparison works.
func TestSketchesRevealDifferences(t *testing.T) {
	t.Parallel()
	page := func(dx, dy int, grey uint8) image.Image {
		m := image.NewGray(image.Rect(0, 0, 400, 566))
		for i := range m.Pix {
			m.Pix[i] = 255
		}
		for y := range 120 {
			for x := range 250 {
				if x/5%2 == 0 && y/8%2 == 0 {
					m.SetGray(40+x+dx, 60+y+dy, color.Gray{Y: grey})
				}
			}
		}
		return m
	}
	blank := image.NewUniform(color.White)
	whole := newSketch(page(0, 0, 0))
	for name, x := range map[string]struct {
		other image.Image
		same  bool
	}{
		"itself":           {page(0, 0, 0), true},
		"a pixel off":      {page(1, 1, 0), true},
		"paler":            {page(0, 0, 90), true},
		"somewhere else":   {page(60, 200, 0), false},
		"twelve rows down": {page(0, 48, 0), false},
		"blank":            {cropped{blank, image.Rect(0, 0, 400, 566)}, false},
		"another shape":    {cropped{blank, image.Rect(0, 0, 400, 400)}, false},
	} {
		if got := whole.unlike(newSketch(x.other)); got == "" != x.same {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// cropped returns a part of a picture.
type cropped struct {
	image.Image
	box image.Rectangle
}

func (c cropped) Bounds() image.Rectangle { return c.box }
