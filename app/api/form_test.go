package api_test

import (
	"bytes"
	"maps"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// parted returns a multipart body of text parts and files, in this order.
func parted(t *testing.T, parts [][2]string, files ...apptest.File) apptest.Raw {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		if err := w.WriteField(p[0], p[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		p, err := w.CreateFormFile("file", f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(f.Content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return apptest.Raw{Type: w.FormDataContentType(), Body: b.Bytes()}
}

// TestPartsAreMembers creates a document from parts of a form, as curl -F sends them.
func TestPartsAreMembers(t *testing.T) {
	t.Parallel()
	c := company(t)
	pdf := apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")}
	d := c.Post(t, "/documents", parted(t, [][2]string{
		{"title", `Lease "2B"`}, {"subject", "1"}, {"message", "null"}, {"signing_order", "sequential"}, {"external_id", "77"},
		{"metadata", `{"order":"78"}`}, {"remind_every_days", "3"}, {"allow_decline", "off"}, {"locale", "nl"}, {"send", "true"},
		{"expires_at", "2040-01-31T12:00:00Z"}, {"invitations", `[{"name":"Ben Buyer","email":"ben@example.org"}]`},
	}, pdf)).Want(t, 201)
	for path, want := range map[string]string{
		"title": `Lease "2B"`, "subject": "1", "message": "null", "signing_order": "sequential", "external_id": "77",
		"metadata.order": "78", "locale": "nl", "status": "sent", "expires_at": "2040-01-31T12:00:00.000Z", "files.0.name": "a.pdf",
		"invitations.0.email": "ben@example.org",
	} {
		if got := d.Text(t, path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if d.Int(t, "remind_every_days") != 3 || d.At(t, "allow_decline") != false {
		t.Errorf("the document is %s", d.Body)
	}
	both := c.Post(t, "/documents", parted(t, [][2]string{{"title", "From the part"}, {"data", `{"subject":"From data","title":null,"stranger":1}`}}, pdf)).Want(t, 201)
	if both.Text(t, "title") != "From the part" || both.Text(t, "subject") != "From data" {
		t.Errorf("with data, too, the document is %s", both.Body)
	}
	tagged := apptest.File{Name: "t.pdf", Content: apptest.PDF(t, "{{signature;role=Buyer}}")}
	tpl := c.Post(t, "/templates", parted(t, [][2]string{{"title", "Lease"}, {"text_tags", "1"}}, tagged)).Want(t, 201)
	if tpl.Text(t, "title") != "Lease" || tpl.Text(t, "fields.0.type") != "signature" {
		t.Errorf("the template is %s", tpl.Body)
	}
	empty := "/documents/" + c.Post(t, "/documents", obj{"invitations": signers(1)}).Want(t, 201).Text(t, "id")
	tagged.Content = apptest.PDF(t, "{{signature1}}")
	c.Post(t, empty+"/upload", parted(t, [][2]string{{"text_tags", "yes"}}, tagged)).Want(t, 201)
	if got := c.Get(t, empty).Want(t, 200); got.Text(t, "fields.0.type") != "signature" {
		t.Errorf("the document is %s", got.Body)
	}
}

// TestWrongPartsAreNamed sends parts that can't be taken; all of them are reported, and nothing is kept.
func TestWrongPartsAreNamed(t *testing.T) {
	t.Parallel()
	c := company(t)
	pdf := apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A lease.")}
	upload := "/documents/" + c.Post(t, "/documents", obj{}).Want(t, 201).Text(t, "id") + "/upload"
	tpl := lease(t, c)
	before := c.Get(t, "/documents?with_trashed=true").Want(t, 200).Int(t, "meta.total")
	for name, x := range map[string]struct {
		path  string
		parts [][2]string
		want  map[string]string // code by field
	}{
		"unknown":          {"/documents", [][2]string{{"titel", "Lease"}, {"Title", "Lease"}, {"file", "a.pdf"}, {"signers[0][name]", "Ben"}}, map[string]string{"titel": "unknown_part", "Title": "unknown_part", "file": "unknown_part", "signers[0][name]": "unknown_part"}},
		"without a name":   {"/documents", [][2]string{{"", "Lease"}}, map[string]string{"": "unknown_part"}},
		"twice":            {"/documents", [][2]string{{"title", "A"}, {"title", "A"}, {"data", "{}"}, {"data", "{}"}}, map[string]string{"title": "sent_twice", "data": "sent_twice"}},
		"in data too":      {"/documents", [][2]string{{"data", `{"title":"A","subject":"S"}`}, {"title", "A"}}, map[string]string{"title": "sent_twice"}},
		"of another type":  {"/documents", [][2]string{{"send", "maybe"}, {"remind_every_days", "often"}, {"metadata", "order=1"}, {"files", "a.pdf"}, {"flatten", ""}, {"text_tags", ""}}, map[string]string{"send": "wrong_type", "remind_every_days": "wrong_type", "metadata": "wrong_type", "files": "wrong_type", "flatten": "wrong_type", "text_tags": "wrong_type"}},
		"wrong everywhere": {"/documents", [][2]string{{"data", `{"title":1}`}, {"send", "maybe"}, {"stranger", ""}}, map[string]string{"title": "wrong_type", "send": "wrong_type", "stranger": "unknown_part"}},
		"not valid":        {"/documents", [][2]string{{"signing_order", "random"}, {"title", strings.Repeat("x", 300)}}, map[string]string{"signing_order": "not_one_of", "title": "too_long"}},
		"upload":           {upload, [][2]string{{"title", "A"}}, map[string]string{"title": "unknown_part"}},
		"template":         {"/templates", [][2]string{{"send", "true"}}, map[string]string{"send": "unknown_part"}},
		"replacement":      {"", [][2]string{{"name", "b.pdf"}}, map[string]string{"name": "unknown_part"}},
		"verification":     {"/verify", [][2]string{{"pasword", "x"}}, map[string]string{"pasword": "unknown_part"}},
	} {
		t.Run(name, func(t *testing.T) {
			body := parted(t, x.parts, pdf)
			var r *apptest.Response
			if x.path == "" {
				r = c.Put(t, "/documents/"+tpl.Text(t, "id")+"/files/"+tpl.Text(t, "files.0.id")+"/content", body)
			} else {
				r = c.Post(t, x.path, body)
			}
			failed(t, r, 422, slices.Collect(maps.Keys(x.want))...)
			codes, ok := r.At(t, "codes").(obj)
			if !ok || len(codes) != len(x.want) {
				t.Fatalf("the response is %s", r.Body)
			}
			for field, want := range x.want {
				if got, ok := codes[field].(list); !ok || len(got) != 1 || got[0] != want {
					t.Errorf("%s: %v, want %s", field, codes[field], want)
				}
			}
		})
	}
	failed(t, c.Post(t, "/documents", parted(t, [][2]string{{"title", "\xff"}}, pdf)), 400)
	failed(t, c.Post(t, "/documents", parted(t, [][2]string{{"title", "A"}, {"data", `"subject":"S"}`}}, pdf)), 400)
	if n := c.Get(t, "/documents?with_trashed=true").Want(t, 200).Int(t, "meta.total"); n != before {
		t.Errorf("%d documents were kept", n-before)
	}
}
