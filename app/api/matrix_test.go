package api_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"paraph/app/apptest"
)

// shapesOfPages are pages that PDF displays as something else than their box.
var shapesOfPages = []string{
	"/MediaBox [0 0 595 842]",
	"/MediaBox [0 0 842 595] /Rotate 90",
	"/MediaBox [0 0 595 842] /Rotate 180",
	"/MediaBox [0 0 842 595] /Rotate 270",
	"/MediaBox [-100 -300 900 900] /CropBox [-40 -180 555 662]",
	"/MediaBox [-842 50 200 800] /CropBox [-800 100 42 695] /Rotate 270",
	"/MediaBox [0 0 297.5 421] /UserUnit 2",
	"/MediaBox [-421 -297.5 0 0] /UserUnit 2 /Rotate 90",
}

// blankPages returns a PDF with empty pages of all shapes.
func blankPages() []byte {
	var b bytes.Buffer
	var at []int
	object := func(s string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), s)
	}
	b.WriteString("%PDF-1.7\n")
	var kids []string
	for i := range shapesOfPages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 3+i))
	}
	object("<</Type /Catalog /Pages 2 0 R>>")
	object(fmt.Sprintf("<</Type /Pages /Count %d /Kids [%s]>>", len(kids), strings.Join(kids, " ")))
	for _, shape := range shapesOfPages {
		object("<</Type /Page /Parent 2 0 R /Resources <<>> " + shape + ">>")
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// A cell of the matrix is a field with what is entered and what paper shows.
type matrixCell struct {
	kind  string
	value any    // nil: nothing is entered
	shown string // "" if it is no text
	more  obj
}

// matrixCells are fields of every type with values that are difficult to draw or to read back.
var matrixCells = []matrixCell{
	{"text", "1,234.50 (net) [a] {b}", "1,234.50 (net) [a] {b}", nil},
	{"text", "שלום 12.50 ₪", "שלום 12.50 ₪", nil},
	{"text", "السعر ١٢٣٫٥٠ ريال", "السعر ١٢٣٫٥٠ ريال", obj{"align": "right"}},
	{"text", "Two lines\nof an address", "Two lines of an address", obj{"height": 0.05}},
	{"text", "A1-9Z", "A1-9Z", obj{"cells": 8}},
	{"text", "日本語、テスト。", "日本語、テスト。", nil},
	{"text", "ﬁnal e\u0301 Ångström ½ €", "ﬁnal é Ångström ½ €", obj{"weight": "bold"}},
	{"text", "7", "7", obj{"width": 0.02, "height": 0.012}},
	{"text", "secret", "••••••", obj{"mask": "paper"}},
	{"number", "-1234567.5", "-1,234,567.50", obj{"format": "#,##0.00"}},
	{"number", "0.05", "0.05 %", obj{"format": "0.00 %"}},
	{"date", "2028-02-29", "29 February 2028", obj{"format": "D MMMM YYYY"}},
	{"email", "first.last+tag@sub.example.org", "first.last+tag@sub.example.org", nil},
	{"phone", "+49 (0)30 123456-7", "+49 (0)30 123456-7", nil},
	{"name", "Nguyễn Thị Ánh", "Nguyễn Thị Ánh", nil},
	{"company", "Müller & Söhne <KG>", "Müller & Söhne <KG>", nil},
	{"job_title", "Θεσσαλονίκη", "Θεσσαλονίκη", nil},
	{"select", "Yes, all of it", "Yes, all of it", obj{"options": list{"Yes, all of it", "No"}}},
	{"radio", "b) 2.5", "b) 2.5", obj{"options": list{"a) 1.5", "b) 2.5"}}},
	{"checkbox", true, "", obj{"width": 0.03, "height": 0.02}},
	{"label", nil, "Clause 5(b): 10 %", obj{"value": "Clause 5(b): 10 %"}},
	{"strikethrough", nil, "", nil},
	{"date_signed", nil, "", nil},
	{"signature", nil, "", obj{"height": 0.06}},
	{"initials", nil, "", obj{"height": 0.04}},
}

// TestEveryFieldOnEveryPage fills in fields of every type with awkward values on pages of every shape. The file is
// sound for us and valid for others, what is read back is what was entered, and PDFium draws every value within its box
// and nothing anywhere else.
func TestEveryFieldOnEveryPage(t *testing.T) {
	t.Parallel()
	c := company(t)
	boxes := make([][]box, len(shapesOfPages))
	var fields []any
	values := obj{}
	for page := range shapesOfPages {
		for i, cell := range matrixCells {
			name := fmt.Sprintf("p%d.%d", page, i)
			f := oneField(cell.kind, name, .04+.48*float64(i%2), .03+.072*float64(i/2), .42, .026, cell.more)
			f["page"], f["required"] = page+1, false
			if cell.kind == "signature" {
				f["required"] = true
			}
			if cell.kind == "label" || cell.kind == "strikethrough" {
				delete(f, "required")
				delete(f, "name")
			}
			fields = append(fields, f)
			if cell.value != nil {
				values[name] = cell.value
			}
			boxes[page] = append(boxes[page], box{f["x"].(float64), f["y"].(float64), f["width"].(float64), f["height"].(float64)})
		}
	}
	sent := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Matrix", "locale": "en", "send": true, "send_emails": false,
		"invitations": list{obj{"name": "Ben Buyer", "email": "ben@example.org"}}, "fields": fields,
	}, apptest.File{Name: "a.pdf", Content: blankPages()})).Want(t, http.StatusCreated)
	at := "/documents/" + sent.Text(t, "id")
	c.Post(t, at+"/"+sent.Text(t, "invitations.0.id")+"/sign", obj{"fields": values}).Want(t, http.StatusOK)
	file := c.Post(t, at+"/download", obj{}).Want(t, http.StatusOK).Body
	checkSigned(t, file, 2)
	if verdict := c.Post(t, "/verify", apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: file})).Want(t, http.StatusOK); verdict.At(t, "sound") != true {
		t.Errorf("not sound: %s", verdict.Body)
	}
	path := filepath.Join(t.TempDir(), "matrix.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	for page, shape := range shapesOfPages {
		number := fmt.Sprint(page + 1)
		read, err := exec.CommandContext(t.Context(), "pdftotext", "-f", number, "-l", number, path, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		text := comparable(string(read))
		for _, cell := range matrixCells {
			parts := []string{cell.shown}
			if strings.ContainsFunc(cell.shown, func(r rune) bool { return unicode.In(r, unicode.Hebrew, unicode.Arabic) }) {
				parts = strings.Fields(cell.shown) // pdftotext lists the words of mixed lines as they lie
			}
			for _, part := range parts {
				if !strings.Contains(text, comparable(part)) {
					t.Errorf("%s: %s %q is not read back from %q", shape, cell.kind, part, text)
				}
			}
		}
		picture := c.Get(t, at+"/files/"+sent.Text(t, "files.0.id")+"/pages/"+number+".png?width=1000").Want(t, http.StatusOK)
		m, err := png.Decode(bytes.NewReader(picture.Body))
		if err != nil {
			t.Fatal(err)
		}
		inked(t, shape, m, boxes[page])
	}
}

