package app_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestValidity takes uploads of every kind through the whole product and checks
// every completed file with independent tools.
func TestValidity(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	pdf := apptest.File{Name: "contract.pdf", Content: papers("", []paper{a4, a4})}
	picture := base64.StdEncoding.EncodeToString(wavyPicture(t))
	place := func(person, page int, y float64) apptest.Map {
		return apptest.Map{"type": "signature", "invitation_id": fmt.Sprint(person), "page": page, "x": .1, "y": y, "width": .4, "height": .08}
	}
	three := apptest.List{guest(0), guest(1), guest(2)}
	for name, x := range map[string]struct {
		deal
		signatures int // in each file, in order, including the certification
	}{
		"a PDF with nothing placed": {deal{files: []apptest.File{pdf}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}, 2},
		"three in parallel, by signature page": {deal{files: []apptest.File{pdf}, data: apptest.Map{"invitations": three},
			signs: []apptest.Map{{"signature": apptest.Map{"type": "drawn", "data": wavy}}, {"signature": apptest.Map{"type": "image", "data": "data:image/png;base64," + picture}}, {}}}, 4},
		"three one after the other, each with a place": {deal{files: []apptest.File{pdf}, data: apptest.Map{"invitations": three, "signing_order": "sequential",
			"fields": apptest.List{place(0, 1, .2), place(1, 1, .4), place(2, 2, .2)}},
			signs: []apptest.Map{{"signature": apptest.Map{"type": "drawn", "data": "data:image/png;base64," + picture}}, {"signature": apptest.Map{"type": "typed", "text": "Sam the Second", "font": "script2"}}, {}}}, 4},
		"an approver first, a viewer last": {deal{files: []apptest.File{pdf}, data: apptest.Map{"signing_order": "sequential", "invitations": apptest.List{
			person("Ines Approver", "ines@guest.example", "approver"), guest(1), person("Vera Viewer", "vera@guest.example", "viewer")}}}, 3},
		"PNG":  {deal{files: []apptest.File{{Name: "scan.png", Content: apptest.Picture(t, png.Encode)}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}, 2},
		"JPEG": {deal{files: []apptest.File{{Name: "scan.jpg", Content: apptest.Picture(t, asJPEG)}}, data: apptest.Map{"invitations": apptest.List{guest(0)}, "fields": apptest.List{place(0, 1, .5)}}}, 2},
		"DOCX": {deal{files: []apptest.File{{Name: "offer.docx", Content: apptest.DOCX(t, "An offer.", "Ein Angebot für Łódź.")}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}, 2},
		"several files": {deal{files: []apptest.File{pdf, {Name: "b.pdf", Content: papers("", []paper{a4})}, {Name: "c.png", Content: apptest.Picture(t, png.Encode)}},
			data: apptest.Map{"invitations": apptest.List{guest(0), guest(1)}, "fields": everywhere(3, place(0, 1, .2), place(1, 1, .5))}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := x.complete(t, c)
			files, certificate := download(t, c, doc)
			if len(files) != len(x.files) {
				t.Fatalf("%d files were completed, want %d", len(files), len(x.files))
			}
			uploads := map[string][]byte{}
			for _, f := range x.files {
				uploads[f.Name] = f.Content
			}
			for as, b := range files {
				want := sealed{signatures: x.signatures}
				if upload := uploads[as]; strings.HasSuffix(as, ".pdf") && upload != nil {
					want.upload, want.first = upload, true
				}
				path := j.completed(t, b, want)
				text, err := run(t, "pdftotext", path, "-")
				shown := "Recorded by Owner Person for Guest"
				if !strings.HasSuffix(as, "contract.pdf") {
					shown = "Guest" // a picture's page may be too small for the caption
				}
				if err != nil || !strings.Contains(text, shown) {
					t.Errorf("pdftotext (%v) finds no signature: %.300s", err, text)
				}
			}
			j.completed(t, certificate, sealed{signatures: 1})
		})
	}
	t.Run("declined, then replaced", func(t *testing.T) {
		t.Parallel()
		d := deal{files: []apptest.File{pdf}, data: apptest.Map{"invitations": apptest.List{guest(0), guest(1)}, "fields": apptest.List{place(0, 1, .2), place(1, 1, .5)}}}
		doc := d.send(t, c)
		at := "/documents/" + doc.Text(t, "id") + "/"
		c.Post(t, at+doc.Text(t, "invitations.0.id")+"/sign", apptest.Map{}).Want(t, 200)
		c.Post(t, at+doc.Text(t, "invitations.1.id")+"/decline", apptest.Map{"reason": "I left the company."}).Want(t, 200)
		doc = c.Post(t, at+doc.Text(t, "invitations.1.id")+"/replace", apptest.Map{"name": "Rita Replacement", "email": "rita@guest.example"}).Want(t, 200)
		last := fmt.Sprintf("invitations.%d.", len(doc.At(t, "invitations").(apptest.List))-1)
		_, link, _ := strings.Cut(doc.Text(t, last+"sign_url"), "/s/")
		s.With(link).Post(t, at+doc.Text(t, last+"id")+"/sign", apptest.Map{}).Want(t, 200) // her own act
		if doc = c.Get(t, "/documents/"+doc.Text(t, "id")).Want(t, 200); doc.Text(t, "status") != "completed" {
			t.Fatalf("the document is %s", doc.Body)
		}
		files, certificate := download(t, c, doc)
		path := j.completed(t, files["contract.pdf"], sealed{upload: pdf.Content, first: true, signatures: 3})
		if text, err := run(t, "pdftotext", path, "-"); err != nil || !strings.Contains(text, "Signed by Rita Replacement") {
			t.Errorf("pdftotext (%v): %.300s", err, text)
		}
		j.completed(t, certificate, sealed{signatures: 1})
	})
}

// TestBuiltInRenderer converts a DOCX without LibreOffice: its pages must be
// confirmed before it is sent.
func TestBuiltInRenderer(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(cfg *app.Config) { cfg.Convert.Soffice = "none" })
	j := newJudges(t, s)
	c := s.Company(t)
	d := deal{data: apptest.Map{"send": false, "invitations": apptest.List{guest(0)}}, files: []apptest.File{{Name: "offer.docx", Content: apptest.DOCX(t, "An offer.", "Ещё одна строка.")}}}
	doc := d.send(t, c)
	at := "/documents/" + doc.Text(t, "id")
	c.Post(t, at+"/send", apptest.Map{}).Want(t, http.StatusUnprocessableEntity)
	c.Patch(t, at+"/files/"+doc.Text(t, "files.0.id"), apptest.Map{"confirmed": true}).Want(t, 200)
	doc = d.sign(t, c, c.Post(t, at+"/send", apptest.Map{}).Want(t, 200))
	files, certificate := download(t, c, doc)
	for _, b := range files {
		path := j.completed(t, b, sealed{signatures: 2})
		if text, err := run(t, "pdftotext", path, "-"); err != nil || !strings.Contains(text, "Ещё одна строка.") {
			t.Errorf("pdftotext (%v): %.300s", err, text)
		}
	}
	j.completed(t, certificate, sealed{signatures: 1})
}

// sample is a field with the value a person enters and the text expected in the
// completed file.
type sample struct {
	kind, value, text string
	more              apptest.Map
	off               bool // shows nothing
}

var samples = []sample{
	{kind: "signature"},
	{kind: "initials"},
	{kind: "stamp"},
	{kind: "name", value: "Zoë Łuczak-Đặng"},
	{kind: "email", value: "zoe@firma.example"},
	{kind: "company", value: "Ελληνική Εταιρεία"},
	{kind: "job_title", value: "Генеральный директор"},
	{kind: "date_signed"},
	{kind: "date", value: "2026-12-31", text: "31 Dec 2026"},
	{kind: "text", value: "合同编号 一二三"},
	{kind: "text", value: "계약서 제출"},
	{kind: "text", value: "السلام عليكم", text: "-"},
	{kind: "text", value: "שלום עולם", text: "-"},
	{kind: "text", value: "हिन्दी में", text: "-"},
	{kind: "text", value: "สัญญาเช่า", text: "-"},
	{kind: "text", value: "Հայերեն"},
	{kind: "text", value: "ქართული"},
	{kind: "text", value: strings.Repeat("A long text that has to be broken into lines. ", 8), text: "broken into lines", more: apptest.Map{"height": .11}},
	{kind: "text", value: strings.Repeat("One line that is far too long for its box. ", 5), text: "far too long"},
	{kind: "number", value: "1234.5", more: apptest.Map{"min": 0, "max": 5000, "align": "right"}},
	{kind: "checkbox", value: "true"},
	{kind: "checkbox", value: "false", off: true},
	{kind: "radio", value: "true", more: apptest.Map{"group": "colour", "name": "red"}},
	{kind: "radio", value: "false", more: apptest.Map{"group": "colour", "name": "blue"}, off: true},
	{kind: "radio", value: "Größe L", more: apptest.Map{"options": apptest.List{"Größe M", "Größe L"}}},
	{kind: "select", value: "Österreich", more: apptest.Map{"options": apptest.List{"Deutschland", "Österreich"}}},
	{kind: "attachment", value: "data:text/plain;name=plan.txt;base64,VGhlIHBsYW4u", text: "plan.txt"},
	{kind: "image", value: photoValue, text: "-"},
}

// photoValue is a photograph as a value: red, and wider than the fields.
var photoValue = func() string {
	m := image.NewRGBA(image.Rect(0, 0, 2400, 160))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{200, 20, 20, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := asJPEG(&b, m); err != nil {
		panic(err)
	}
	return "data:image/jpeg;name=meter.jpg;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}()

// grid places all samples on one page, for one person.
func grid(page int, size [2]float64) (fields apptest.List, values apptest.Map, boxes []box) {
	values = apptest.Map{}
	const columns, rows = 3, 10
	for i, x := range samples {
		f := apptest.Map{"type": x.kind, "invitation_id": "0", "page": page, "name": fmt.Sprintf("p%d-%d", page, i), "required": false,
			"x": .04 + float64(i%columns)*.32, "y": .04 + float64(i/columns)*.094, "width": .28, "height": .05}
		for k, v := range x.more {
			f[k] = v
		}
		if f["height"] == .11 { // keep clear of the next row
			f["height"] = .085
		}
		if f["group"] != nil {
			f["group"] = fmt.Sprintf("%s-%d", f["group"], page)
			f["name"] = fmt.Sprintf("%s-%d", f["name"], page)
		}
		if x.value != "" {
			values[f["name"].(string)] = x.value
		}
		fields = append(fields, f)
		b := box{fmt.Sprintf("%s %d %q", x.kind, i, x.value), f["x"].(float64) * size[0], f["y"].(float64) * size[1], f["width"].(float64) * size[0], f["height"].(float64) * size[1]}
		if !x.off {
			boxes = append(boxes, b)
		}
	}
	return fields, values, boxes
}

// TestEveryFieldOnEveryPage tests all types of field, in many scripts, on rotated and
// cropped pages.
func TestEveryFieldOnEveryPage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	var pages []paper
	for _, turn := range []int{0, 90, 180, 270} {
		pages = append(pages, paper{media: [4]float64{0, 0, 595, 842}, rotate: turn},
			paper{media: [4]float64{-50, 100, 650, 1100}, crop: [4]float64{20, 150, 615, 992}, rotate: turn})
	}
	upload := papers("", pages)
	path := j.file(t, upload)
	before := map[string][]*image.RGBA{"poppler": rendered(t, "poppler", path), "mupdf": rendered(t, "mupdf", path)}
	for name, mark := range map[string]apptest.Map{
		"strokes": {"type": "drawn", "data": wavy},
		"typed":   {"type": "typed", "text": "Guest Signature", "font": "script3"},
		"picture": {"type": "image", "data": base64.StdEncoding.EncodeToString(wavyPicture(t))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deal{files: []apptest.File{{Name: "pages.pdf", Content: upload}}, signs: []apptest.Map{{"signature": mark, "initials": mark}}}
			var fields apptest.List
			values := apptest.Map{}
			boxes := make([][]box, len(pages))
			for i, p := range pages {
				size := [2]float64{595, 842}
				if p.rotate%180 != 0 {
					size = [2]float64{842, 595}
				}
				f, v, b := grid(i+1, size)
				fields, boxes[i] = append(fields, f...), b
				for k, x := range v {
					values[k] = x
				}
			}
			d.data = apptest.Map{"invitations": apptest.List{guest(0)}, "fields": fields}
			d.signs[0]["fields"] = values
			files, certificate := download(t, c, d.complete(t, c))
			path := j.completed(t, files["pages.pdf"], sealed{upload: upload, first: true, signatures: 2})
			j.completed(t, certificate, sealed{signatures: 1})
			hasValues(t, path, len(pages))
			for by, was := range before {
				is := rendered(t, by, path)
				for i := range pages {
					inkInside(t, by, i+1, was[i], is[i], boxes[i])
				}
			}
		})
	}
}

// hasValues looks for every value in the text of every page. Scripts with
// reordered letters are left to visual inspection: no two tools extract them in
// the same order.
func hasValues(t *testing.T, path string, pages int) {
	t.Helper()
	for page := 1; page <= pages; page++ {
		n := fmt.Sprint(page)
		text, err := run(t, "pdftotext", "-f", n, "-l", n, path, "-")
		if err != nil {
			t.Fatal(err)
		}
		text = strings.Join(strings.Fields(text), " ")
		for _, x := range samples {
			want := x.text
			if want == "" && x.kind != "checkbox" && len(x.value) > 5 {
				want = x.value
			}
			if want != "-" && want != "false" && !strings.Contains(text, want) {
				t.Errorf("page %d: %q is not in the text: %s", page, want, text)
			}
		}
	}
}

func guest(n int) apptest.Map {
	return apptest.Map{"name": fmt.Sprintf("Guest %d", n), "email": fmt.Sprintf("guest%d@guest.example", n)}
}

func person(name, email, role string) apptest.Map {
	return apptest.Map{"name": name, "email": email, "role": role}
}

// everywhere puts the fields on each of the files.
func everywhere(files int, fields ...apptest.Map) (all apptest.List) {
	for i := range files {
		for _, f := range fields {
			m := apptest.Map{"file_id": fmt.Sprint(i)}
			for k, v := range f {
				m[k] = v
			}
			all = append(all, m)
		}
	}
	return all
}

func unzip(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
