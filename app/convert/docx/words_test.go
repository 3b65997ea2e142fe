package docx_test

import (
	"bytes"
	"strings"
	"testing"

	"paraph/app/convert/docx"
)

// Generators and template engines write paragraphs and wrappers where the
// standard does not allow them; no word of a contract may be lost that way.
func TestWordsInUnexpectedPlacesAreKept(t *testing.T) {
	t.Parallel()
	const run = `<w:r><w:t>kept</w:t></w:r>`
	for name, body := range map[string]string{
		"paragraph in a paragraph":       `<w:p><w:r><w:t>a</w:t></w:r><w:p>` + run + `</w:p></w:p>`,
		"unknown wrapper of a run":       `<w:p><w:unknown>` + run + `</w:unknown></w:p>`,
		"wrapper of another namespace":   `<w:p><x:mark xmlns:x="urn:x">` + run + `</x:mark></w:p>`,
		"unknown wrapper of a paragraph": `<w:unknown><w:p>` + run + `</w:p></w:unknown>`,
		"run in the body":                run,
		"table in a paragraph":           `<w:p><w:tbl><w:tr><w:tc><w:p>` + run + `</w:p></w:tc></w:tr></w:tbl></w:p>`,
		"content control in a control":   `<w:sdt><w:sdtContent><w:sdt><w:sdtContent><w:p>` + run + `</w:p></w:sdtContent></w:sdt></w:sdtContent></w:sdt>`,
		"content control around a cell":  `<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc><w:p>` + run + `</w:p></w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>`,
		"unknown wrapper in a cell":      `<w:tbl><w:tr><w:tc><w:unknown><w:p>` + run + `</w:p></w:unknown></w:tc></w:tr></w:tbl>`,
		"unknown wrapper of a row":       `<w:tbl><w:unknown><w:tr><w:tc><w:p>` + run + `</w:p></w:tc></w:tr></w:unknown></w:tbl>`,
		"reading aid above characters":   `<w:p><w:r><w:ruby><w:rt>` + run + `</w:rt><w:rubyBase><w:r><w:t>a</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`,
		"hyperlink in a field":           `<w:p><w:fldSimple w:instr="REF x"><w:hyperlink>` + run + `</w:hyperlink></w:fldSimple></w:p>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := render(t, docxFile{body: body})
			if got := c.pages[0].text(); !strings.Contains(got, "kept") {
				t.Errorf("the page shows %q", got)
			}
		})
	}
}

func TestDeletedTextStaysOut(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`<w:p><w:del><w:r><w:t>gone</w:t></w:r></w:del></w:p>`,
		`<w:moveFrom><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:moveFrom>`,
		`<w:unknown><w:del><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:del></w:unknown>`,
	} {
		if c, _ := render(t, docxFile{body: body}); strings.Contains(c.pages[0].text(), "gone") {
			t.Errorf("%s: deleted text is shown", body)
		}
	}
}

// TestFieldsShowTheNameOfTheFile draws fields that had shown other names, and a day that its author saved.
func TestFieldsShowTheNameOfTheFile(t *testing.T) {
	t.Parallel()
	b := docxFile{body: `<w:p>` + complexField(`FILENAME \p`, `C:\drafts\old.docx`) + r("", "/") + `<w:fldSimple w:instr="FILENAME">` + r("", "older.docx") + `</w:fldSimple>` +
		r("", "/") + complexField("SAVEDATE", "3 March 2021") + `</w:p>`}.bytes(t)
	c := &recorder{}
	found, err := docx.Render(t.Context(), bytes.NewReader(b), int64(len(b)), "lease.docx", c)
	if err != nil || len(found) > 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if got := strings.ReplaceAll(c.page().text(), " /", "/"); got != "lease.docx/lease.docx/3 March 2021" {
		t.Errorf("drawn: %q", got)
	}
}
