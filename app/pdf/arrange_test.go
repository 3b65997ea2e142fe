package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"paraph/app/pdf"
)

// filed returns a file of three pages whose parts mention the page that they belong to: text,
// fields, bookmarks, destinations, tags and an article.
func filed() []byte {
	b := newBuilder()
	b.object(1, `<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/Outlines 40 0 R/Names<</Dests 50 0 R>>/Dests<</to1[11 0 R/Fit]/to2[12 0 R/Fit]>>
		/StructTreeRoot 60 0 R/MarkInfo<</Marked true>>/PageLabels<</Nums[0<</P(label-2)>>]>>/OpenAction[12 0 R/Fit]/Threads[70 0 R]/PieceInfo<</x(private-2)>>>>`)
	b.object(2, `<</Type/Pages/Kids[4 0 R 13 0 R]/Count 3/MediaBox[0 0 612 792]/Resources 6 0 R>>`)
	b.object(3, `<</Fields[21 0 R 22 0 R 25 0 R]/DR<</Font<</F 5 0 R>>>>/DA(/F 9 Tf)/XFA(xfa-2)>>`)
	b.object(4, `<</Type/Pages/Parent 2 0 R/Kids[11 0 R 12 0 R]/Count 2/Rotate 90>>`)
	b.object(5, `<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>`)
	// Resources of all pages: a picture of each, a form for each with the same resources, forms with
	// none of their own, and a font of drawings.
	b.object(6, `<</Font<</F 5 0 R/G 7 0 R>>/XObject<</I1 81 0 R/I2 82 0 R/I3 83 0 R/I#34 84 0 R/X1 91 0 R/X2 92 0 R/X3 93 0 R/Y 94 0 R>>
		/ExtGState<</S<</SMask<</S/Luminosity/G 95 0 R>>>>>>/Properties<</M2<</x(mark-2)>>>>>>`)
	b.object(7, `<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97
		/Widths[9]/CharProcs<</a 96 0 R>>/Resources 6 0 R>>`)
	for n := 1; n <= 5; n++ {
		b.stream(80+n, "/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", fmt.Sprintf("image-%d", n))
	}
	for n := 1; n <= 3; n++ {
		b.stream(90+n, "/Subtype/Form/BBox[0 0 9 9]/Resources 6 0 R", fmt.Sprintf("/I%d Do (form-%[1]d) pop", n))
	}
	b.stream(94, "/Subtype/Form/BBox[0 0 9 9]", "q /I4 Do Q")
	b.stream(95, "/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency>>/Resources<</XObject<</I 85 0 R/J 82 0 R>>>>", "/I Do")
	b.stream(96, "", "9 0 0 0 9 9 d1 /F 9 Tf")
	for n := 1; n <= 3; n++ {
		parent, annots := "4 0 R", []string{"21 0 R 31 0 R", "24 0 R 26 0 R 32 0 R", "23 0 R 33 0 R"}[n-1]
		if n == 3 {
			parent = "2 0 R"
		}
		b.object(10+n, fmt.Sprintf(`<</Type/Page/Parent %s/Contents %d 0 R/Annots[%s]/B[71 0 R]/StructParents %d/PieceInfo<</x(private-2)>>>>`, parent, 14+n, annots, n))
		b.stream(14+n, "", fmt.Sprintf("BT /F 20 Tf 72 700 Td (content-%d) Tj ET BI /W 1/H 1/BPC 8/CS/G ID (>) EI /S gs /X%[1]d Do /Y Do BT /G 9 Tf (a) Tj ET", n))
		b.object(30+n, fmt.Sprintf(`<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[%d 0 R/Fit]>>`, 11+n%3))
	}
	b.object(21, `<</FT/Tx/T(field-1)/V(value-1)/Type/Annot/Subtype/Widget/Rect[72 600 200 620]/P 11 0 R>>`)
	// A field on pages 2 and 3, and one with its widget apart on page 2.
	b.object(22, `<</FT/Tx/T(field-2)/V(value-2)/Kids[24 0 R]>>`)
	b.object(23, `<</Parent 25 0 R/Type/Annot/Subtype/Widget/Rect[72 600 200 620]/P 13 0 R>>`)
	b.object(24, `<</Parent 22 0 R/Type/Annot/Subtype/Widget/Rect[72 500 200 520]/P 12 0 R>>`)
	b.object(25, `<</FT/Tx/T(field-3)/V(value-3)/Kids[23 0 R 26 0 R]>>`)
	b.object(26, `<</Parent 25 0 R/Type/Annot/Subtype/Widget/Rect[72 400 200 420]/P 12 0 R>>`)
	b.object(40, `<</First 41 0 R/Last 41 0 R/Count 1>>`)
	b.object(41, `<</Title(bookmark-2)/Parent 40 0 R/Dest[12 0 R/Fit]>>`)
	b.object(50, `<</Kids[51 0 R]>>`)
	b.object(51, `<</Limits[(a-1)(c-3)]/Names[(a-1)[11 0 R/Fit](b-2)<</D[12 0 R/Fit]>>(c-3)[13 0 R/Fit]]>>`)
	b.object(60, `<</Type/StructTreeRoot/K<</S/P/Pg 12 0 R/K 0/ActualText(tag-2)>>>>`)
	b.object(70, `<</F 71 0 R/I<</Title(article-2)>>>>`)
	b.object(71, `<</T 70 0 R/N 71 0 R/V 71 0 R/P 12 0 R/R[0 0 9 9]>>`)
	return b.end("/Root 1 0 R")
}

