package docx_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"paraph/app/convert/docx"
)

// sheet is a recorded page.
type sheet struct {
	w, h   float64
	texts  []drawnText
	lines  [][4]float64
	rects  [][4]float64
	images [][4]float64
}

type drawnText struct {
	x, y, size   float64
	bold, italic bool
	colour       [3]float64
	s            string
}

// recorder is a canvas that records every call; characters are half as wide as high.
type recorder struct {
	pages    []*sheet
	measured int
	bad      string // the first invalid call
}

func (c *recorder) page() *sheet { return c.pages[len(c.pages)-1] }

func (c *recorder) check(v ...float64) {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e5 {
			c.bad = "a length out of range"
		}
	}
	if len(c.pages) == 0 {
		c.bad = "drawing before the first page"
	}
}

func (c *recorder) NewPage(w, h float64) {
	c.pages = append(c.pages, &sheet{w: w, h: h})
	c.check(w, h)
}

func (c *recorder) Text(x, y, size float64, bold, italic bool, r, g, b float64, s string) {
	c.check(x, y, size)
	if !utf8.ValidString(s) || size <= 0 || strings.TrimSpace(s) == "" {
		c.bad = "text that cannot be drawn"
	}
	c.page().texts = append(c.page().texts, drawnText{x, y, size, bold, italic, [3]float64{r, g, b}, s})
}

func (c *recorder) Measure(size float64, _, _ bool, s string) float64 {
	c.measured++
	return float64(utf8.RuneCountInString(s)) * size / 2
}

func (c *recorder) Line(x1, y1, x2, y2, width float64, _, _, _ float64) {
	c.check(x1, y1, x2, y2, width)
	c.page().lines = append(c.page().lines, [4]float64{x1, y1, x2, y2})
}

func (c *recorder) Rect(x, y, w, h float64, _, _, _ float64) {
	c.check(x, y, w, h)
	c.page().rects = append(c.page().rects, [4]float64{x, y, w, h})
}

func (c *recorder) Image(x, y, w, h float64, _ []byte) error {
	c.check(x, y, w, h)
	c.page().images = append(c.page().images, [4]float64{x, y, w, h})
	return nil
}

// text returns everything written on a page, one line per call.
func (s *sheet) text() string {
	var out []string
	for _, t := range s.texts {
		out = append(out, strings.TrimSpace(t.s))
	}
	return strings.Join(out, "\n")
}

// find returns the call that wrote a text.
func (c *recorder) find(tb testing.TB, s string) (drawnText, int) {
	tb.Helper()
	for n, pg := range c.pages {
		if i := slices.IndexFunc(pg.texts, func(t drawnText) bool { return strings.Contains(t.s, s) }); i >= 0 {
			return pg.texts[i], n
		}
	}
	tb.Fatalf("%q is on no page", s)
	return drawnText{}, 0
}

// render draws a file that must be valid.
func render(tb testing.TB, f docxFile) (*recorder, []docx.Finding) {
	tb.Helper()
	b := f.bytes(tb)
	c := &recorder{}
	found, err := docx.Render(context.Background(), bytes.NewReader(b), int64(len(b)), "", c)
	if err != nil {
		tb.Fatal(err)
	}
	if c.bad != "" {
		tb.Error(c.bad)
	}
	return c, found
}

func hasFinding(found []docx.Finding, code string) bool {
	return slices.ContainsFunc(found, func(f docx.Finding) bool { return f.Code == code })
}

// body renders a body with default settings.
func body(tb testing.TB, s string) *recorder {
	tb.Helper()
	c, _ := render(tb, docxFile{body: s})
	return c
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.51 }
