package app_test

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// objectsFile writes a PDF of numbered objects, from 1 on; the first is the catalog.
func objectsFile(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, body := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// look returns the object of an appearance.
func look(width, height int, content string) string {
	return fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 %d %d]/Resources<</Font<</F1 5 0 R>>>>/Length %d>>stream\n%s\nendstream", width, height, len(content), content)
}

// ownForm is a file with a form of its own that is filled in: a price, the second of two plans, an IBAN in
// cells, a ticked box, a colour, a secret, and a text that is shown twice. On a page that is turned, it has
// the same places.
func ownForm(rotate int) []byte {
	const square = "0 0 0 RG .5 .5 17 17 re S"
	text := func(s string) string {
		return look(200, 20, "0 0 1 RG .5 .5 199 19 re S /Tx BMC q BT /F1 12 Tf 2 5 Td ("+s+") Tj ET Q EMC")
	}
	return objectsFile(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R 8 0 R 13 0 R 14 0 R 15 0 R 17 0 R 18 0 R]/NeedAppearances true/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/Rotate %d/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[6 0 R 9 0 R 10 0 R 13 0 R 14 0 R 15 0 R 17 0 R 19 0 R 20 0 R]>>", rotate),
		"<</Length 57>>stream\nBT /F1 12 Tf 40 705 Td (Price) Tj 0 -40 Td (Plan) Tj ET  \nendstream",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(price)/TU(What it costs)/V(EUR 100)/Q 2/DA(/F1 11 Tf 1 0 0 rg)/Rect[150 700 350 720]/P 3 0 R/F 4/AP<</N 7 0 R>>>>",
		text("EUR 100"),
		"<</FT/Btn/Ff 49152/T(plan)/V/b/Kids[9 0 R 10 0 R]>>",
		"<</Type/Annot/Subtype/Widget/Parent 8 0 R/TU(Basic)/AS/Off/Rect[150 660 168 678]/P 3 0 R/F 4/AP<</N<</a 11 0 R/Off 12 0 R>>>>>>",
		"<</Type/Annot/Subtype/Widget/Parent 8 0 R/AS/b/Rect[200 660 218 678]/P 3 0 R/F 4/AP<</N<</b 11 0 R/Off 12 0 R>>>>>>",
		look(18, 18, square+" 0 0 0 rg 5 5 8 8 re f"),
		look(18, 18, square),
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(iban)/Ff 16777216/MaxLen 10/Rect[150 620 350 640]/P 3 0 R/F 4/MK<</BC[0]>>>>",
		"<</Type/Annot/Subtype/Widget/FT/Btn/T(agree)/V/Yes/AS/Yes/Rect[150 580 168 598]/P 3 0 R/F 4/AP<</N<</Yes 11 0 R/Off 12 0 R>>>>>>",
		"<</Type/Annot/Subtype/Widget/FT/Ch/Ff 131072/T(colour)/Opt[[(1)(Red)][(2)(Blue)]]/V(2)/Rect[150 540 350 560]/P 3 0 R/F 4/AP<</N 16 0 R>>>>",
		text("Blue"),
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(secret)/Ff 8192/Q 1/Rect[150 500 350 520]/P 3 0 R/F 4>>",
		"<</FT/Tx/T(twice)/V(Old)/MaxLen 5/Kids[19 0 R 20 0 R]>>",
		"<</Type/Annot/Subtype/Widget/Parent 18 0 R/Rect[150 460 350 480]/P 3 0 R/F 4/AP<</N 21 0 R>>>>",
		"<</Type/Annot/Subtype/Widget/Parent 18 0 R/Rect[150 420 350 440]/P 3 0 R/F 4/AP<</N 21 0 R>>>>",
		text("Old"),
	)
}

// TestOwnFormsAreReadWithTheirSettings suggests the fields of an upload's form as they are filled in.
func TestOwnFormsAreReadWithTheirSettings(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	doc := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Form", "invitations": apptest.List{guest(0)}},
		apptest.File{Name: "form.pdf", Content: ownForm(0)})).Want(t, 201)
	found := c.Post(t, "/documents/"+doc.Text(t, "id")+"/fields/detect", apptest.Map{}).Want(t, 200)
	want := []apptest.Map{
		{"name": "price", "type": "text", "label": "What it costs", "value": "EUR 100", "align": "right", "font_size": 11.0, "font_weight": "bold", "color": "#ff0000"},
		{"name": "a", "type": "radio", "group": "plan", "label": "Basic", "value": nil},
		{"name": "b", "type": "radio", "group": "plan", "label": "b", "value": "true"},
		{"name": "iban", "type": "text", "cells": 10.0, "max": 10.0, "value": nil, "font_size": 12.0},
		{"name": "agree", "type": "checkbox", "value": "true", "required": false},
		{"name": "colour", "type": "select", "value": "Blue"},
		{"name": "secret", "type": "text", "mask": "all", "align": "center"},
		{"name": "twice", "type": "text", "value": "Old", "max": 5.0},
		{"name": "twice", "type": "text", "value": "Old", "max": 5.0},
	}
	if n := len(found.At(t, "data").(apptest.List)); n != len(want) {
		t.Fatalf("found %d fields: %s", n, found.Body)
	}
	for i, settings := range want {
		for key, v := range settings {
			if got := found.At(t, fmt.Sprintf("data.%d.%s", i, key)); got != v {
				t.Errorf("%s of %v is %v", key, settings["name"], got)
			}
		}
	}
}

