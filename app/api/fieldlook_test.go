package api_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
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
	if strings.Contains(evidence, "Swordfish") || !strings.Contains(evidence, `"known": "Rosebud"`) {
		t.Errorf("the evidence is %s", evidence)
	}
	got := d.Get(t, d.at).Want(t, 200)
	if got.Text(t, "fields.2.value") != "Swordfish" {
		t.Errorf("the team reads %s", got.Body)
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
