package api_test

import (
	"archive/zip"
	"bytes"
	"image"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// styled returns the text of a PDF with its fonts, colours and places, as mutool sees it.
func styled(t *testing.T, pdf []byte) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(at, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "mutool", "draw", "-q", "-F", "stext", at).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// unzipped returns the contents of a ZIP by name.
func unzipped(t *testing.T, b []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		content, err := fs.ReadFile(z, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(content)
	}
	return out
}

// TestLooksOfFields signs with fields in bold, in colour, in cells and masked, and reads the
// completed document with other programs.
func TestLooksOfFields(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	r := d.Put(t, d.at+"/fields", obj{"fields": list{
		d.field(1, 0, "text", "strong", obj{"font_weight": "bold", "color": "#1D5BD1", "font_size": 9}),
		d.field(3, 0, "text", "iban", obj{"cells": 8, "font_size": 9}),
		d.field(5, 0, "text", "secret", obj{"mask": "all"}),
		d.field(7, 0, "text", "known", obj{"mask": "paper"}),
		d.field(9, 0, "text", "low", obj{"height": .1, "vertical_align": "bottom", "font_size": 9}),
	}}).Want(t, 200)
	if got := r.Text(t, "data.0.color") + r.Text(t, "data.0.font_weight") + r.Text(t, "data.2.mask"); got != "#1d5bd1boldall" || r.Int(t, "data.1.cells") != 8 {
		t.Errorf("stored is %s", r.Body)
	}
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	sign := d.at + "/" + d.people[0] + "/sign"
	values := obj{"strong": "Emphasis", "iban": "NL91ABNA9", "secret": "Swordfish", "known": "Rosebud", "low": "Ground"}
	refused(t, d.Post(t, sign, obj{"fields": values}), "fields.iban", "too_many_characters")
	values["iban"] = "NL91ABNA"
	d.Post(t, sign, obj{"fields": values}).Want(t, 200)
	d.Post(t, d.at+"/"+d.people[1]+"/sign", nil).Want(t, 200)

	pdf := d.Get(t, d.at+"/download").Want(t, 200).Body
	text := apptest.PagesText(t, pdf)
	if strings.Contains(text, "Swordfish") || strings.Contains(text, "Rosebud") || strings.Count(text, "••••••") != 2 {
		t.Errorf("the document says %q", text)
	}
	drawn := styled(t, pdf)
	for _, want := range []string{`color="#1d5bd1"`, "NotoSans-Bold"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("the document has no %s: %s", want, drawn)
		}
	}
	evidence := unzipped(t, d.Post(t, d.at+"/download", obj{"format": "zip"}).Want(t, 200).Body)["evidence.json"]
	if strings.Contains(evidence, "Swordfish") || !strings.Contains(evidence, `"value": "Rosebud"`) {
		t.Errorf("the evidence is %s", evidence)
	}
	got := d.Get(t, d.at).Want(t, 200)
	if got.Text(t, "fields.2.value") != "Swordfish" {
		t.Errorf("the team reads %s", got.Body)
	}
}

// TestFixedFields sends a document with fixed text and a line through other text: everybody
// sees both from the start, and nobody is asked for them.
func TestFixedFields(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	put := func(fields ...obj) *apptest.Response {
		all := list{d.field(1, 0, "strikethrough", "", obj{"required": true}), d.field(3, 0, "text", "own", obj{})}
		for _, x := range fields {
			all = append(all, x)
		}
		return d.Put(t, d.at+"/fields", obj{"fields": all})
	}
	condition := obj{"when": list{obj{"field": "own", "op": "filled"}}}
	failed(t, put(d.field(5, 1, "label", "", obj{"value": "x", "condition": condition})), 422, "fields.2.condition")
	put(d.field(5, 1, "label", "", obj{})).Want(t, 200)
	refused(t, d.Post(t, d.at+"/send", nil), "fields", "label_empty")
	r := put(d.field(5, 1, "label", "note", obj{"value": "Garage not included", "font_weight": "bold", "font_size": 9})).Want(t, 200)
	if r.At(t, "data.0.required") != false || r.At(t, "data.2.read_only") != true {
		t.Errorf("stored is %s", r.Body)
	}
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	sent := d.Get(t, d.at+"/files/"+r.Text(t, "data.0.file_id")+"/content").Want(t, 200).Body
	if text := apptest.PagesText(t, sent); !strings.Contains(text, "Garage not included") {
		t.Errorf("before anybody signed, the document says %q", text)
	}
	if lines := strings.Count(traced(t, sent), "<stroke_path"); lines < 1 {
		t.Error("nothing is struck through")
	}
	// The second person has only fixed text, and so signs on the signature page.
	sign := d.at + "/" + d.people[0] + "/sign"
	refused(t, d.Post(t, sign, obj{"fields": obj{"own": "mine", "note": "Garage included"}}), "fields.note", "no_such_field")
	d.Post(t, sign, obj{"fields": obj{"own": "mine"}}).Want(t, 200)
	d.Post(t, d.at+"/"+d.people[1]+"/sign", nil).Want(t, 200)
	pdf := d.Get(t, d.at+"/download").Want(t, 200).Body
	text := apptest.PagesText(t, pdf)
	if strings.Contains(text, "Garage included") || strings.Count(text, "Garage not included") != 1 || !strings.Contains(text, "mine") {
		t.Errorf("the completed document says %q", text)
	}
	if got := d.Get(t, d.at).Want(t, 200); got.Int(t, "files.0.appended_pages") != 1 || got.Text(t, "status") != "completed" {
		t.Errorf("it is completed as %s", got.Body)
	}
}

