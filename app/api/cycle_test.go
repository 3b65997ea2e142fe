package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

// TestCycle follows the contract's order of operations without placing a field: create, upload,
// invite, send, sign, download.
func TestCycle(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/api"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			t.Parallel()
			c := company(t).Under(prefix)
			d := c.Post(t, "/documents", obj{"title": "Lease"}).Want(t, 201)
			if d.Int(t, "status_id") != 1 || d.Text(t, "status") != "draft" {
				t.Errorf("a new document is %s", d.Body)
			}
			at := "/documents/" + d.Text(t, "id")
			up := c.Post(t, at+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "The lease.", "Its second page.")})).Want(t, 201)
			if up.Text(t, "data.0.name") != "lease.pdf" || up.Int(t, "data.0.pages") != 2 || up.Text(t, "data.0.document_id") != d.Text(t, "id") {
				t.Errorf("the file is %s", up.Body)
			}
			inv := c.Post(t, at+"/invite", obj{"invitations": signers(2)}).Want(t, 201)
			if inv.Text(t, "data.1.status") != "pending" || inv.Text(t, "data.1.role") != "signer" || inv.At(t, "data.0.sign_url") != nil {
				t.Errorf("the invitations are %s", inv.Body)
			}
			failed(t, c.Post(t, at+"/download", obj{}), 409)
			d = c.Post(t, at+"/send", obj{"subject": "Please sign"}).Want(t, 200)
			if d.Int(t, "status_id") != 5 || d.Text(t, "invitations.0.status") != "notified" || d.Text(t, "subject") != "Please sign" {
				t.Errorf("after send it is %s", d.Body)
			}
			d = c.Post(t, at+"/"+inv.Text(t, "data.0.id")+"/sign", obj{}).Want(t, 200)
			if d.Int(t, "status_id") != 5 || d.Int(t, "progress.signed") != 1 || d.Int(t, "progress.total") != 2 {
				t.Errorf("after one signature it is %s", d.Body)
			}
			d = server(t).With(link(t, d, 1)).Under(prefix).Post(t, at+"/"+inv.Text(t, "data.1.id")+"/sign", obj{"consent": true}).Want(t, 200)
			if d.Int(t, "status_id") != 6 || d.Text(t, "status") != "completed" {
				t.Errorf("after the last signature it is %s", d.Body)
			}
			checkSigned(t, c.Post(t, at+"/download", obj{}).Want(t, 200).Body, 3)
		})
	}
}

// checkSigned validates each signature with pdfsig. pdfsig can't validate the
// document timestamp, which is not counted.
func checkSigned(t *testing.T, file []byte, signatures int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "signed.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "pdfsig", "-nocert", path).CombinedOutput()
	if n := strings.Count(string(out), "Signature is Valid"); err != nil || n != signatures {
		t.Errorf("pdfsig (%v) says %d of %d signatures are valid:\n%s", err, n, signatures, out)
	}
}

func TestOneShot(t *testing.T) {
	t.Parallel()
	c := company(t)
	people := list{merged(signer(1), obj{"message": "Hello"})}
	pdf := apptest.PDF(t, "One request does it all.")
	data := obj{"title": "One shot", "send": true, "invitations": people, "metadata": obj{"order": "77"},
		"fields": list{obj{"type": "signature", "file_id": "0", "invitation_id": "signer1@signer.example", "page": 1, "x": 0.1, "y": 0.7, "width": 0.3, "height": 0.08}}}
	for name, body := range map[string]any{
		"json":      merged(data, obj{"files": list{obj{"name": "a.pdf", "content": base64.StdEncoding.EncodeToString(pdf)}}}),
		"multipart": apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: pdf}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.Post(t, "/documents", body).Want(t, 201)
			if d.Int(t, "status_id") != 5 || d.Text(t, "metadata.order") != "77" || d.Text(t, "files.0.name") != "a.pdf" ||
				d.Text(t, "fields.0.invitation_id") != d.Text(t, "invitations.0.id") || d.Text(t, "fields.0.file_id") != d.Text(t, "files.0.id") {
				t.Errorf("it is %s", d.Body)
			}
			d = c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
			if d.Int(t, "status_id") != 6 {
				t.Errorf("it ends as %s", d.Body)
			}
		})
	}
}