func arranged(t *testing.T, upload []byte, pages ...pdf.PageChoice) []byte {
	t.Helper()
	f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := pdf.Arrange(t.Context(), &out, f, pages); err != nil {
		t.Fatal(err)
	}
	if msg, err := tool(t, "qpdf", "--check", file(t, out.Bytes())); err != nil {
		t.Fatalf("qpdf: %s", msg)
	}
	return out.Bytes()
}

func TestArrangePages(t *testing.T) {
	t.Parallel()
	type choices = []pdf.PageChoice
	for name, tt := range map[string]struct {
		pages   choices
		content string // of the pages, in order
		turned  []int
		gone    string // the number that everything about pages left out carries
		kept    []string
	}{
		"another order": {choices{{Page: 2}, {Page: 0}, {Page: 1}}, "content-3 content-1 content-2", []int{0, 90, 90}, "",
			[]string{"field-1", "field-2", "field-3", "bookmark-2", "tag-2", "(b-2)", "article-2"}},
		"turned": {choices{{Page: 0, Rotate: 270}, {Page: 1, Rotate: 90}, {Page: 2, Rotate: -90}}, "content-1 content-2 content-3",
			[]int{0, 180, 270}, "", []string{"bookmark-2", "tag-2"}},
		"without the second": {choices{{Page: 0}, {Page: 2}}, "content-1 content-3", []int{90, 0}, "2",
			[]string{"field-1", "field-3", "value-3", "(a-1)", "(c-3)", "/to1", "image-1", "image-3", "image-4", "image-5", "form-1", "form-3"}},
		"the last alone": {choices{{Page: 2, Rotate: 90}}, "content-3", []int{90}, "1",
			[]string{"field-3", "(c-3)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := arranged(t, filed(), tt.pages...)
			f, err := pdf.Open(bytes.NewReader(out), int64(len(out)))
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range f.Pages() {
				if p.Rotate != tt.turned[i] {
					t.Errorf("page %d is turned by %d", i+1, p.Rotate)
				}
			}
			got, _ := tool(t, "pdftotext", "-raw", file(t, out), "-")
			said := regexp.MustCompile(`content-\d`).FindAllString(got, -1)
			if strings.Join(said, " ") != tt.content {
				t.Errorf("the pages say %q", got)
			}
			for _, s := range tt.kept {
				if !bytes.Contains(out, []byte(s)) {
					t.Errorf("%s is lost", s)
				}
			}
			if tt.gone == "" {
				return
			}
			for _, s := range []string{"content-", "field-", "value-", "bookmark-", "tag-", "label-", "article-", "private-", "image-", "form-", "mark-", "xfa-", "(b-", "/to"} {
				if bytes.Contains(out, []byte(s+tt.gone)) {
					t.Errorf("%s%s remains", s, tt.gone)
				}
			}
			complete(t, out, twoSignatories())
		})
	}
}

// TestArrangeRealFiles turns the pages of real files around, and leaves out the first.
func TestArrangeRealFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"carriage-returns", "form", "linearized", "object-streams", "tables"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upload, err := os.ReadFile("../../testdata/pdf/" + name + ".pdf")
			if err != nil {
				t.Fatal(err)
			}
			f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
			if err != nil {
				t.Fatal(err)
			}
			var all []pdf.PageChoice
			for i := range f.Pages() {
				all = append([]pdf.PageChoice{{Page: i}}, all...)
			}
			back := arranged(t, arranged(t, upload, all...), all...)
			before, _ := tool(t, "pdftotext", "-layout", file(t, upload), "-")
			if after, _ := tool(t, "pdftotext", "-layout", file(t, back), "-"); after != before {
				t.Errorf("the text became\n%s\ninstead of\n%s", after, before)
			}
			if len(all) > 1 {
				arranged(t, upload, all[:len(all)-1]...)
			}
		})
	}
}

func TestArrangeRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		upload []byte
		pages  []pdf.PageChoice
		want   error
	}{
		"no pages":           {plain(2), nil, pdf.ErrSpec},
		"a page twice":       {plain(2), []pdf.PageChoice{{Page: 1}, {Page: 1}}, pdf.ErrSpec},
		"a page too many":    {plain(2), []pdf.PageChoice{{Page: 2}}, pdf.ErrSpec},
		"page -1":            {plain(2), []pdf.PageChoice{{Page: -1}}, pdf.ErrSpec},
		"turned by a little": {plain(2), []pdf.PageChoice{{Rotate: 45}}, pdf.ErrSpec},
		"a signed file":      {complete(t, plain(1), twoSignatories()).bytes, []pdf.PageChoice{{}}, pdf.ErrSigned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := pdf.Open(bytes.NewReader(tt.upload), int64(len(tt.upload)))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := pdf.Arrange(t.Context(), &out, f, tt.pages); !errors.Is(err, tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