// TestNothingUnseenIsSent places text and answers on light and on dark ground.
func TestNothingUnseenIsSent(t *testing.T) {
	t.Parallel()
	c := company(t)
	var dark bytes.Buffer
	if err := png.Encode(&dark, image.NewGray(image.Rect(0, 0, 300, 400))); err != nil {
		t.Fatal(err)
	}
	white := apptest.File{Name: "white.pdf", Content: apptest.PDF(t, "Words.")}
	black := apptest.File{Name: "black.png", Content: dark.Bytes()}
	for name, tt := range map[string]struct {
		ground apptest.File
		kind   string
		field  obj
		want   string
	}{
		"white on white":         {white, "label", obj{"value": "void", "color": "#ffffff"}, "text_unseen"},
		"nearly white on white":  {white, "label", obj{"value": "void", "color": "#e8e8e8"}, "text_unseen"},
		"yellow on white":        {white, "label", obj{"value": "void", "color": "#ffff00"}, "text_unseen"},
		"grey on white":          {white, "label", obj{"value": "void", "color": "#777777"}, ""},
		"black on black":         {black, "label", obj{"value": "void"}, "text_unseen"},
		"white on black":         {black, "label", obj{"value": "void", "color": "#ffffff"}, ""},
		"a white value":          {white, "text", obj{"value": "void", "read_only": true, "color": "#fefefe"}, "text_unseen"},
		"a white default":        {white, "text", obj{"value": "void", "color": "#fefefe"}, "text_unseen"},
		"a white answer":         {white, "text", obj{"color": "#fefefe"}, "text_unseen"},
		"a black value on black": {black, "text", obj{"value": "void", "read_only": true}, "text_unseen"},
		"an answer on white":     {white, "text", obj{}, ""},
		"an answer on black":     {black, "text", obj{}, "text_unseen"},
		"a white one on black":   {black, "text", obj{"color": "#ffffff"}, ""},
		"a day on black":         {black, "date_signed", obj{}, "text_unseen"},
		"a tick on black":        {black, "checkbox", obj{}, "text_unseen"},
		"a white line":           {white, "strikethrough", obj{"color": "#ffffff"}, "text_unseen"},
		"a signature":            {black, "signature", obj{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": list{obj{"name": "Ben", "email": "ben@example.org"}}}, tt.ground)).Want(t, 201)
			at := "/documents/" + d.Text(t, "id")
			field := obj{"invitation_id": d.Text(t, "invitations.0.id"), "file_id": d.Text(t, "files.0.id"), "type": tt.kind, "name": "x", "page": 1, "x": .2, "y": .5, "width": .4, "height": .05}
			maps.Copy(field, tt.field)
			c.Put(t, at+"/fields", obj{"fields": list{field}}).Want(t, 200)
			r := c.Post(t, at+"/send", nil)
			if tt.want == "" {
				r.Want(t, 200)
			} else {
				refused(t, r, "fields.x", tt.want)
			}
		})
	}
}

// traced returns the drawing operations of the first page of a PDF.
func traced(t *testing.T, pdf []byte) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(at, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "mutool", "draw", "-q", "-F", "trace", at, "1").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestPhoneNumbers(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "phone", "phone", obj{})}}).Want(t, 200)
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	sign := d.at + "/" + d.people[0] + "/sign"
	for _, v := range []string{"call me", "12", "1+23456", "12345x"} {
		refused(t, d.Post(t, sign, obj{"fields": obj{"phone": v}}), "fields.phone", "not_a_phone_number")
	}
	d.Post(t, sign, obj{"fields": obj{"phone": " +31 (0)20-123.4567 "}}).Want(t, 200)
	if got := d.Get(t, d.at).Text(t, "fields.0.value"); got != "+31 (0)20-123.4567" {
		t.Errorf("stored as %q", got)
	}
}

func TestLooksAreChecked(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	for name, values := range map[string]list{
		"font_weight": {"heavy"}, "color": {"red", "#12345", "#gggggg"}, "vertical_align": {"center"}, "cells": {-1, 101}, "mask": {"always"},
	} {
		for _, v := range values {
			failed(t, d.Put(t, d.at+"/fields", obj{"fields": list{d.field(1, 0, "text", "a", obj{name: v})}}), 422, "fields.0."+name)
		}
	}
}
