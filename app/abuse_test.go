package app_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/apptest/patience"
)

// dial opens a connection and sends raw text.
func dial(t *testing.T, url, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience.Limit())); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answered reads the response from a connection.
func answered(conn net.Conn) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(conn), nil)
}

// chunked returns the beginning of a request that never ends.
func chunked(path, contentType, begin string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", path, contentType, len(begin), begin)
}

// grownAtMost checks how much the peak of the memory in use has grown, in KiB.
func (p *process) grownAtMost(allowed int, use *usage, what string) {
	p.Helper()
	grown := use.grown()
	p.Logf("%s: the peak rose by %d MB", what, grown>>10)
	if grown > allowed {
		p.Errorf("%s: the peak rose by %d KiB, more than %d", what, grown, allowed)
	}
}

// refusedAll sends several bodies at once, and expects each to be refused with a status.
func (p *process) refusedAll(times, want int, path, contentType string, body func() io.Reader) {
	p.Helper()
	var all sync.WaitGroup
	for range times {
		all.Go(func() {
			c := &client{http: p.http, url: p.url}
			_, err := c.send(http.MethodPost, path, contentType, body())
			// The response may be lost if the server closes while we are still
			// sending.
			if status := statusOf(err); err == nil || status != 0 && status != want {
				p.Errorf("%s: got %v, want %d", path, err, want)
			}
		})
	}
	all.Wait()
}

func TestStrangersCannotExhaustMemory(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir())
	p.login() // includes the memory for checking a password
	use := p.watch()
	objects := `{"email":[` + strings.Repeat("{},", 3_500_000) + `{}]}`
	texts := func() io.Reader { return strings.NewReader(objects) }
	p.refusedAll(8, http.StatusRequestEntityTooLarge, "/login", "application/json", texts)
	p.refusedAll(8, http.StatusRequestEntityTooLarge, "/password/reset", "", texts)
	p.grownAtMost(headroom, use, "objects at the sign-in")

	const part = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n"
	field := func() io.Reader { return io.LimitReader(&endless{part, "0123456789abcdef"}, 20<<20) }
	p.refusedAll(8, http.StatusUnprocessableEntity, "/verify", "multipart/form-data; boundary=b", field)
	p.grownAtMost(headroom, use, "fields of a form")

	const file = "--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x\"\r\n\r\n"
	hundred := func() io.Reader {
		return strings.NewReader(strings.Repeat(file+strings.Repeat("x", 1<<20)+"\r\n", 100))
	}
	p.refusedAll(4, http.StatusRequestEntityTooLarge, "/signin", "multipart/form-data; boundary=b", hundred)
	p.refusedAll(2, http.StatusRequestEntityTooLarge, "/verify/report", "multipart/form-data; boundary=b", field)
	p.grownAtMost(headroom, use, "files at the sign-in")

	for i := range 240 {
		path := []string{"/login", "/password/forgot", "/verify", "/signin"}[i%4]
		kind, begin := "application/json", strings.Repeat(" ", 15_000)
		switch path {
		case "/verify":
			kind, begin = "application/pdf", "%PDF-1.7\n"+strings.Repeat("0", 1<<20)
		case "/signin":
			kind = "application/x-www-form-urlencoded"
		}
		dial(t, p.url, chunked(path, kind, begin))
	}
	p.grownAtMost(headroom, use, "240 stalled bodies")
	p.login()
}

func TestLargeBodiesOfMembersTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir())
	c := p.login()
	var d struct{ ID string }
	if err := c.do(http.MethodPost, "/documents", map[string]string{"title": "Large"}, &d); err != nil {
		t.Fatal(err)
	}
	use := p.watch()
	for what, body := range map[string]string{
		"fields":   `{"fields":[` + strings.Repeat("{},", 3_300_000) + `{}]}`,
		"unknown":  `{"unknown":[` + strings.Repeat("[],", 3_300_000) + `[]]}`,
		"metadata": `{"metadata":{` + strings.Repeat(`"":"",`, 1_600_000) + `"":""}}`,
	} {
		if _, err := c.send(http.MethodPost, "/documents", "application/json", strings.NewReader(body)); statusOf(err) != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: got %v, want 413", what, err)
		}
	}
	p.grownAtMost(2*headroom, use, "many values")

	path := filepath.Join(t.TempDir(), "large.pdf")
	size, hash := bigPDF(t, path, 100<<20)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	answer, err := c.send(http.MethodPost, "/documents/"+d.ID+"/upload", "application/json", inJSON(f))
	if err != nil || !bytes.Contains(answer, []byte(hash)) {
		t.Fatalf("%d bytes as base64: %v: %s", size, err, answer)
	}
	p.grownAtMost(2*headroom, use, "a large file in JSON")
}

// inJSON returns an upload of one file in base64, followed by its name.
func inJSON(f io.Reader) io.Reader {
	out, in := io.Pipe()
	go func() {
		_, err := io.WriteString(in, `{"files":[{"content":"`)
		e := base64.NewEncoder(base64.StdEncoding, in)
		if err == nil {
			_, err = io.Copy(e, f)
		}
		_, end := io.WriteString(in, "")
		if err = errors.Join(err, end, e.Close()); err == nil {
			_, err = io.WriteString(in, `","name":"large.pdf"}]}`)
		}
		in.CloseWithError(err)
	}()
	return out
}

func TestSlowStrangersDoNotBlockVerifying(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir())
	var strangers []net.Conn
	for range 8 {
		strangers = append(strangers, dial(t, p.url, chunked("/verify", "application/pdf", "%PDF-1.7\n")),
			dial(t, p.url, chunked("/verify", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.pdf\"\r\n\r\n%PDF")))
	}
	c := &client{http: p.http, url: p.url}
	if _, err := c.send(http.MethodPost, "/verify", "application/pdf", bytes.NewReader(smallPDF("Meanwhile", 20_000))); err != nil {
		t.Error(err)
	}
	for _, conn := range strangers {
		if err := conn.SetReadDeadline(time.Now()); err != nil {
			t.Fatal(err)
		}
		if r, err := answered(conn); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a stalled request got a response: %v, %v", r, err)
		}
	}
}

func TestStrangersAreToldToRetryWhenMemoryIsShort(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.limits.memory=64MB")
	c := p.login()
	const part = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.pdf\"\r\n\r\n%PDF"
	var busy *http.Response
	for range 40 {
		conn := dial(t, p.url, chunked("/verify", "multipart/form-data; boundary=b", part))
		if err := conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		r, err := answered(conn)
		if err == nil {
			busy = r
			break
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if busy == nil {
		conn := dial(t, p.url, chunked("/verify", "multipart/form-data; boundary=b", part))
		var err error
		if busy, err = answered(conn); err != nil {
			t.Fatal(err)
		}
	}
	if busy.StatusCode != http.StatusServiceUnavailable || busy.Header.Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q", busy.StatusCode, busy.Header.Get("Retry-After"))
	}
	if _, err := c.complete("Meanwhile", smallPDF("Meanwhile", 20_000)); err != nil {
		t.Errorf("a member could not work meanwhile: %v", err)
	}
}
