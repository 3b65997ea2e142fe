package page_test

import (
	"fmt"
	"image/png"
	"io"
	"strings"
	"testing"

	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
)

// certificate draws a typical document made with a flow.
func certificate(b *page.Builder) *page.Flow {
	f := b.Flow(page.Layout{
		Header: func(n, of int) (string, string) { return "Certificate of completion", "Paraph" },
		Footer: func(n, of int) (string, string) {
			return "01JD0000000000000000000000", fmt.Sprintf("Page %d of %d", n, of)
		},
	})
	f.Heading(1, "Certificate of completion")
	f.Paragraph("This document says who signed, when and how. "+strings.Repeat("It was made by the service. ", 8), page.Paragraph{After: 8})
	f.Heading(2, "Document")
	f.KeyValues([2]string{"Title", "Rental agreement Größe 漢字"}, [2]string{"SHA-256", strings.Repeat("9f86d081884c7d65", 4)}, [2]string{"Status", "Completed"})
	f.Heading(2, "Events")
	var rows [][]string
	for i := range 90 {
		rows = append(rows, []string{fmt.Sprintf("2026-11-21 12:%02d:00 UTC", i%60), "invitation.signed", fmt.Sprintf("Person %d <person%d@example.org> signed in a way that takes a few words to tell", i, i)})
	}
	f.Table(page.Table{Widths: []float64{3, 2.5, 6}, Head: []string{"When", "What", "Who"}, Rows: rows})
	f.Rule()
	f.Paragraph("The end.", page.Paragraph{Style: text.Style{Bold: true}, Align: text.AlignRight, Color: text.Color{R: 0.5}})
	return f
}

func TestFlow(t *testing.T) {
	t.Parallel()
	b := page.New(text.New(), page.Info{Title: "Certificate"})
	f := certificate(b)
	if err := f.Image(picture(t, png.Encode), 100, 100); err != nil {
		t.Fatal(err)
	}
	pages := b.Pages()
	path := save(t, b)
	if pages < 3 {
		t.Fatalf("%d pages", pages)
	}
	for n := 1; n <= pages; n++ {
		got := run(t, "pdftotext", "-layout", "-f", fmt.Sprint(n), "-l", fmt.Sprint(n), path, "-")
		for _, want := range []string{"Paraph", fmt.Sprintf("Page %d of %d", n, pages), "When"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q on page %d:\n%s", want, n, got)
			}
		}
	}
	all := run(t, "pdftotext", "-layout", path, "-")
	for i := range 90 {
		if !strings.Contains(all, fmt.Sprintf("person%d@example.org", i)) {
			t.Errorf("row %d is missing", i)
		}
	}
}

func TestFlowFromRightToLeft(t *testing.T) {
	t.Parallel()
	b := page.New(text.New(), page.Info{Language: "ar"})
	f := b.Flow(page.Layout{RightToLeft: true, Footer: func(n, of int) (string, string) { return "شهادة", fmt.Sprint(n) }})
	f.Heading(1, "شهادة الإتمام")
	f.Paragraph("تثبت هذه الوثيقة من وقع ومتى وكيف.", page.Paragraph{})
	f.KeyValues([2]string{"العنوان", "عقد إيجار"}, [2]string{"SHA-256", "9f86d081"})
	path := save(t, b)
	if got := run(t, "pdftotext", path, "-"); !strings.Contains(got, "عقد إيجار") {
		t.Errorf("text is %q", got)
	}
}

// A cell taller than a page continues on the next pages with all of its text.
func TestRowTallerThanPage(t *testing.T) {
	t.Parallel()
	b := page.New(text.New(), page.Info{})
	f := b.Flow(page.Layout{Width: 200, Height: 150, Left: 20, Right: 20, Top: 20, Bottom: 20})
	var words []string
	for i := range 300 {
		words = append(words, fmt.Sprint("word", i))
	}
	f.Table(page.Table{Head: []string{"a", "b"}, Rows: [][]string{{"x", "y"}, {strings.Join(words, " "), "short"}, {"last", ""}}})
	got := run(t, "pdftotext", save(t, b), "-")
	for _, w := range append(words, "short", "last") {
		if !strings.Contains(got, w) {
			t.Errorf("%s is missing", w)
		}
	}
}

func TestSeveralFlowsAndPages(t *testing.T) {
	t.Parallel()
	b := page.New(text.New(), page.Info{})
	b.NewPage(300, 300)
	b.Text(10, 20, 12, false, false, 0, 0, 0, "drawn")
	for i := range 2 {
		f := b.Flow(page.Layout{Footer: func(n, of int) (string, string) { return fmt.Sprint("flow ", i), fmt.Sprintf("%d/%d", n, of) }})
		f.Paragraph("first", page.Paragraph{})
		f.Break()
		f.Paragraph("second", page.Paragraph{})
	}
	path := save(t, b)
	for n, want := range map[int]string{2: "1/2", 3: "2/2", 4: "1/2", 5: "2/2"} {
		if got := run(t, "pdftotext", "-f", fmt.Sprint(n), "-l", fmt.Sprint(n), path, "-"); !strings.Contains(got, want) {
			t.Errorf("no %q on page %d: %q", want, n, got)
		}
	}
}

func BenchmarkCertificate(b *testing.B) {
	fonts := text.New()
	b.ReportAllocs()
	var size int64
	for b.Loop() {
		d := page.New(fonts, page.Info{Title: "Certificate", Created: when})
		certificate(d)
		var err error
		if size, err = d.Write(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size), "bytes/pdf")
}
