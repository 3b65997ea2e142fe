package pdfium_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/pdf/pdfium"
)

// build returns a PDF of objects numbered from 1, the first being the catalog.
func build(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// onePage returns a PDF of one page with the font /F and the dictionary entries in page.
func onePage(page, content string, more ...string) []byte {
	return build(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>" + resources(len(more)) + ">>" + page + ">>",
		stream("", content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}, more...)...)
}

// resources names the objects from 6 on /X6, /X7 and so on.
func resources(n int) string {
	if n == 0 {
		return ""
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "/X%d %d 0 R", i+6, i+6)
	}
	return "/XObject<<" + b.String() + ">>"
}

const letter = "/MediaBox[0 0 612 792]"

// lines returns a PDF with one page per string, each with one line of text.
func lines(pages ...string) []byte {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	var kids strings.Builder
	for _, p := range pages {
		n := len(objects) + 1
		fmt.Fprintf(&kids, "%d 0 R ", n)
		var c strings.Builder
		c.WriteString("BT /F 12 Tf 14 TL 72 700 Td\n")
		for l := range strings.Lines(p) {
			fmt.Fprintf(&c, "(%s) Tj T*\n", strings.TrimSuffix(l, "\n"))
		}
		c.WriteString("ET")
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>%s>>", n+1, letter),
			stream("", c.String()))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(pages))
	return build(objects...)
}

// runaway returns a small PDF whose page practically never finishes but needs
// little memory: text in a font whose glyph is text in another such font, with
// many letters each, four levels deep.
func runaway() []byte {
	const depth, letters = 4, 20_000
	text := "BT /F 1 Tf (" + strings.Repeat("a", letters) + ") Tj ET"
	var fonts []string // a font and its glyph for each level, from object 5 on
	for i := range depth {
		fonts = append(fonts,
			fmt.Sprintf("<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a %d 0 R>>"+
				"/Encoding<</Type/Encoding/Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[0]/Resources<</Font<</F %d 0 R>>>>>>", 6+2*i, 7+2*i),
			stream("", "9 0 d0 "+text))
	}
	fonts[len(fonts)-1] = stream("", "9 0 d0 0 0 9 9 re f")
	return build(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + letter + ">>",
		stream("", "1 0 0 1 300 300 cm "+text),
	}, fonts...)...)
}

// formBomb returns a small PDF that needs a lot of memory: each form draws the
// next one ten times, nine levels deep.
func formBomb() []byte {
	var forms []string
	for i := range 9 {
		next := fmt.Sprintf("/X%d", i+7)
		dict := fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<<%s %d 0 R>>>>", next, i+7)
		forms = append(forms, stream(dict, strings.Repeat(next+" Do\n", 10)))
	}
	forms = append(forms, stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]", "0 0 612 792 re f"))
	return onePage(letter, "/X6 Do", forms...)
}

func write(tb testing.TB, data []byte) pdfium.Source {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "in.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	return pdfium.File(path)
}

// tool runs a program required by the tests and returns its output.
func tool(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%s %q: %v\n%s%s", name, args, err, out, stderr.Bytes())
	}
	return string(out)
}

// letterOf returns a contract as written by an office program, with sixty words
// per paragraph.
func letterOf(tb testing.TB, paragraphs int) pdfium.Source {
	tb.Helper()
	dir := tb.TempDir()
	words := strings.Fields("the parties agree that neither shall be liable for delay caused by events beyond reasonable control and " +
		"payment becomes due within thirty days after receipt of an invoice unless otherwise stated in writing Ärger über größere Änderungen")
	var b strings.Builder
	b.WriteString(letterHead)
	seed := uint32(1)
	for range paragraphs {
		b.WriteString(`<text:p text:style-name="P">Whereas`)
		for range 60 {
			seed = seed*1664525 + 1013904223
			b.WriteString(" " + words[int(seed>>8)%len(words)])
		}
		b.WriteString("</text:p>")
	}
	b.WriteString("</office:text></office:body></office:document>")
	path := filepath.Join(dir, "letter.fodt")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	tool(tb, "soffice", "-env:UserInstallation=file://"+dir+"/profile", "--headless", "--convert-to", "pdf", "--outdir", dir, path)
	return pdfium.File(filepath.Join(dir, "letter.pdf"))
}

// letterHead is the beginning of a flat ODF text with a coloured heading.
const letterHead = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>
<style:style style:name="P" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="6pt"/>
<style:text-properties style:font-name="Liberation Sans" fo:font-family="Liberation Sans" fo:font-size="11pt"/></style:style>
<style:style style:name="H" style:family="paragraph"><style:text-properties fo:font-family="Liberation Serif" fo:font-size="22pt" fo:color="#1a4fb4"/></style:style>
</office:automatic-styles><office:body><office:text><text:p text:style-name="H">Service agreement</text:p>`