// TestOneShotAllOrNothing sends requests with one faulty part.
func TestOneShotAllOrNothing(t *testing.T) {
	t.Parallel()
	c := company(t)
	pdf := apptest.File{Name: "a.pdf", Content: apptest.PDF(t)}
	for name, x := range map[string]struct {
		data   obj
		files  []apptest.File
		faults []string
	}{
		"a bad e-mail":        {obj{"invitations": list{obj{"name": "A", "email": "nope"}}, "send": true}, []apptest.File{pdf}, []string{"invitations.0.email"}},
		"no file":             {obj{"invitations": signers(1), "send": true}, nil, []string{"files"}},
		"nobody to sign":      {obj{"send": true}, []apptest.File{pdf}, []string{"invitations"}},
		"nothing at all":      {obj{"send": true}, nil, []string{"files", "invitations"}},
		"second file damaged": {obj{"invitations": signers(1), "send": true}, []apptest.File{pdf, {Name: "b.pdf", Content: []byte("%PDF-1.7\nnothing")}}, []string{"files.1"}},
		"field on page 99":    {obj{"invitations": signers(1), "fields": list{obj{"type": "text", "invitation_id": "0", "page": 99, "x": 0, "y": 0, "width": 0.1, "height": 0.1}}}, []apptest.File{pdf}, []string{"fields.0.page"}},
		"several at once": {obj{"title": strings.Repeat("x", 300), "signing_order": "random", "invitations": list{obj{"email": "x@y.example"}, obj{"name": "B", "email": ""}}}, nil,
			[]string{"title", "signing_order", "invitations.0.name", "invitations.1.email"}},
		"twice the same e-mail": {obj{"invitations": list{signer(1), obj{"name": "Again", "email": "SIGNER1@signer.example"}}}, nil, []string{"invitations.1.email"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed(t, c.Post(t, "/documents", apptest.Multipart(t, x.data, x.files...)), 422, x.faults...)
			if n := c.Get(t, "/documents?with_trashed=true").Want(t, 200).Int(t, "meta.total"); n != 0 {
				t.Errorf("%d documents were kept", n)
			}
		})
	}
}

