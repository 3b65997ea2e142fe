package docx_test

import (
	"bytes"
	"errors"
	"image/color"
	"testing"

	"paraph/app/convert"
	"paraph/app/convert/docx"
)

// FuzzRender mutates the parts inside the zip, whose checksums would hide them
// from a fuzzer.
func FuzzRender(f *testing.F) {
	bodies := []string{
		p(`<w:jc w:val="both"/><w:ind w:left="720" w:hanging="360"/>`, words),
		"<w:p><w:pPr><w:bidi/></w:pPr>" + r("", "שלום 12 (abc)") + "<w:r><w:tab/></w:r>" + complexField("NUMPAGES", "1") + "</w:p>",
		table(grid, twoColumns, tr("<w:tblHeader/>", cellOf(`<w:vMerge w:val="restart"/>`, p("", "a")), cellOf("", p("", "b"))), tr("", cellOf("<w:vMerge/>", p("", "")), cellOf(`<w:gridSpan w:val="3"/>`, p("", words)))),
		"<w:p>" + inlinePicture("i1", 100, 50) + `<w:r><w:br w:type="page"/></w:r></w:p>` + numbered("1", "1", "x"),
		"<w:p><w:pPr><w:sectPr>" + a4 + `<w:cols w:num="3"/></w:sectPr></w:pPr></w:p>`,
	}
	for _, b := range bodies {
		f.Add([]byte(docxFile{body: b}.document()), []byte(header+"<w:styles"+spaces+">"+testStyles+"</w:styles>"), []byte(header+"<w:numbering"+spaces+">"+lists+"</w:numbering>"))
	}
	dot := pngOf(f, 2, 2, color.Black)
	f.Fuzz(func(t *testing.T, document, styles, numbering []byte) {
		file := docxFile{
			parts: map[string]string{"styles": "", "numbering": ""}, media: map[string][]byte{"i1": dot},
			raw: map[string][]byte{"word/document.xml": document, "word/styles.xml": styles, "word/numbering.xml": numbering},
		}
		render := func() (*recorder, error) {
			b := file.bytes(t)
			c := &recorder{}
			_, err := docx.Render(t.Context(), bytes.NewReader(b), int64(len(b)), "", c)
			return c, err
		}
		c, err := render()
		if _, refused := errors.AsType[*convert.Refusal](err); err != nil && !refused {
			t.Error(err)
		}
		if c.bad != "" {
			t.Error(c.bad)
		}
		if err == nil && len(c.pages) == 0 {
			t.Error("no page was drawn")
		}
	})
}

// FuzzFile renders arbitrary bytes.
func FuzzFile(f *testing.F) {
	f.Add(docxFile{body: p("", words)}.bytes(f))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := docx.Render(t.Context(), bytes.NewReader(b), int64(len(b)), "", &recorder{})
		if _, refused := errors.AsType[*convert.Refusal](err); err != nil && !refused {
			t.Error(err)
		}
	})
}
