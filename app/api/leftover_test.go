package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTogetherLeftoverIsNoRequest sends bodies that are not read. The rest of a body must never be taken
// for another request: behind a proxy its response would reach another client.
func TestTogetherLeftoverIsNoRequest(t *testing.T) {
	t.Parallel()
	s := server(t)
	hidden := "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
	for _, path := range []string{"/documents", "/nowhere", "/healthz", "/verify/report"} {
		for _, size := range []int{70_000, 200_000, 400_000} {
			t.Run(fmt.Sprint(path, " ", size), func(t *testing.T) {
				conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
					t.Fatal(err)
				}
				body := strings.Repeat(strings.Repeat(" ", 8<<10)+hidden, size/(8<<10)+1)
				go func() {
					// The server may close the connection before it has read
					// everything.
					_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%sGET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path, len(body), body)
				}()
				in := bufio.NewReader(conn)
				for i, want := range []string{`"message"`, `"ready"`} {
					res, err := http.ReadResponse(in, nil)
					if err != nil && i > 0 {
						return // the connection was closed, which is fine too
					}
					if err != nil {
						t.Fatal(err)
					}
					b, err := io.ReadAll(res.Body)
					if err != nil || i > 0 && !strings.Contains(string(b), want) {
						t.Fatalf("answer %d is %d %.200s (%v), want %s", i, res.StatusCode, b, err, want)
					}
				}
			})
		}
	}
}
