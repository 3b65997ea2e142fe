package app_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// withParts adds form fields to a multipart body.
func withParts(t *testing.T, parts map[string]string, data any, file apptest.File) apptest.Raw {
	t.Helper()
	raw := apptest.Multipart(t, data, file)
	_, boundary, _ := strings.Cut(raw.Type, "boundary=")
	for name, value := range parts {
		part := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
		raw = apptest.Raw{Type: raw.Type, Body: append([]byte(part), raw.Body...)}
	}
	return raw
}

// TestFlattenedUploads uploads files that must not be changed: the refusal offers
// flattening, and then a copy of their pages is signed with the original
// attached.
func TestFlattenedUploads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	foreign := newStranger(t)
	filled := papers("/AcroForm<</Fields[100 0 R]/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 0 Tf 0 g)>>", []paper{a4, a4}, input)
	for name, x := range map[string]struct {
		upload   []byte
		password string
		says     string // in the refusal; "" if accepted
		shows    string
	}{
		"certified against every change":  {upload: foreign.sign(t, 1), says: "permits no changes", shows: "Page 1"},
		"signed with a lock on all":       {upload: foreign.lock(t), says: "locks all fields", shows: "Page 1"},
		"signed and encrypted":            {upload: throughQPDF(t, foreign.sign(t, 0), "--encrypt", "", "owner", "256", "--"), says: "has signatures", shows: "Page 1"},
		"signed and behind a password":    {upload: throughQPDF(t, foreign.sign(t, 0), "--encrypt", "secret", "owner", "256", "--"), password: "secret", says: "has signatures", shows: "Page 1"},
		"signed and damaged":              {upload: withoutTable(foreign.sign(t, 0)), says: "has signatures", shows: "Page 1"},
		"signed, by choice":               {upload: foreign.sign(t, 2), shows: "Page 1"},
		"cut, with nothing but pages":     {upload: damage(papers("", []paper{a4})), shows: "Page 1"},
		"with a form, by choice":          {upload: filled, shows: "their value"},
		"with static XFA and a form":      {upload: papers("/AcroForm<</Fields[100 0 R]/XFA 101 0 R/DR<</Font<</Helv 3 0 R>>>>>>", []paper{a4}, input, stream("<xdp/>")), shows: "their value"},
		"damaged, with nothing but pages": {upload: withoutTable(papers("", []paper{a4})), shows: "Page 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := apptest.File{Name: "locked.pdf", Content: x.upload}
			data := apptest.Map{"title": name, "send": true, "invitations": apptest.List{guest(0)},
				"fields": apptest.List{apptest.Map{"type": "text", "invitation_id": "0", "name": "note", "x": .1, "y": .3, "width": .3, "height": .05}}}
			if x.says != "" {
				r := c.Post(t, "/documents", withParts(t, map[string]string{"password": x.password}, data, file)).Want(t, http.StatusUnprocessableEntity)
				if sentence := understood(t, r, file.Name); !strings.Contains(sentence, x.says) || !strings.Contains(sentence, "flatten") {
					t.Errorf("refused with %s", sentence)
				}
			}
			doc := c.Post(t, "/documents", withParts(t, map[string]string{"password": x.password, "flatten": "true"}, data, file)).Want(t, 201)
			wantFinding(t, doc, "flattened", "original is attached")
			doc = deal{signs: []apptest.Map{{"fields": apptest.Map{"note": "Noted."}}}}.sign(t, c, doc)
			files, certificate := download(t, c, doc)
			path := j.completed(t, files[file.Name], sealed{signatures: 2})
			j.completed(t, certificate, sealed{signatures: 1})
			j.holds(t, path, file)
			if text := tool(t, "pdftotext", path, "-"); !strings.Contains(text, x.shows) || !strings.Contains(text, "Noted.") {
				t.Errorf("text in the file is %q", text)
			}
			original := c.Post(t, "/documents/"+doc.Text(t, "id")+"/download", apptest.Map{"version": "original"}).Want(t, 200).Body
			if !bytes.Equal(original, x.upload) {
				t.Error("the original differs from the upload")
			}
		})
	}
	t.Run("as base64", func(t *testing.T) {
		t.Parallel()
		doc := c.Post(t, "/documents", apptest.Map{"title": "Base64", "invitations": apptest.List{guest(0)}}).Want(t, 201)
		at := "/documents/" + doc.Text(t, "id")
		file := apptest.Map{"name": "locked.pdf", "content": base64.StdEncoding.EncodeToString(foreign.sign(t, 1))}
		c.Post(t, at+"/upload", apptest.Map{"files": apptest.List{file}}).Want(t, 422)
		file["flatten"] = true
		c.Post(t, at+"/upload", apptest.Map{"files": apptest.List{file}}).Want(t, 201)
		again := c.Post(t, at+"/duplicate", apptest.Map{}).Want(t, 201)
		for _, id := range []string{doc.Text(t, "id"), again.Text(t, "id")} {
			sent := c.Post(t, "/documents/"+id+"/send", apptest.Map{}).Want(t, 200)
			files, _ := download(t, c, deal{}.sign(t, c, sent))
			path := j.completed(t, files["locked.pdf"], sealed{signatures: 2})
			if out := tool(t, "pdfdetach", "-list", path); !strings.Contains(out, "locked.pdf") {
				t.Errorf("no attachment: %s", out)
			}
		}
	})
	for name, x := range map[string]struct {
		upload []byte
		says   string
	}{
		"dynamic XFA": {papers("/NeedsRendering true/AcroForm<</Fields[]/XFA 100 0 R>>", []paper{a4}, stream("<xdp/>")), "XFA"},
		"too large":   {smallPDF("Large", 33<<20), "too large"},
		"no PDF":      {[]byte("%PDF-1.7\nnothing"), "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.Post(t, "/documents", withParts(t, map[string]string{"flatten": "true"}, apptest.Map{"title": name}, apptest.File{Name: "x.pdf", Content: x.upload})).Want(t, http.StatusUnprocessableEntity)
			if sentence := understood(t, r, "x.pdf"); !strings.Contains(sentence, x.says) {
				t.Errorf("refused with %s", sentence)
			}
		})
	}
}

// holds checks that a file is attached, byte for byte.
func (j *judges) holds(t *testing.T, path string, file apptest.File) {
	t.Helper()
	dir := t.TempDir()
	tool(t, "pdfdetach", "-saveall", "-o", dir, path)
	b, err := os.ReadFile(filepath.Join(dir, file.Name))
	if err != nil || !bytes.Equal(b, file.Content) {
		t.Errorf("the attachment (%v) differs from the upload", err)
	}
	objects := readObjects(t, path)
	a := archive{t, "3", map[string]any{}, objects}
	found := slices.ContainsFunc(a.get(a.dict(a.dict(objects["trailer"])["/Root"])["/AF"]).([]any), func(v any) bool { return a.dict(v)["/AFRelationship"] == "/Source" })
	if !found {
		t.Error("the attachment is not marked as the source")
	}
}
