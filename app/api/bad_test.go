package api_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
)

// encrypted returns a PDF with a password.
func encrypted(t testing.TB, password string) []byte {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.pdf"), filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(in, apptest.PDF(t, "Secret."), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := exec.CommandContext(t.Context(), "qpdf", "--encrypt", password, "owner", "256", "--", in, out).CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v: %s", err, b)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hugePNG returns a small picture that claims a size.
func hugePNG(t testing.TB, width, height uint32) []byte {
	t.Helper()
	b := apptest.Picture(t, png.Encode)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// blobs counts the entries in the folder of files.
func blobs(t testing.TB, s *apptest.Server) int {
	t.Helper()
	n := 0
	_, err := s.Blobs().Sweep(time.Now().Add(time.Hour), func(string) (bool, error) {
		n++
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Blobs().Create()
	if err != nil {
		t.Fatal(err)
	}
	half, err := os.ReadDir(filepath.Dir(w.Path()))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	return n + len(half) - 1
}

// TestEveryBadFile uploads unusable files: each gets a clear refusal, and nothing
// is left behind.
func TestEveryBadFile(t *testing.T) {
	t.Parallel()
	everyCase(t)
	s := apptest.New(t, func(c *app.Config) { c.Server.Limits.Upload, c.Server.Limits.Body = 2<<20, 1<<20 })
	c := s.Company(t)
	pdf := apptest.PDF(t)
	bomb := apptest.DOCX(t, strings.Repeat(strings.Repeat("bomb ", 1<<20), 40))
	d := c.Post(t, "/documents", obj{"invitations": signers(1)}).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	files := blobs(t, s)
	for name, x := range map[string]struct {
		file   apptest.File
		status int
		word   string // in the message
	}{
		"password":            {apptest.File{Name: "a.pdf", Content: encrypted(t, "open")}, 422, "password"},
		"damaged":             {apptest.File{Name: "a.pdf", Content: pdf[:200]}, 422, "a.pdf"},
		"header only":         {apptest.File{Name: "a.pdf", Content: []byte("%PDF-1.7\n")}, 422, "a.pdf"},
		"text as PDF":         {apptest.File{Name: "a.pdf", Content: []byte("This is no PDF at all, whatever its name says.")}, 415, "PDF, DOCX"},
		"program":             {apptest.File{Name: "a.exe", Content: []byte("MZ\x90\x00\x03")}, 415, "PDF, DOCX"},
		"empty":               {apptest.File{Name: "a.pdf"}, 422, "empty"},
		"huge picture":        {apptest.File{Name: "a.png", Content: hugePNG(t, 100_000, 100_000)}, 422, "large"},
		"picture of a phone":  {apptest.File{Name: "a.heic", Content: []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00")}, 415, "JPEG or PNG"},
		"half a picture":      {apptest.File{Name: "a.png", Content: apptest.Picture(t, png.Encode)[:60]}, 422, "a.png"},
		"DOCX bomb":           {apptest.File{Name: "a.docx", Content: bomb}, 422, "large"},
		"ZIP that is no DOCX": {apptest.File{Name: "a.docx", Content: apptest.Zip(t, apptest.File{Name: "x.txt", Content: []byte("x")})}, 415, "PDF, DOCX"},
		"too large":           {apptest.File{Name: "a.pdf", Content: append(bytes.Clone(pdf), make([]byte, 2<<20)...)}, 413, "limit"},
		"name with slash":     {apptest.File{Name: "a/b.pdf", Content: pdf}, 422, "slashes"},
		"name with dots":      {apptest.File{Name: "../../etc/passwd", Content: pdf}, 422, "slashes"},
		"name with backslash": {apptest.File{Name: `..\x.pdf`, Content: pdf}, 422, "slashes"},
		"name of 4000":        {apptest.File{Name: strings.Repeat("n", 4000) + ".pdf", Content: pdf}, 422, "255"},
		"name of dots":        {apptest.File{Name: "..", Content: pdf}, 422, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			good := apptest.File{Name: "good.pdf", Content: pdf}
			refusals := []*apptest.Response{
				c.Post(t, at+"/upload", apptest.Multipart(t, nil, x.file)),
				c.Post(t, at+"/upload", apptest.Multipart(t, nil, good, x.file)),
				c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Bad"}, good, x.file)),
			}
			if x.file.Content != nil && len(x.file.Content) < 1<<20 {
				refusals = append(refusals, c.Post(t, at+"/upload", obj{"files": list{obj{"name": x.file.Name, "content": base64.StdEncoding.EncodeToString(x.file.Content)}}}))
			}
			for _, r := range refusals {
				failed(t, r, x.status)
				if !strings.Contains(string(r.Body), x.word) {
					t.Errorf("%s does not say %q", r.Body, x.word)
				}
				for _, leak := range []string{"goroutine", "/tmp", "invalid memory", "pdfium:", "blob:", ".go:"} {
					if strings.Contains(string(r.Body), leak) {
						t.Errorf("%s shows internals: %s", leak, r.Body)
					}
				}
			}
			unchanged(t, c, d)
			if n := c.Get(t, "/documents?with_trashed=true").Int(t, "meta.total"); n != 1 {
				t.Errorf("%d documents", n)
			}
			if n := blobs(t, s); n != files {
				t.Errorf("%d files are left behind", n-files)
			}
		})
	}
	failed(t, c.Post(t, at+"/upload", obj{"files": list{obj{"name": "a\u0007b.pdf", "content": base64.StdEncoding.EncodeToString(pdf)}}}), 422, "files.0.name")
	// The same file is accepted with its password.
	r := c.Post(t, at+"/upload", obj{"files": list{obj{"name": "a.pdf", "content": base64.StdEncoding.EncodeToString(encrypted(t, "open")), "password": "open"}}}).Want(t, 201)
	if r.Text(t, "data.0.findings.0.code") != "encrypted" {
		t.Errorf("it is %s", r.Body)
	}
	failed(t, c.Post(t, "/documents", apptest.Raw{Type: "application/json", Body: []byte(`{"message":"` + strings.Repeat("x", 5<<20) + `"}`)}), 413)
	failed(t, c.Patch(t, at, apptest.Raw{Type: "application/json", Body: []byte(`{"message":"` + strings.Repeat("x", 2<<20) + `"}`)}), 413)
	failed(t, c.Post(t, "/documents", apptest.Raw{Type: "multipart/form-data; boundary=b", Body: []byte("--b\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n" + strings.Repeat("x", 2<<20) + "\r\n--b--\r\n")}), 413)
}

// TestBadBodies sends bodies that the endpoint doesn't accept.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 1)
	at := "/documents/" + d.Text(t, "id")
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	j := "application/json"
	for _, x := range []struct {
		method, path, kind, body string
		status                   int
		faults                   []string
	}{
		{"POST", "/documents", j, `{"title":`, 400, nil}, {"POST", "/documents", j, `{"title":"x"} {}`, 400, nil}, {"POST", "/documents", j, `"x"`, 400, nil}, {"POST", "/documents", j, `[]`, 400, nil}, {"POST", "/documents", j, "null", 400, nil},
		{"POST", "/documents", j, `{"metadata":` + deep + `}`, 400, nil}, {"POST", "/documents", j, deep, 400, nil}, {"POST", "/documents", j, strings.Repeat(`{"a":`, 10_000), 400, nil}, {"POST", "/documents", j, "\xff\xfe", 400, nil},
		{"POST", "/documents", j, "{\"title\":\"\xff\"}", 400, nil}, {"POST", "/documents", j, `{'title':'x'}`, 400, nil}, {"POST", "/documents", j, `{"title":"x",}`, 400, nil}, {"POST", "/documents", j, `<xml/>`, 400, nil},
		{"POST", "/documents", "text/plain", "title", 415, nil}, {"POST", "/documents", "application/xml", "<a/>", 415, nil}, {"POST", at + "/upload", "application/pdf", "%PDF-1.7", 415, nil}, {"POST", at + "/invite", "multipart/form-data; boundary=b", "--b--", 415, nil},
		{"POST", at + "/upload", "multipart/form-data", "x", 400, nil}, {"POST", at + "/upload", "multipart/form-data; boundary=b", "nothing of the kind", 422, []string{"files"}}, {"POST", at + "/upload", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.pdf\"\r\n\r\n%PDF", 400, nil},
		{"POST", "/documents", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nnot json\r\n--b--\r\n", 400, nil},
		{"POST", "/documents", j, `{"title":7,"message":[],"metadata":"x","signing_order":true,"expires_at":5,"remind_every_days":"2","invitations":"all","fields":{},"send":"yes","files":1}`, 422,
			[]string{"title", "message", "metadata", "signing_order", "expires_at", "remind_every_days", "invitations", "fields", "send", "files"}},
		{"POST", "/documents", j, `{"metadata":{"a":1}}`, 422, []string{"metadata.a"}}, {"POST", "/documents", j, `{"expires_at":"soon","locale":"!!","remind_every_days":-1}`, 422, []string{"expires_at"}},
		{"POST", "/documents", j, `{"locale":"!!","remind_every_days":1000}`, 422, []string{"locale", "remind_every_days"}}, {"POST", "/documents", j, `{"remind_every_days":1e30}`, 422, []string{"remind_every_days"}}, {"POST", "/documents", j, `{"remind_every_days":1.5}`, 422, []string{"remind_every_days"}},
		{"POST", "/documents", j, `{"expires_at":"99999-01-01T00:00:00Z"}`, 422, []string{"expires_at"}}, {"POST", "/documents", j, `{"approver_id":"x"}`, 422, []string{"approver_id"}},
		{"POST", "/documents", j, `{"title":"a\u0000b"}`, 422, []string{"title"}}, {"POST", "/documents", j, `{"title":"` + strings.Repeat("x", 4000) + `"}`, 422, []string{"title"}}, {"POST", "/documents", j, `{"message":"` + strings.Repeat("x", 20_000) + `"}`, 422, []string{"message"}},
		{"POST", "/documents", j, `{"metadata":{"":"x"}}`, 422, []string{"metadata"}}, {"POST", "/documents", j, `{"metadata":{"k":"` + strings.Repeat("x", 40_000) + `"}}`, 422, []string{"metadata"}}, {"POST", "/documents", j, `{"metadata":{"k":"a\u0000b"}}`, 201, nil},
		{"POST", at + "/invite", j, `{}`, 422, []string{"invitations"}}, {"POST", at + "/invite", j, `{"invitations":[]}`, 422, []string{"invitations"}}, {"POST", at + "/invite", j, `{"invitations":[{}]}`, 422, []string{"invitations.0.name", "invitations.0.email"}},
		{"POST", at + "/invite", j, `{"invitations":[1]}`, 422, []string{"invitations.0"}}, {"POST", at + "/invite", j, `{"invitations":{"name":"A"}}`, 422, []string{"invitations"}},
		{"POST", at + "/invite", j, `{"invitations":[{"name":"A/B\u0007","email":"a@b.example"}]}`, 422, []string{"invitations.0.name"}}, {"POST", at + "/invite", j, `{"invitations":[{"name":"` + strings.Repeat("n", 4000) + `","email":"a@b.example"}]}`, 422, []string{"invitations.0.name"}},
		{"POST", at + "/invite", j, `{"invitations":[{"name":"A","email":"a@b.example\r\nBcc: x@y.example"}]}`, 422, []string{"invitations.0.email"}}, {"POST", at + "/invite", j, `{"invitations":[{"name":"A","email":"` + strings.Repeat("a", 4000) + `@b.example"}]}`, 422, []string{"invitations.0.email"}},
		{"POST", at + "/invite", j, `{"invitations":[{"name":"A","email":"a@b.example","role":"king","position":0,"authentication":"dna","locale":"!!"}]}`, 422, []string{"invitations.0.role", "invitations.0.position", "invitations.0.authentication", "invitations.0.locale"}},
		{"POST", at + "/invite", j, `{"invitations":[{"name":"A","email":"signer1@signer.example"}]}`, 422, []string{"invitations.0.email"}},
		{"POST", at + "/send", j, `{"expires_at":"2001-01-01","subject":"` + strings.Repeat("x", 4000) + `"}`, 422, []string{"expires_at", "subject"}}, {"POST", at + "/send", j, `{"remind_every_days":"x"}`, 422, []string{"remind_every_days"}},
		{"PATCH", at, j, `{"signing_order":"random"}`, 422, []string{"signing_order"}}, {"POST", at + "/void", j, `{"reason":7}`, 422, []string{"reason"}}, {"POST", at + "/download", j, `{"format":[]}`, 422, []string{"format"}},
	} {
		r := c.Do(t, x.method, x.path, apptest.Raw{Type: x.kind, Body: []byte(x.body)})
		if x.status == 201 {
			r.Want(t, 201)
			continue
		}
		if r.Status != x.status {
			t.Errorf("%s with %.80q: %d %.300s, want %d", r.What, x.body, r.Status, r.Body, x.status)
			continue
		}
		failed(t, r, x.status, x.faults...)
	}
	var many list
	for i := range 10_000 {
		many = append(many, signer(i+10))
	}
	failed(t, c.Post(t, at+"/invite", obj{"invitations": many}), 422, "invitations")
	failed(t, c.Post(t, "/documents", obj{"invitations": many}), 422, "invitations")
	unchanged(t, c, d)
	if n := c.Get(t, "/documents?with_trashed=true").Int(t, "meta.total"); n != 2 {
		t.Errorf("%d documents", n)
	}
	// Unknown members are ignored, null counts as unset, an empty body as {}.
	c.Post(t, "/documents", obj{"title": nil, "colour": "red", "invitations": nil, "nested": obj{"a": list{1}}}).Want(t, 201)
	c.Post(t, "/documents", apptest.Raw{Type: j}).Want(t, 201)
	c.Post(t, "/documents", nil).Want(t, 201)
	c.Post(t, "/documents", apptest.Raw{Type: "application/json; charset=utf-8", Body: []byte(`{"title":"x"}`)}).Want(t, 201)
}

// TestCutBody ends the connection in the middle of a body.
func TestCutBody(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", obj{}).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	whole := apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: append(apptest.PDF(t), make([]byte, 300<<10)...)})
	files := blobs(t, s)
	for name, x := range map[string]struct {
		path, kind string
		body       []byte
		promised   int
	}{
		"upload":       {at + "/upload", whole.Type, whole.Body[:200<<10], len(whole.Body)},
		"small upload": {at + "/upload", whole.Type, whole.Body[:500], len(whole.Body)},
		"json":         {"/documents", "application/json", []byte(`{"title":"cut`), 100},
		"large json":   {"/documents", "application/json", []byte(`{"title":"` + strings.Repeat("x", 200<<10)), 500 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", x.path, c.Token, x.kind, x.promised)
			if _, err := conn.Write(x.body); err != nil {
				t.Fatal(err)
			}
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil {
				b, _ := io.ReadAll(res.Body)
				res.Body.Close()
				if res.StatusCode != 400 {
					t.Errorf("status %d: %s", res.StatusCode, b)
				}
			}
			unchanged(t, c, d)
			if n := c.Get(t, "/documents").Int(t, "meta.total"); n != 1 {
				t.Errorf("%d documents", n)
			}
			if n := blobs(t, s); n != files {
				t.Errorf("%d files are left behind", n-files)
			}
		})
	}
}
