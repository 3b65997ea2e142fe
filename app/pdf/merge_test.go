package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"paraph/app/pdf"
)

func merged(ctx context.Context, w io.Writer, uploads ...[]byte) error {
	return pdf.Merge(ctx, w, func(yield func(*pdf.File, error) bool) {
		for _, upload := range uploads {
			if !yield(pdf.Open(bytes.NewReader(upload), int64(len(upload)))) {
				return
			}
		}
	})
}

// withLayers returns a file with a hidden layer, an embedded file, a script, a calculated field, and
// names that filed has as well.
func withLayers() []byte {
	b := newBuilder()
	b.object(1, `<</Type/Catalog/Pages 2 0 R/Version/2.0/AcroForm<</Fields[5 0 R 6 0 R]/CO[6 0 R]/DA(/G 7 Tf)/DR<</Font<</F 8 0 R/G 8 0 R>>>>>>
		/OCProperties<</OCGs[9 0 R 10 0 R]/D<</BaseState/OFF/ON[10 0 R]>>>>/Names<</Dests<</Names[(a-1)[3 0 R/FitH 7]]>>
		/EmbeddedFiles<</Names[(x.txt)11 0 R]>>/JavaScript<</Names[(x)<</S/JavaScript/JS(script-4)>>]>>>>/AF[11 0 R]>>`)
	b.object(2, `<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 400]/Resources<</Font<</F 8 0 R>>/Properties<</L 9 0 R/K 10 0 R>>>>>>`)
	b.object(3, `<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[5 0 R 6 0 R 7 0 R]>>`)
	b.stream(4, "", "BT /F 20 Tf 10 300 Td (content-4) Tj ET /OC /L BDC BT /F 20 Tf 10 200 Td (unseen) Tj ET EMC")
	b.object(5, `<</FT/Tx/T(field-1)/V(value-4)/Type/Annot/Subtype/Widget/Rect[10 10 50 20]/P 3 0 R>>`)
	b.object(6, `<</FT/Tx/T(sum)/Type/Annot/Subtype/Widget/Rect[10 30 50 40]/P 3 0 R>>`)
	b.object(7, `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/GoTo/D(a-1)>>>>`)
	b.object(8, `<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>`)
	b.object(9, `<</Type/OCG/Name(hidden)>>`)
	b.object(10, `<</Type/OCG/Name(shown)>>`)
	b.object(11, `<</Type/Filespec/F(x.txt)/UF(x.txt)/EF<</F 12 0 R>>>>`)
	b.stream(12, "/Type/EmbeddedFile", "embedded-4")
	return b.end("/Root 1 0 R")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := merged(t.Context(), &out, filed(), withLayers(), filed()); err != nil {
		t.Fatal(err)
	}
	path := file(t, out.Bytes())
	if msg, err := tool(t, "qpdf", "--check", path); err != nil {
		t.Fatalf("qpdf: %s", msg)
	}
	got, _ := tool(t, "pdftotext", "-raw", path, "-")
	if said := strings.Join(regexp.MustCompile(`content-\d|unseen`).FindAllString(got, -1), " "); said != "content-1 content-2 content-3 content-4 content-1 content-2 content-3" {
		t.Errorf("the pages say %q", said)
	}
	f, err := pdf.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for _, p := range f.Pages() {
		sizes = append(sizes, fmt.Sprintf("%.0fx%.0f", p.Width, p.Height))
	}
	if got := strings.Join(sizes, " "); got != "792x612 792x612 612x792 300x400 792x612 792x612 612x792" {
		t.Errorf("the pages are %s", got)
	}
	for _, s := range []string{"(field-1)", "(field-1 (2))", "(field-1 (3))", "(field-3 (2))", "value-4", "script-4", "embedded-4", "/FitH 7", "/CO", "2.0"} {
		if !bytes.Contains(bytes.ReplaceAll(out.Bytes(), []byte(`\`), nil), []byte(s)) {
			t.Errorf("%s is lost", s)
		}
	}
	for _, s := range []string{"xfa-", "bookmark-", "tag-", "private-", "(a-1)"} {
		if bytes.Contains(out.Bytes(), []byte(s)) {
			t.Errorf("%s remains", s)
		}
	}
	if listed, err := tool(t, "qpdf", "--list-attachments", path); err != nil || !strings.Contains(listed, "x.txt") {
		t.Errorf("attachments: %s", listed)
	}
	complete(t, out.Bytes(), twoSignatories())
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		uploads [][]byte
		want    error
	}{
		"nothing":        {nil, pdf.ErrSpec},
		"a signed file":  {[][]byte{plain(1), complete(t, plain(1), twoSignatories()).bytes}, pdf.ErrSigned},
		"no PDF":         {[][]byte{plain(1), []byte("none")}, pdf.ErrNotPDF},
		"nested streams": {[][]byte{plain(1), nested(2000)}, pdf.ErrTooComplex},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := merged(t.Context(), io.Discard, tt.uploads...); !errors.Is(err, tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := merged(ctx, io.Discard, plain(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after its caller has gone: %v", err)
	}
}

// nested returns a file whose streams contain each other: a copy of each would take much more than
// the file.
func nested(count int) []byte {
	b := newBuilder()
	var all strings.Builder
	for i := range count {
		fmt.Fprintf(&all, "%d 0 R ", 10+i)
	}
	b.object(1, "<</Type/Catalog/Pages 2 0 R>>")
	b.object(2, "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 9 9]>>")
	b.object(3, "<</Type/Page/Parent 2 0 R/Contents[]/Resources<</X["+all.String()+"]>>>>")
	b.object(4, "<</Type/Page/Parent 2 0 R>>")
	const head = "%d 0 obj\n<</Length %7d>>\nstream\n"
	each := len(fmt.Sprintf(head, 10000, 1))
	for i := range count {
		b.offsets[10+i] = b.Len()
		line := fmt.Sprintf(head, 10+i, (count-1-i)*each)
		b.WriteString(line + strings.Repeat(" ", each-len(line)))
	}
	b.WriteString("\nendstream\nendobj\n")
	b.next = 10 + count
	return b.end("/Root 1 0 R")
}

// TestHostilePages arranges files that would make much of little.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	inherits := func(pages, entries int, content string) []byte {
		b := newBuilder()
		var kids, shared strings.Builder
		for i := range pages {
			fmt.Fprintf(&kids, "%d 0 R ", 10+i)
			b.object(10+i, "<</Type/Page/Parent 2 0 R/Contents 5 0 R/Annots 4 0 R>>")
		}
		for i := range entries {
			fmt.Fprintf(&shared, "/N%d 0 ", i)
		}
		b.object(1, "<</Type/Catalog/Pages 2 0 R>>")
		b.object(2, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d/MediaBox[0 0 9 9]/Resources<</Font<<%s>>/Private<<%[3]s>>>>>>", kids.String(), pages, shared.String()))
		b.object(4, "["+strings.Repeat("6 0 R ", entries)+"]")
		b.stream(5, "", content)
		b.object(6, "<</Type/Annot/Subtype/Text/Rect[0 0 1 1]>>")
		return b.end("/Root 1 0 R")
	}
	var names strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&names, "/N%d ", i)
	}
	for name, upload := range map[string][]byte{
		"streams within streams":           nested(2000),
		"resources that all pages inherit": inherits(2500, 50_000, ""),
		"content with many names":          inherits(100, 10, names.String()),
		"annotations that all pages share": inherits(200, 100_000, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
			if err != nil {
				t.Fatal(err)
			}
			some := make([]pdf.PageChoice, len(f.Pages())-1)
			for i := range some {
				some[i].Page = i
			}
			if err := pdf.Arrange(t.Context(), io.Discard, f, some); !errors.Is(err, pdf.ErrTooComplex) {
				t.Errorf("got %v", err)
			}
		})
	}
}