// box is a place on a page, in fractions of it.
type box struct{ x, y, width, height float64 }

// inked checks that there is ink in every box of a picture and nowhere else.
func inked(t *testing.T, shape string, m image.Image, boxes []box) {
	t.Helper()
	width, height := float64(m.Bounds().Dx()), float64(m.Bounds().Dy())
	ink := make([]int, len(boxes))
	outside := 0
	var first image.Point
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if r, g, b, _ := m.At(x, y).RGBA(); min(r, g, b) > 0xe000 {
				continue
			}
			found := false
			for i, b := range boxes {
				const edge = 1 // pixel
				if float64(x) >= math.Floor(b.x*width)-edge && float64(x) <= math.Ceil((b.x+b.width)*width)+edge &&
					float64(y) >= math.Floor(b.y*height)-edge && float64(y) <= math.Ceil((b.y+b.height)*height)+edge {
					ink[i]++
					found = true
				}
			}
			if !found {
				if outside++; outside == 1 {
					first = image.Pt(x, y)
				}
			}
		}
	}
	if outside > 0 {
		t.Errorf("%s: %d dark pixels outside of all fields, the first at %v of %v", shape, outside, first, m.Bounds().Max)
	}
	for i, n := range ink {
		if n == 0 {
			t.Errorf("%s: nothing is drawn in field %d, %s", shape, i, matrixCells[i].kind)
		}
	}
}

// comparable returns a text without what readers add and leave out: spaces, marks of direction, and ways to write
// the same.
func comparable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}