// TestAnswersReplaceTheUploadsOwn answers otherwise than the upload's own form is filled in: only the answers
// can be seen, and the places that no field takes stay as they were.
func TestAnswersReplaceTheUploadsOwn(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	for _, rotate := range []int{0, 90} {
		t.Run(fmt.Sprint("turned by ", rotate), func(t *testing.T) {
			t.Parallel()
			c := s.Company(t)
			upload := ownForm(rotate)
			doc := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Form", "invitations": apptest.List{guest(0)}},
				apptest.File{Name: "form.pdf", Content: upload})).Want(t, 201)
			at := "/documents/" + doc.Text(t, "id")
			all := c.Post(t, at+"/fields/detect", apptest.Map{}).Want(t, 200).At(t, "data").(apptest.List)
			const secondOfTwice = 8
			fields := all[:secondOfTwice] // the last place keeps what it has
			answers := apptest.Map{"price": "EUR 250", "a": true, "iban": "NL12345678", "colour": "Red", "agree": false, "secret": "hidden", "twice": "New"}
			for _, x := range fields {
				field := x.(apptest.Map)
				field["invitation_id"] = doc.Text(t, "invitations.0.id")
				if rotate != 0 && field["name"] == "iban" { // its cells are too narrow for letters that stand upright
					field["required"] = false
					delete(answers, "iban")
				}
			}
			c.Post(t, at+"/fields", apptest.Map{"fields": fields}).Want(t, 201)
			sent := c.Post(t, at+"/send", apptest.Map{}).Want(t, 200)
			done := deal{signs: []apptest.Map{{"fields": answers}}}.sign(t, c, sent)
			files, _ := download(t, c, done)
			path := j.completed(t, files["form.pdf"], sealed{signatures: 2, upload: upload, first: true})
			text := strings.Join(strings.Fields(tool(t, "pdftotext", path, "-")), "") // turned text is spaced out
			for _, x := range []string{"EUR250", "Red", "New", "Old"} {
				if !strings.Contains(text, x) {
					t.Errorf("%q is missing in %q", x, text)
				}
			}
			for _, x := range []string{"EUR100", "Blue", "hidden"} {
				if strings.Contains(text, x) {
					t.Errorf("%q is still in %q", x, text)
				}
			}
			for _, by := range []string{"poppler", "mupdf"} {
				page := rendered(t, by, path)[0]
				for place, dark := range map[[2]int]bool{{159, 669}: true, {209, 669}: false, {159, 589}: false} {
					if got := isDark(page, rotate, place[0], place[1]); got != dark {
						t.Errorf("%s: the middle of the box at %v is dark: %v", by, place, got)
					}
				}
				for _, place := range [][2]int{{150, 670}, {200, 670}, {150, 590}, {170, 630}, {190, 630}} {
					if !isDark(page, rotate, place[0], place[1]) {
						t.Errorf("%s: there is no frame at %v", by, place)
					}
				}
			}
		})
	}
}

// isDark reports whether something is drawn around a place of a page of 595 by 842 points.
func isDark(page *image.RGBA, rotate, x, y int) bool {
	px, py := x, 842-y
	if rotate == 90 {
		px, py = y, x
	}
	darkest := uint8(255)
	for dx := -2; dx <= 2; dx++ {
		for dy := -2; dy <= 2; dy++ {
			darkest = min(darkest, page.RGBAAt(px+dx, py+dy).R)
		}
	}
	return darkest < 160
}

// TestReplacedFieldsAreOutOfTheWay looks at the fields that gave way: they are hidden, locked, and have no
// value; those that nothing replaces are as they were.
func TestReplacedFieldsAreOutOfTheWay(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	over := func(kind, name string, x, y, w, h float64) apptest.Map {
		return apptest.Map{"type": kind, "name": name, "invitation_id": "0", "x": x / 595, "y": (842 - y - h) / 842, "width": w / 595, "height": h / 842}
	}
	data := apptest.Map{"title": "Form", "send": true, "invitations": apptest.List{guest(0)}, "fields": apptest.List{
		over("text", "price", 148, 698, 210, 24), // a little larger, as drawn by hand
		over("radio", "b", 200, 660, 18, 18),
		over("signature", "s", 140, 600, 300, 90), // over much else
		over("strikethrough", "no", 150, 540, 200, 20),
		over("text", "note", 350, 460, 150, 20), // beside
	}}
	doc := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "form.pdf", Content: ownForm(0)}))
	if doc.Status != http.StatusCreated {
		t.Fatalf("not sent: %s", doc.Body)
	}
	done := deal{signs: []apptest.Map{{"fields": apptest.Map{"price": "EUR 1", "note": "N", "b": true}}}}.sign(t, c, doc)
	files, _ := download(t, c, done)
	f := forger{T: t, file: files["form.pdf"]}
	for n, want := range map[int]string{
		6:  `/F 194/FT ?/Tx/Ff 1/.*/V ?\(\)`,
		8:  `/V ?/Off`,
		10: `/AS ?/Off/F 194`,
		9:  `/F 4`,
		13: `/F 4`,
		15: `/F 4`,
		19: `/F 4`,
	} {
		if got := f.object(n); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("object %d is %s, want %s", n, got, want)
		}
	}
}

