package docx_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"
)

const (
	header = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
		` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
		` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` +
		` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
		` xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"` +
		` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"` +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
		` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"` +
		` xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`
	relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// docxFile describes a DOCX to build: the body and the parts a test needs.
type docxFile struct {
	body     string
	sect     string            // content of the last w:sectPr
	parts    map[string]string // e.g. "styles" -> content of w:styles
	headers  map[string]string // rId -> content; kind by prefix h or f
	media    map[string][]byte // rId -> bytes
	external map[string]string // rId -> address of an image
	raw      map[string][]byte // further members
}

const a4 = `<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708"/>`

func (f docxFile) document() string {
	sect := f.sect
	if sect == "" {
		sect = a4
	}
	return header + "<w:document" + spaces + "><w:body>" + f.body + "<w:sectPr>" + sect + "</w:sectPr></w:body></w:document>"
}

var roots = map[string]string{"styles": "styles", "numbering": "numbering", "settings": "settings", "footnotes": "footnotes", "endnotes": "endnotes"}

func (f docxFile) members() map[string][]byte {
	m := map[string][]byte{
		"[Content_Types].xml": []byte(header + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`),
		"_rels/.rels":         []byte(header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + relType + `officeDocument" Target="word/document.xml"/></Relationships>`),
		"word/document.xml":   []byte(f.document()),
	}
	var rels strings.Builder
	add := func(id, kind, target, more string) {
		fmt.Fprintf(&rels, `<Relationship Id="%s" Type="%s%s" Target="%s"%s/>`, id, relType, kind, target, more)
	}
	for name, content := range f.parts {
		add("p"+name, name, name+".xml", "")
		m["word/"+name+".xml"] = []byte(header + "<w:" + roots[name] + spaces + ">" + content + "</w:" + roots[name] + ">")
	}
	for id, content := range f.headers {
		kind, root := "header", "hdr"
		if id[0] == 'f' {
			kind, root = "footer", "ftr"
		}
		add(id, kind, id+".xml", "")
		m["word/"+id+".xml"] = []byte(header + "<w:" + root + spaces + ">" + content + "</w:" + root + ">")
	}
	for id, data := range f.media {
		add(id, "image", "media/"+id+".png", "")
		m["word/media/"+id+".png"] = data
	}
	for id, address := range f.external {
		add(id, "image", address, ` TargetMode="External"`)
	}
	m["word/_rels/document.xml.rels"] = []byte(header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels.String() + `</Relationships>`)
	maps.Copy(m, f.raw)
	return m
}

func (f docxFile) bytes(tb testing.TB) []byte { return zipped(tb, f.members()) }

func zipped(tb testing.TB, members map[string][]byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(members[name])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// p returns a paragraph.
func p(props, text string) string {
	return "<w:p><w:pPr>" + props + "</w:pPr>" + r("", text) + "</w:p>"
}

// r returns a run.
func r(props, text string) string {
	return "<w:r><w:rPr>" + props + `</w:rPr><w:t xml:space="preserve">` + text + "</w:t></w:r>"
}

// complexField returns a field in three runs with its stored result.
func complexField(instruction, result string) string {
	return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ` + instruction + ` </w:instrText></w:r>` +
		`<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + r("", result) + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

func cellOf(props, content string) string {
	return "<w:tc><w:tcPr>" + props + "</w:tcPr>" + content + "</w:tc>"
}

func inlinePicture(id string, widthPoints, heightPoints int) string {
	size := fmt.Sprintf(`cx="%d" cy="%d"`, widthPoints*12700, heightPoints*12700)
	return `<w:r><w:drawing><wp:inline><wp:extent ` + size + `/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:blipFill><a:blip r:embed="` + id + `"/></pic:blipFill><pic:spPr><a:xfrm><a:ext ` + size + `/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`
}

func pngOf(tb testing.TB, w, h int, c color.Color) []byte {
	tb.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}