func TestDownload(t *testing.T) {
	t.Parallel()
	c := company(t)
	title := "Übergabe 合同 / \"A\""
	d := completed(t, c, obj{"title": title})
	at := "/documents/" + d.Text(t, "id") + "/download"
	whole := c.Post(t, at, nil).Want(t, 200)
	tag := whole.Header.Get("ETag")

	t.Run("kinds", func(t *testing.T) {
		for _, x := range []struct {
			body  obj
			kind  string
			begin string
		}{
			{obj{}, "application/pdf", "%PDF-"},
			{obj{"format": "pdf"}, "application/pdf", "%PDF-"},
			{obj{"format": "zip"}, "application/zip", "PK"},
			{obj{"version": "completed"}, "application/pdf", "%PDF-"},
			{obj{"version": "current"}, "application/pdf", "%PDF-"},
			{obj{"version": "original"}, "application/pdf", "%PDF-"},
			{obj{"content": "certificate"}, "application/pdf", "%PDF-"},
			{obj{"content": "evidence"}, "application/json", "{"},
			{obj{"content": "document"}, "application/pdf", "%PDF-"},
		} {
			r := c.Post(t, at, x.body).Want(t, 200)
			if r.Header.Get("Content-Type") != x.kind || !strings.HasPrefix(string(r.Body), x.begin) || r.Header.Get("ETag") == "" {
				t.Errorf("%v: %v %.20q", x.body, r.Header, r.Body)
			}
			query := "?"
			for k, v := range x.body {
				query += k + "=" + v.(string)
			}
			if g := c.Get(t, at+query).Want(t, 200); x.body["format"] != "zip" && !bytes.Equal(g.Body, r.Body) {
				t.Errorf("%v: GET gives something else than POST", x.body)
			}
		}
		if r := c.Post(t, at, obj{"version": "original"}); !bytes.Equal(r.Body, apptest.PDF(t, "The contract.")) {
			t.Error("the original is not what was uploaded")
		}
		if !bytes.HasPrefix(whole.Body, apptest.PDF(t, "The contract.")) {
			t.Error("the upload is not the first revision")
		}
		checkSigned(t, c.Post(t, at, obj{"content": "certificate"}).Body, 1)
	})
	t.Run("zip", func(t *testing.T) {
		b := c.Post(t, at, obj{"format": "zip"}).Want(t, 200).Body
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range z.File {
			names = append(names, f.Name)
			if age := time.Since(f.Modified); age < -time.Hour || age > 24*time.Hour {
				t.Errorf("%s was changed on %v", f.Name, f.Modified)
			}
		}
		if got := strings.Join(names, ", "); got != "contract.pdf, Certificate of completion.pdf, evidence.json" {
			t.Errorf("it holds %s", got)
		}
	})
	t.Run("bad", func(t *testing.T) {
		failed(t, c.Post(t, at, obj{"format": "doc", "version": "new", "content": "all"}), 422, "format", "version", "content")
		failed(t, c.Post(t, at, obj{"format": 7}), 422, "format")
		failed(t, c.Get(t, at+"?version=new"), 422, "version")
	})
	t.Run("names", func(t *testing.T) {
		r := c.Post(t, at, obj{"content": "certificate"})
		got := r.Header.Get("Content-Disposition")
		if !strings.Contains(got, "filename*=UTF-8''Certificate%20of%20completion%20-%20%C3%9Cbergabe%20%E5%90%88%E5%90%8C") || strings.Contains(got, "合") {
			t.Errorf("Content-Disposition: %s", got)
		}
		if got := whole.Header.Get("Content-Disposition"); !strings.Contains(got, `filename="contract.pdf"`) {
			t.Errorf("Content-Disposition: %s", got)
		}
		original := c.Post(t, at, obj{"version": "original"}).Header.Get("Content-Disposition")
		if !strings.Contains(original, `filename="contract (original).pdf"`) {
			t.Errorf("Content-Disposition: %s", original)
		}
	})
	t.Run("ranges", func(t *testing.T) {
		n := len(whole.Body)
		for _, x := range []struct {
			ask      string
			status   int
			from, to int
		}{
			{"bytes=0-99", 206, 0, 100}, {"bytes=100-", 206, 100, n}, {"bytes=-50", 206, n - 50, n}, {"bytes=5-5", 206, 5, 6},
			{"bytes=0-99999999", 206, 0, n}, {"bytes=9-3", 200, 0, n}, {"lines=1-2", 200, 0, n}, {"bytes=x", 200, 0, n},
		} {
			r := c.Get(t, at, "Range", x.ask).Want(t, x.status)
			if !bytes.Equal(r.Body, whole.Body[x.from:x.to]) {
				t.Errorf("%s: %d bytes, want %d", x.ask, len(r.Body), x.to-x.from)
			}
		}
		r := c.Get(t, at, "Range", "bytes=99999999-")
		failed(t, r, 416)
		if r.Header.Get("Content-Range") == "" {
			t.Error("416 without Content-Range")
		}
		c.Get(t, at, "Range", "bytes=0-9", "If-Range", `"other"`).Want(t, 200)
		c.Get(t, at, "Range", "bytes=0-9", "If-Range", tag).Want(t, 206)
	})
	t.Run("head", func(t *testing.T) {
		for _, path := range []string{at, "/documents", "/documents/" + d.Text(t, "id"), "/healthz"} {
			get, head := c.Get(t, path), c.Do(t, "HEAD", path, nil).Want(t, 200)
			if len(head.Body) > 0 || head.Header.Get("Content-Length") != get.Header.Get("Content-Length") || head.Header.Get("ETag") != get.Header.Get("ETag") {
				t.Errorf("%s: HEAD gives %v, GET %v", path, head.Header, get.Header)
			}
		}
		failed(t, c.Server.Anonymous().Get(t, at), 401)
		c.Server.Anonymous().Do(t, "HEAD", at, nil).Want(t, 401)
	})
	t.Run("not changed", func(t *testing.T) {
		r := c.Get(t, at, "If-None-Match", tag).Want(t, 304)
		if len(r.Body) > 0 {
			t.Errorf("304 with %d bytes", len(r.Body))
		}
		c.Get(t, at, "If-None-Match", `"other"`).Want(t, 200)
	})
}

func TestDownloadSeveralFiles(t *testing.T) {
	t.Parallel()
	c := company(t)
	body := apptest.Multipart(t, obj{"title": "Two files", "invitations": signers(1), "send": true},
		apptest.File{Name: "same.pdf", Content: apptest.PDF(t, "One.")}, apptest.File{Name: "same.pdf", Content: apptest.PDF(t, "Two.")})
	d := c.Post(t, "/documents", body).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	failed(t, c.Post(t, at+"/download", obj{}), 409)
	failed(t, c.Post(t, at+"/download", obj{"content": "certificate"}), 409)
	c.Post(t, at+"/download", obj{"version": "current"}).Want(t, 200)
	c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	r := c.Post(t, at+"/download", obj{}).Want(t, 200)
	z, err := zip.NewReader(bytes.NewReader(r.Body), int64(len(r.Body)))
	if err != nil || len(z.File) != 4 || z.File[0].Name == z.File[1].Name {
		t.Errorf("the ZIP (%v) holds %v", err, z.File)
	}
	failed(t, c.Post(t, at+"/download", obj{"format": "pdf"}), 422, "format")
}
