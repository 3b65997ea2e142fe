package convert_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"paraph/app/confine"
	"paraph/app/convert"
)

// Colours of pictures that no other document has.
var (
	canary = color.NRGBA{255, 0, 255, 255}
	sky    = color.NRGBA{0, 128, 255, 255}
)

// plain returns a picture of one colour.
func plain(tb testing.TB, c color.NRGBA) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 60, 60))
	for i := range 60 * 60 {
		m.SetNRGBA(i%60, i/60, c)
	}
	return pngOf(tb, m)
}

// shows reports whether a page of a PDF has a colour.
func shows(tb testing.TB, pdf []byte, c color.NRGBA) bool {
	tb.Helper()
	cmd := exec.Command("pdftoppm", "-r", "40", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	ppm, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Contains(ppm, bytes.Repeat([]byte{c.R, c.G, c.B}, 4))
}

// added returns a DOCX with further members, each as name=content.
func added(tb testing.TB, docx []byte, members ...string) []byte {
	tb.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	from, err := zip.NewReader(bytes.NewReader(docx), int64(len(docx)))
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range from.File {
		if err := z.Copy(f); err != nil {
			tb.Fatal(err)
		}
	}
	for _, m := range members {
		name, content, _ := strings.Cut(m, "=")
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(z.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// picture returns a picture of a DOCX, with the attributes of its blip.
func picture(blip string) string {
	return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="2000000" cy="2000000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip ` + blip + `/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="2000000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
}

// What is removed from files and what confines LibreOffice each keep it from everything outside by themselves.
func TestOfficeSeesNothingButItsInput(t *testing.T) {
	t.Parallel()
	if !confine.Offered().Whole() {
		t.Fatalf("this system offers %+v", confine.Offered())
	}
	data, blue := plain(t, canary), plain(t, sky)
	secret := filepath.Join(t.TempDir(), "canary.png")
	if err := os.WriteFile(secret, data, 0o600); err != nil {
		t.Fatal(err)
	}
	words := filepath.Join(filepath.Dir(secret), "words.txt")
	if err := os.WriteFile(words, []byte("elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	file := (&url.URL{Scheme: "file", Path: secret}).String()
	svg := func(address string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="200" height="200"><image width="200" height="200" xlink:href="` + address + `"/></svg>`
	}
	field := func(parts ...string) string {
		code := ""
		for _, p := range parts {
			code += `<w:r><w:instrText xml:space="preserve">` + p + `</w:instrText></w:r>`
		}
		return `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>` + code + `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>kept</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`
	}
	const image = `<Relationship Id="r9" Type="TYPE/image" Target="media/p`
	outside := func(kind, address string) string {
		return `<Relationship Id="r9" Type="TYPE/` + kind + `" Target="` + address + `" TargetMode="External"/>`
	}
	chunk := `<html><body><p>chunk</p><img src="` + file + `"><img src="` + s.URL + `/p.png"></body></html>`
	const vml = `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" style="width:150pt;height:150pt"><v:imagedata `
	both := `r:embed="r8"><a:extLst><a:ext uri="{96DAC541-7B7A-43D3-8B79-37D633B846F1}"><asvg:svgBlip xmlns:asvg="http://schemas.microsoft.com/office/drawing/2016/SVG/main" r:embed="r9"/></a:ext></a:extLst></a:blip><a:blip r:none=""`
	attacks := []struct {
		name, body, relations string
		members               []string
		silent                bool // no page shows it, and none of it is said
	}{
		{"an SVG that shows a file", picture(`r:embed="r9"`), image + `.svg"/>`, []string{"word/media/p.svg=" + svg(file)}, false},
		{"an SVG that shows an address", picture(`r:embed="r9"`), image + `.svg"/>`, []string{"word/media/p.svg=" + svg(s.URL)}, false},
		{"an SVG beside a picture", strings.Replace(picture(both), `<a:blip r:none=""/>`, "", 1), image + `.svg"/><Relationship Id="r8" Type="TYPE/image" Target="media/q.png"/>`, []string{"word/media/p.svg=" + svg(file), "word/media/q.png=" + string(blue)}, false},
		{"an SVG by another name", picture(`r:embed="r9"`), image + `.png"/>`, []string{"word/media/p.png=" + svg(file)}, false},
		{"an SVG called markup", picture(`r:embed="r9"`), image + `.xml"/>`, []string{"word/media/p.xml=" + svg(file)}, false},
		{"an SVG after a long comment", picture(`r:embed="r9"`), image + `.xml"/>`, []string{"word/media/p.xml=<!--" + strings.Repeat("x", 20<<10) + "-->" + svg(file)}, false},
		{"a picture linked as a hyperlink", picture(`r:link="r9"`), outside("hyperlink", file), nil, false},
		{"a picture linked to an address", picture(`r:link="r9"`), outside("image", s.URL+"/p.png"), nil, false},
		{"an old picture with an address", vml + `src="` + file + `"/></v:shape></w:pict></w:r></w:p>`, "", nil, false},
		{"an old picture linked to an address", vml + `r:href="r9"/></v:shape></w:pict></w:r></w:p>`, outside("image", file), nil, false},
		{"a field", field(`INCLUDEPICTURE "` + file + `"`), "", nil, false},
		{"a divided field", field(` INCL`, `UDEPICTURE "`+s.URL+`/p.png" \d`), "", nil, false},
		{"a field in character references", field(`&#73;NCLUDEPICTURE &#34;` + file + `&#34;`), "", nil, false},
		{"a simple field", `<w:p><w:fldSimple w:instr=" IncludePicture &quot;` + file + `&quot;"><w:r><w:t>kept</w:t></w:r></w:fldSimple></w:p>`, "", nil, false},
		{"text of another file", field(`INCLUDETEXT "` + words + `"`), "", nil, false},
		{"a link to another program", field(`LINK Word.Document.8 "` + words + `" "" \a \r`), "", nil, false},
		{"a link that is followed", field(`DDEAUTO soffice "` + words + `" x`), "", nil, false},
		{"a database", field(`DATABASE \d "` + words + `" \c "DSN=x" \s "SELECT *"`), "", nil, false},
		{"a piece of HTML", `<w:altChunk r:id="r9"/>`, `<Relationship Id="r9" Type="TYPE/aFChunk" Target="c.html"/>`, []string{"word/c.html=" + chunk}, false},
		{"a piece of HTML elsewhere", `<w:altChunk r:id="r9"/>`, outside("aFChunk", file), nil, false},
		{"a further document", `<w:p><w:subDoc r:id="r9"/></w:p>`, outside("subDocument", words), nil, false},
		{"an object elsewhere", `<w:p><w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Link" ProgID="Word.Document.12" ShapeID="s" DrawAspect="Content" ObjectID="_1" r:id="r9" UpdateMode="Always"/></w:object></w:r></w:p>`, outside("oleObject", words), nil, true},
		{"a template", "", outside("attachedTemplate", words), nil, true},
	}
	for how, o := range map[string]*convert.Office{"confined": office(t).Loose(), "removed": office(t).Free()} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var jobs []*convert.OfficeJob
			for _, a := range attacks {
				in := added(t, word(t, say("visible")+a.body+say("whole"), a.relations), a.members...)
				job, err := o.Prepare(t.Context(), bytes.NewReader(in), "")
				if err != nil {
					t.Fatalf("%s: %v", a.name, err)
				}
				t.Cleanup(func() { _ = job.Close() })
				jobs = append(jobs, job)
			}
			if err := o.Run(t.Context(), jobs...); err != nil {
				t.Fatal(err)
			}
			for i, a := range attacks {
				var out bytes.Buffer
				if err := jobs[i].Deliver(&out); err != nil {
					t.Errorf("%s: %v", a.name, err)
					continue
				}
				text := pdfText(t, out.Bytes())
				if !strings.Contains(text, "visible") || !strings.Contains(text, "whole") || strings.Contains(text, "elsewhere") {
					t.Errorf("%s: the PDF has %q", a.name, text)
				}
				if how == "removed" && strings.Contains(a.body, "kept") != strings.Contains(text, "kept") {
					t.Errorf("%s: the PDF has %q, not what the field had shown", a.name, text)
				}
				if shows(t, out.Bytes(), canary) {
					t.Errorf("%s: the PDF shows what is outside of the document", a.name)
				}
				if how == "removed" && strings.Contains(a.relations, "q.png") && !shows(t, out.Bytes(), sky) {
					t.Errorf("%s: the picture beside it is missing", a.name)
				}
				if how == "removed" && (jobs[i].Removed > 0) == a.silent {
					t.Errorf("%s: %d references are said to be removed", a.name, jobs[i].Removed)
				}
			}
			if n := asked.Load(); n > 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}
