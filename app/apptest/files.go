package apptest

import (
	"archive/zip"
	"bytes"
	"html"
	"image"
	"image/color"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
)

var fonts = sync.OnceValue(text.New)

// PDF returns a PDF with one page for each text.
func PDF(t testing.TB, pages ...string) []byte {
	t.Helper()
	b := page.New(fonts(), page.Info{Title: "Sample", Language: "en"})
	if len(pages) == 0 {
		pages = []string{"A page."}
	}
	for _, s := range pages {
		b.NewPage(page.A4Width, page.A4Height)
		b.Text(72, 100, 12, false, false, 0, 0, 0, s)
	}
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Lines returns a PDF page with one text per line, the first 100 points down, 60 points apart.
func Lines(t testing.TB, texts ...string) []byte {
	t.Helper()
	b := page.New(text.New(), page.Info{Title: "Lines"})
	b.NewPage(page.A4Width, page.A4Height)
	for i, s := range texts {
		b.Text(72, 100+60*float64(i), 12, false, false, 0, 0, 0, s)
	}
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Picture returns an image written by an encoder.
func Picture(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for i := range 60 {
		m.Set(i, i%40, color.RGBA{uint8(4 * i), 60, 120, 255})
	}
	var out bytes.Buffer
	if err := encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// DOCX returns a Word document with some paragraphs.
func DOCX(t testing.TB, paragraphs ...string) []byte {
	t.Helper()
	body := ""
	for _, p := range paragraphs {
		body += `<w:p><w:r><w:t xml:space="preserve">` + html.EscapeString(p) + `</w:t></w:r></w:p>`
	}
	return DOCXOf(t, body)
}

// DOCXOf returns a Word document with the markup of its body.
func DOCXOf(t testing.TB, body string) []byte {
	t.Helper()
	return Zip(t,
		File{"[Content_Types].xml", []byte(`<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`)},
		File{"_rels/.rels", []byte(`<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`)},
		File{"word/document.xml", []byte(`<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body + `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr></w:body></w:document>`)},
	)
}

// PagesText returns the text on the pages of a PDF as pdftotext sees it, its lines divided
// by bars.
func PagesText(t testing.TB, pdf []byte) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " | ")
}

// Zip returns a ZIP archive of files.
func Zip(t testing.TB, files ...File) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		w, err := z.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.Content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