// twinForm is a file with boxes and buttons of one value: a box that stands twice, three buttons of which two are chosen
// together, boxes of which one can be ticked, one of them twice, and two buttons of one label that are not the same.
func twinForm() []byte {
	const square = "0 0 0 RG .5 .5 17 17 re S"
	button := func(parent, state string, on bool, x, y int) string {
		as := "Off"
		if on {
			as = state
		}
		return fmt.Sprintf("<</Type/Annot/Subtype/Widget/P 3 0 R/F 4/Parent %d 0 R/AS/%s/Rect[%d %d %d %d]/AP<</N<</%s 5 0 R/Off 6 0 R>>>>>>", map[string]int{"box": 7, "plan": 8, "sex": 9, "same": 10}[parent], as, x, y, x+18, y+18, state)
	}
	return objectsFile(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R 8 0 R 9 0 R 10 0 R]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 4 0 R>>>>>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[11 0 R 12 0 R 13 0 R 14 0 R 15 0 R 16 0 R 17 0 R 18 0 R 19 0 R 20 0 R]>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		look(18, 18, square+" 0 0 0 rg 5 5 8 8 re f"),
		look(18, 18, square),
		"<</FT/Btn/T(box)/V/Yes/Kids[11 0 R 12 0 R]>>",
		"<</FT/Btn/Ff 33603584/T(plan)/V/a/Kids[13 0 R 14 0 R 15 0 R]>>",
		"<</FT/Btn/T(sex)/Kids[16 0 R 17 0 R 18 0 R]>>",
		"<</FT/Btn/Ff 49152/T(same)/Opt[(Same)(Same)]/V/0/Kids[19 0 R 20 0 R]>>",
		button("box", "Yes", true, 100, 700), button("box", "Yes", true, 100, 600),
		button("plan", "a", true, 200, 700), button("plan", "a", true, 200, 600), button("plan", "b", false, 200, 500),
		button("sex", "m", false, 300, 700), button("sex", "m", false, 300, 600), button("sex", "f", false, 300, 500),
		button("same", "0", true, 400, 700), button("same", "1", false, 400, 600),
	)
}

// TestButtonsOfOneValueAreChosenTogether fills in a form whose boxes and buttons repeat others, by name and as it is, and
// through the page.
func TestButtonsOfOneValueAreChosenTogether(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	for name, x := range map[string]struct {
		answers apptest.Map
		dark    string // the columns, from top to bottom
	}{
		"as it is":   {apptest.Map{}, "11 110 000 10"},
		"by name":    {apptest.Map{"plan": "b", "box": false, "m": true, "same": "Same 2"}, "00 001 110 01"},
		"the others": {apptest.Map{"plan": "a", "f": true}, "11 110 001 10"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.Company(t)
			upload := twinForm()
			doc := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Form", "invitations": apptest.List{guest(0)}},
				apptest.File{Name: "form.pdf", Content: upload})).Want(t, 201)
			at := "/documents/" + doc.Text(t, "id")
			fields := c.Post(t, at+"/fields/detect", apptest.Map{}).Want(t, 200).At(t, "data").(apptest.List)
			for _, f := range fields {
				f.(apptest.Map)["invitation_id"] = doc.Text(t, "invitations.0.id")
			}
			c.Post(t, at+"/fields", apptest.Map{"fields": fields}).Want(t, 201)
			sent := c.Post(t, at+"/send", apptest.Map{}).Want(t, 200)
			done := deal{signs: []apptest.Map{{"fields": x.answers}}}.sign(t, c, sent)
			files, _ := download(t, c, done)
			path := j.completed(t, files["form.pdf"], sealed{signatures: 2, upload: upload, first: true})
			for _, by := range []string{"poppler", "mupdf"} {
				page, seen := rendered(t, by, path)[0], ""
				for column, rows := range []int{2, 3, 3, 2} {
					for row := range rows {
						if isDark(page, 0, 100*column+109, 709-100*row) {
							seen += "1"
						} else {
							seen += "0"
						}
					}
					seen += " "
				}
				if strings.TrimSpace(seen) != x.dark {
					t.Errorf("%s: dark are %s, want %s", by, seen, x.dark)
				}
			}
		})
	}
}
