package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// headroom is how much more memory than an idle appliance one at work may use, in KiB.
const headroom = 64 << 10

// sized is a body whose length is known.
type sized struct {
	io.Reader
	n int64
}

// fileForm returns the multipart body of a file on disk.
func fileForm(t *testing.T, f *os.File, size int64) (body sized, contentType string) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	if _, err := m.CreateFormFile("file", filepath.Base(f.Name())); err != nil {
		t.Fatal(err)
	}
	head := bytes.Clone(b.Bytes())
	b.Reset()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	end := b.Bytes()
	return sized{io.MultiReader(bytes.NewReader(head), f, bytes.NewReader(end)), int64(len(head)) + size + int64(len(end))}, m.FormDataContentType()
}

// bigPDF writes a PDF of about size bytes, and returns its length and hash.
func bigPDF(t *testing.T, path string, size int64) (n int64, hash string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	out := &counting{w: io.MultiWriter(f, sum)}
	if err := writePDF(out, "A large one", size); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return out.n, hex.EncodeToString(sum.Sum(nil))
}

func TestLargeFilesTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir())
	c := p.login()
	use := p.watch()
	within := func(what string) {
		t.Helper()
		p.grownAtMost(headroom, use, what)
	}
	path := filepath.Join(t.TempDir(), "large.pdf")
	size, hash := bigPDF(t, path, 200<<20)

	var d struct{ ID string }
	if err := c.do(http.MethodPost, "/documents", map[string]string{"title": "Large"}, &d); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	body, contentType := fileForm(t, f, size)
	answer, err := c.send(http.MethodPost, "/documents/"+d.ID+"/upload", contentType, body)
	if err != nil || !bytes.Contains(answer, []byte(hash)) {
		t.Fatalf("upload: %v: %s", err, answer)
	}
	within("upload")
	if n, got := c.download(t, d.ID, "original", size); n != size || got != hash {
		t.Errorf("downloaded %d bytes with hash %s, uploaded %d with %s", n, got, size, hash)
	}
	within("download")
	if err := c.finish(d.ID); err != nil {
		t.Fatal(err)
	}
	within("send and sign")
	if n, got := c.download(t, d.ID, "completed", size); n <= size || got != hash {
		t.Errorf("the signed file has %d bytes, and the upload is not its first revision", n)
	}
	within("download of the signed file")
}

// download returns the length of a download, and the hash of its first bytes.
func (c *client) download(t *testing.T, id, version string, first int64) (n int64, hash string) {
	t.Helper()
	b, err := c.open(http.MethodGet, "/documents/"+id+"/download?version="+version, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, b, first); err != nil {
		t.Error(err)
	}
	rest, err := io.Copy(io.Discard, b)
	if err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	return first + rest, hex.EncodeToString(sum.Sum(nil))
}

// endless repeats the same bytes forever.
type endless struct{ head, again string }

func (e *endless) Read(p []byte) (int, error) {
	if e.head != "" {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	return copy(p, strings.Repeat(e.again, len(p)/len(e.again))), nil
}

func TestEndlessBodiesAreRefused(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.limits.upload=2MB", "server.limits.body=1MB")
	c := p.login()
	var d struct{ ID string }
	if err := c.do(http.MethodPost, "/documents", map[string]string{"title": "Large"}, &d); err != nil {
		t.Fatal(err)
	}
	use := p.watch()
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.pdf\"\r\n\r\n%PDF-1.7\n"
	const field = "--b\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n"
	for what, b := range map[string]struct {
		path, contentType string
		body              *endless
	}{
		"a file":          {"/documents/" + d.ID + "/upload", "multipart/form-data; boundary=b", &endless{file, "0123456789abcdef"}},
		"a field":         {"/documents/" + d.ID + "/upload", "multipart/form-data; boundary=b", &endless{field, " "}},
		"JSON":            {"/documents", "application/json", &endless{"{", " "}},
		"JSON with files": {"/documents/" + d.ID + "/upload", "application/json", &endless{"{", " "}},
	} {
		_, err := c.open(http.MethodPost, b.path, b.contentType, b.body)
		// A response may be lost if the server closes while we are still
		// sending.
		if status := statusOf(err); err == nil || status != 0 && status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s without end: %v, want 413", what, err)
		}
	}
	p.grownAtMost(headroom, use, "endless bodies")
	if err := c.do(http.MethodGet, "/documents/"+d.ID, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestSlowClientsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.read_timeout=1s")
	c := p.login()
	var d struct{ ID string }
	if err := c.do(http.MethodPost, "/documents", map[string]string{"title": "Slow"}, &d); err != nil {
		t.Fatal(err)
	}
	use := p.watch()
	upload := "POST /documents/" + d.ID + "/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + c.token +
		"\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000000\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.pdf\"\r\n\r\n" + strings.Repeat("x", 100_000)
	var silent, halfway []net.Conn
	for i := range 4 * 125 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		begin := ""
		switch i % 4 {
		case 0:
			begin = upload
		case 1:
			begin = "GET /documents HTTP/1.1\r\nHost: x\r\nAuthor"
			halfway = append(halfway, conn)
		default:
			silent = append(silent, conn)
		}
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		began := time.Now()
		if _, err := c.complete(fmt.Sprintf("Meanwhile %d", i), smallPDF("Meanwhile", 20_000)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("a whole cycle took %v", took)
		}
	}
	// A stalled upload holds only its buffers.
	const stalled, each = 125, 512
	p.grownAtMost(headroom+stalled*each, use, "stalled uploads")
	for _, conn := range append(halfway, silent...) {
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
			t.Fatal("a client that sent half a header is still connected")
		}
	}
}
