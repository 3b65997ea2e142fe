package httpkit_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
)

type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

func download(t *testing.T, headers map[string]string) *http.Response {
	t.Helper()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		d := &httpkit.Download{Name: "Přehled \"1\".pdf", ContentType: "application/pdf", Size: 10, ETag: "abc",
			Open: func() (io.ReadSeekCloser, error) { return file{bytes.NewReader([]byte("0123456789"))}, nil }}
		return d.Send(c)
	})
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	res, err := app.Test(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, ifRange string
		status          int
		body, is        string
	}{
		{"", "", 200, "0123456789", ""},
		{"bytes=0-3", "", 206, "0123", "bytes 0-3/10"},
		{"bytes=7-", "", 206, "789", "bytes 7-9/10"},
		{"bytes=-2", "", 206, "89", "bytes 8-9/10"},
		{"bytes=-20", "", 206, "0123456789", "bytes 0-9/10"},
		{"bytes=3-99", "", 206, "3456789", "bytes 3-9/10"},
		{"bytes=10-", "", 416, "", "bytes */10"},
		{"bytes=-0", "", 416, "", "bytes */10"},
		{"bytes=5-2", "", 200, "0123456789", ""},
		{"bytes=0-1,3-4", "", 200, "0123456789", ""},
		{"lines=0-1", "", 200, "0123456789", ""},
		{"bytes=0-3", `"abc"`, 206, "0123", "bytes 0-3/10"},
		{"bytes=0-3", `"old"`, 200, "0123456789", ""},
	} {
		res := download(t, map[string]string{"Range": c.header, "If-Range": c.ifRange})
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != c.status || c.status != 416 && string(b) != c.body || res.Header.Get("Content-Range") != c.is {
			t.Errorf("%q %q: got %d %q %q", c.header, c.ifRange, res.StatusCode, b, res.Header.Get("Content-Range"))
		}
	}
}

// counted counts what is written to each of its connections.
type counted struct {
	net.Listener
	writes, bytes atomic.Int64
}

func (l *counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countedConn{c, l}, err
}

type countedConn struct {
	net.Conn
	to *counted
}

func (c countedConn) Write(p []byte) (int, error) {
	c.to.writes.Add(1)
	c.to.bytes.Add(int64(len(p)))
	return c.Conn.Write(p)
}

// TestLargeFilesAreSentInLargePieces checks that a file is not sent in the pieces of the server's
// buffer, and arrives whole.
func TestLargeFilesAreSentInLargePieces(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		d := &httpkit.Download{Name: "a.pdf", ContentType: "application/pdf", Size: int64(len(content)),
			Open: func() (io.ReadSeekCloser, error) { return file{bytes.NewReader(content)}, nil }}
		return d.Send(c)
	})
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := &counted{Listener: tcp}
	ended := make(chan error, 1)
	go func() { ended <- app.Listener(httpkit.Listen(ln, time.Minute)) }()
	res, err := http.Get("http://" + tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("got %d bytes of %d, %v", len(got), len(content), err)
	}
	if n := ln.writes.Load(); n > 80 {
		t.Errorf("%d bytes were sent in %d pieces", ln.bytes.Load(), n)
	}
	if err := errors.Join(app.Shutdown(), <-ended); err != nil {
		t.Error(err)
	}
}

func TestADownloadThatTheCallerHasIsNotSent(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int{`"abc"`: 304, `W/"abc"`: 304, `"x", "abc"`: 304, "*": 304, `"x"`: 200} {
		if res := download(t, map[string]string{"If-None-Match": header}); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", header, res.StatusCode, want)
		}
	}
}

func TestDispositions(t *testing.T) {
	t.Parallel()
	want := `attachment; filename="P_ehled _1_.pdf"; filename*=UTF-8''P%C5%99ehled%20%221%22.pdf`
	if got := download(t, nil).Header.Get("Content-Disposition"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := httpkit.Disposition("a(b)*'c.pdf"); got != `attachment; filename="a(b)*'c.pdf"; filename*=UTF-8''a%28b%29%2A%27c.pdf` {
		t.Errorf("got %s", got)
	}
}

func TestWhatFailsWhileItIsMadeBreaksTheConnection(t *testing.T) {
	t.Parallel()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		httpkit.Generated(c, func(w io.Writer) error {
			if _, err := io.WriteString(w, "half"); err != nil {
				return err
			}
			return errors.New("no more")
		})
		return nil
	})
	res, err := app.Test(httptest.NewRequest(http.MethodGet, "/", nil))
	if err != nil {
		return // the response was cut off
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("half a file looks like a whole one")
	}
}
