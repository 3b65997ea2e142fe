package pdfium_test

import (
	"encoding/xml"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"paraph/app/pdf/pdfium"
)

func TestTextOfPages(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	src := write(t, lines("First line\nsecond", "", "Third page"))
	pages, err := e.Text(ctx(t), src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pages {
		var words []string
		for _, w := range p.Words {
			words = append(words, w.Text)
		}
		got = append(got, p.Text+"|"+strings.Join(words, " "))
	}
	want := "First line\nsecond|First line second\n|\nThird page|Third page"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got %q\nwant %q", s, want)
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	src := write(t, lines("First line\nsecond", "Gr\\374\\337e", "Third page"))
	const all = "First line\nsecond\fGrüße\fThird page"
	for _, c := range []struct {
		limit int
		want  string
	}{
		{1000, all},
		{len(all), all},
		{5, "First"},
		{len("First line\nsecond\fGr") + 1, "First line\nsecond\fGr"},
		{len("First line\nsecond\fGrü"), "First line\nsecond\fGrü"},
		{0, ""},
		{-1, ""},
	} {
		got, err := e.PlainText(ctx(t), src, c.limit)
		if err != nil || got != c.want || !utf8.ValidString(got) {
			t.Errorf("%d bytes: %q, %v, want %q", c.limit, got, err, c.want)
		}
	}
}

// TestBrokenWords checks that a word that continues on the next line is one
// word in the text, for searching, and two on the page.
func TestBrokenWords(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	src := write(t, lines("This is an exam-\nple of two lines, well-known to all"))
	const want = "This is an example of two lines, well-known to all"
	if got, err := e.PlainText(ctx(t), src, 1000); err != nil || got != want {
		t.Errorf("plain: %q, %v", got, err)
	}
	pages, err := e.Text(ctx(t), src)
	if err != nil || len(pages) != 1 || pages[0].Text != want || len(pages[0].Words) != 11 {
		t.Errorf("text: %+v, %v", pages, err)
	}
}

// TestWordsAgainstPoppler compares every word of a letter and its position.
func TestWordsAgainstPoppler(t *testing.T) {
	skipShort(t)
	t.Parallel()
	e := open(t, nil)
	src := letterOf(t, 4)
	pages, err := e.Text(ctx(t), src)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Pages []struct {
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
			Words  []struct {
				X0   float64 `xml:"xMin,attr"`
				Y0   float64 `xml:"yMin,attr"`
				X1   float64 `xml:"xMax,attr"`
				Y1   float64 `xml:"yMax,attr"`
				Text string  `xml:",chardata"`
			} `xml:"word"`
		} `xml:"body>doc>page"`
	}
	out := tool(t, "pdftotext", "-bbox", src.Paths[0], "-")
	if err := xml.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Pages) != len(pages) || len(pages[0].Words) < 200 {
		t.Fatalf("%d pages, %d words; poppler has %d pages", len(pages), len(pages[0].Words), len(doc.Pages))
	}
	for i, page := range doc.Pages {
		if len(page.Words) != len(pages[i].Words) {
			t.Fatalf("page %d: %d words, poppler has %d", i+1, len(pages[i].Words), len(page.Words))
		}
		for j, w := range page.Words {
			got := pages[i].Words[j]
			dx := math.Abs(got.X*page.Width-w.X0) + math.Abs((got.X+got.W)*page.Width-w.X1)
			dy := math.Abs((got.Y+got.H/2)*page.Height - (w.Y0+w.Y1)/2)
			if got.Text != w.Text || dx > 1 || dy > 2 {
				t.Errorf("word %d is %+v, poppler has %+v", j, got, w)
			}
		}
	}
}

// TestPieces reads a file stored as a base and appended pieces.
func TestPieces(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	data := lines("First page "+strings.Repeat("x", 70_000), "Second page")
	var src pdfium.Source
	for _, piece := range [][]byte{data[:10], data[10:11], nil, data[11:66_000], data[66_000:]} {
		src.Paths = append(src.Paths, write(t, piece).Paths...)
	}
	got, err := e.PlainText(ctx(t), src, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.PlainText(ctx(t), write(t, data), 1<<20)
	if err != nil || got != want || !strings.Contains(got, "Second page") {
		t.Errorf("%d bytes from the pieces, %d from the whole file, %v", len(got), len(want), err)
	}
}
