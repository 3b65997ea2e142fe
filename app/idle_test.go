package app_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paraph/app/apptest/patience"
)

// idlers is how many idle connections a server has to hold, as far as this process may open
// as many.
func idlers(t *testing.T) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	const most, spare = 10_000, 1_000 // spare for the other tests of this process
	return min(most, max(100, int(limit.Cur)-spare))
}

// keptAlive opens a connection and makes one request, after which it is idle.
func keptAlive(address string) (net.Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return conn, again(conn)
}

// again makes a request on a connection and reads the response.
func again(conn net.Conn) error {
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	r, err := answered(conn)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r.Body)
	return errors.Join(err, r.Body.Close())
}

// TestIdleConnectionsAreHeldInBoundedMemory holds many idle connections while a member works.
func TestIdleConnectionsAreHeldInBoundedMemory(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.idle_timeout=1h", "log.requests=false")
	c := p.login()
	if _, err := c.complete("Before", smallPDF("Before", 20_000)); err != nil {
		t.Fatal(err)
	}
	use := p.watch()
	conns := make([]net.Conn, idlers(t))
	var work sync.WaitGroup
	const dialers = 16
	for d := range dialers {
		work.Go(func() {
			for i := d; i < len(conns); i += dialers {
				var err error
				if conns[i], err = keptAlive(strings.TrimPrefix(p.url, "http://")); err != nil {
					t.Errorf("connection %d: %v", i, err)
					return
				}
			}
		})
	}
	work.Wait()
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				conn.Close()
			}
		}
	}()
	for i := range 3 {
		if _, err := c.complete(fmt.Sprintf("Meanwhile %d", i), smallPDF("Meanwhile", 20_000)); err != nil {
			t.Fatal(err)
		}
	}
	// An idle connection holds its goroutine and its buffers, about 25 KiB.
	const each = 32
	grown := use.grown()
	t.Logf("%d idle connections: the peak rose by %d MB", len(conns), grown>>10)
	if grown > headroom+each*len(conns) {
		t.Errorf("%d idle connections: the peak rose by %d KiB", len(conns), grown)
	}
	for i := 0; i < len(conns) && !t.Failed(); i += 500 {
		if err := again(conns[i]); err != nil {
			t.Errorf("connection %d: %v", i, err)
		}
	}
}

// TestIdleConnectionsAreClosed waits for the server to close connections that were used once.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.idle_timeout=1s")
	for i := range 2 {
		conn, err := keptAlive(strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetReadDeadline(time.Now().Add(patience.Limit())); err != nil {
			t.Fatal(err)
		}
		if n, err := conn.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("connection %d: read %d bytes, %v", i, n, err)
		}
	}
}
