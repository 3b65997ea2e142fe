package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest/patience"
)

// trickle sends a byte now and then until the other side has had enough of it, and returns how long that took.
func trickle(t *testing.T, conn net.Conn) time.Duration {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(conn, "a"); err != nil {
			break
		}
		if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			t.Error(err)
			break
		}
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			break // an answer, or the end
		}
		if time.Since(began) > patience.Limit() {
			t.Error("the connection stays open")
			break
		}
	}
	return time.Since(began)
}

// TestSlowClientsAreLetGo sends headers and bodies byte by byte, and reads nothing of a large answer, over many
// connections while a member works. A byte now and then keeps none of them.
func TestSlowClientsAreLetGo(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.read_timeout=2s", "server.idle_timeout=2s", "log.requests=false")
	c := p.login()
	large, err := c.complete("Large", smallPDF("Large", 8<<20))
	if err != nil {
		t.Fatal(err)
	}
	member := "Authorization: Bearer " + c.token + "\r\n"
	post := func(path, more string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n"
	}
	tests := map[string]string{
		"request line":   "GET /",
		"header":         "GET / HTTP/1.1\r\nHost: x\r\nX: ",
		"body of JSON":   post("/login", "Content-Type: application/json\r\nContent-Length: 100000\r\n") + `{"email":"`,
		"form of a page": post("/signin", "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n") + "email=",
		"file to verify": post("/verify", "Content-Type: application/pdf\r\nContent-Length: 1000000\r\n") + "%PDF-1.7\n",
		"chunks":         post("/verify", "Content-Type: application/pdf\r\nTransfer-Encoding: chunked\r\n") + "FFFFF\r\n%PDF-1.7\n",
		"upload":         post("/documents", member+"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n") + "--b\r\n",
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const many = 8
			took := make(chan time.Duration, many)
			for range many {
				conn := dial(t, p.url, begin)
				go func() { took <- trickle(t, conn) }()
			}
			if _, err := c.complete(name, smallPDF(name, 20_000)); err != nil {
				t.Errorf("a member could not work meanwhile: %v", err)
			}
			for range many {
				t.Logf("let go after %s", <-took)
			}
		})
	}
	t.Run("reader", func(t *testing.T) {
		t.Parallel()
		get := post("/documents/"+large+"/download", member+"Content-Type: application/json\r\nContent-Length: 2\r\n") + "{}"
		for range 8 {
			conn := dial(t, p.url, "")
			if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(conn, get); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.complete("Meanwhile", smallPDF("Meanwhile", 20_000)); err != nil {
			t.Errorf("a member could not work meanwhile: %v", err)
		}
		patience.Until(t, "files that nobody reads are closed", func() (string, bool) {
			n := p.opened("/files/")
			return fmt.Sprint(n, " are open"), n == 0
		})
		body, err := c.send(http.MethodPost, "/documents/"+large+"/download", "application/json", bytes.NewReader([]byte("{}")))
		if err != nil || len(body) < 8<<20 {
			t.Errorf("who reads gets %d bytes, %v", len(body), err)
		}
	})
}

// opened counts the open files of the process whose path contains a text.
func (p *process) opened(part string) (n int) {
	p.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	all, err := os.ReadDir(folder)
	if err != nil {
		p.Fatal(err)
	}
	for _, f := range all {
		path, err := os.Readlink(folder + "/" + f.Name())
		if err == nil && strings.Contains(path, part) {
			n++
		}
	}
	return n
}
