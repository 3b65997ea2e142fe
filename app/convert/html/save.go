package html

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	header = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
		` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
		` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` +
		` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
		` xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`
	relations    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	packageSpace = "http://schemas.openxmlformats.org/package/2006/"
	word         = "application/vnd.openxmlformats-officedocument.wordprocessingml."
)

// save writes the package (ISO/IEC 29500-2).
func (w *writer) save(to io.Writer) error {
	z := zip.NewWriter(to)
	var failed error
	put := func(name, content string) {
		f, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(f, content)
		}
		failed = errors.Join(failed, err)
	}
	put("[Content_Types].xml", header+`<Types xmlns="`+packageSpace+`content-types">`+
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
		`<Default Extension="xml" ContentType="application/xml"/>`+
		`<Default Extension="png" ContentType="image/png"/><Default Extension="jpeg" ContentType="image/jpeg"/>`+
		`<Override PartName="/word/document.xml" ContentType="`+word+`document.main+xml"/>`+
		`<Override PartName="/word/styles.xml" ContentType="`+word+`styles+xml"/>`+
		`<Override PartName="/word/numbering.xml" ContentType="`+word+`numbering+xml"/></Types>`)
	put("_rels/.rels", header+`<Relationships xmlns="`+packageSpace+`relationships">`+
		`<Relationship Id="r1" Type="`+relations+`officeDocument" Target="word/document.xml"/></Relationships>`)
	var rels strings.Builder
	for i, name := range []string{"styles", "numbering"} {
		fmt.Fprintf(&rels, `<Relationship Id="r%d" Type="%s%s" Target="%s.xml"/>`, i+1, relations, name, name)
	}
	for i, p := range w.pictures {
		fmt.Fprintf(&rels, `<Relationship Id="m%d" Type="%simage" Target="media/%d.%s"/>`, i+1, relations, i+1, p.kind)
	}
	put("word/_rels/document.xml.rels", header+`<Relationships xmlns="`+packageSpace+`relationships">`+rels.String()+`</Relationships>`)
	put("word/styles.xml", header+`<w:styles`+spaces+`><w:docDefaults><w:rPrDefault><w:rPr>`+
		`<w:rFonts w:ascii="Liberation Sans" w:hAnsi="Liberation Sans" w:cs="Liberation Sans"/><w:sz w:val="24"/></w:rPr></w:rPrDefault>`+
		`</w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style></w:styles>`)
	put("word/numbering.xml", header+`<w:numbering`+spaces+`>`+w.numbering()+`</w:numbering>`)
	p := w.page
	section := fmt.Sprintf(`<w:sectPr><w:pgSz w:w="%d" w:h="%d"/><w:pgMar w:top="%d" w:right="%d" w:bottom="%d" w:left="%d" `+
		`w:header="360" w:footer="360" w:gutter="0"/></w:sectPr>`,
		twips(p.width), twips(p.height), twips(p.top), twips(p.right), twips(p.bottom), twips(p.left))
	put("word/document.xml", header+`<w:document`+spaces+`><w:body>`+w.body.String()+section+`</w:body></w:document>`)
	for i, p := range w.pictures {
		put(fmt.Sprintf("word/media/%d.%s", i+1, p.kind), string(p.data))
	}
	return errors.Join(failed, z.Close())
}
