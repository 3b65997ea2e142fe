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

// TestFilesForNoDraftAreNotReceived sends the head of an upload, and never its files: what can't
// succeed is refused without them.
func TestFilesForNoDraftAreNotReceived(t *testing.T) {
	t.Parallel()
	c := company(t)
	voided := sent(t, c, 1)
	c.Post(t, "/documents/"+voided.Text(t, "id")+"/void", obj{"reason": "No."}).Want(t, 200)
	other := company(t).Post(t, "/documents", obj{"title": "Theirs"}).Want(t, 201)
	for _, tt := range []struct {
		name, path string
		status     int
	}{
		{"voided", "/documents/" + voided.Text(t, "id") + "/upload", 409},
		{"one file of it", "/documents/" + voided.Text(t, "id") + "/files/" + voided.Text(t, "files.0.id") + "/content", 409},
		{"another company's", "/documents/" + other.Text(t, "id") + "/upload", 404},
		{"unknown", "/documents/01ARZ3NDEKTSV4RRFFQ69G5FAV/upload", 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			method := http.MethodPost
			if strings.HasSuffix(tt.path, "/content") {
				method = http.MethodPut
			}
			body, hold := io.Pipe()
			defer hold.Close()
			req, err := http.NewRequestWithContext(t.Context(), method, c.URL+tt.path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+c.Token)
			req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			go func() { _, _ = io.WriteString(hold, "--b\r\n") }()
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.status {
				b, _ := io.ReadAll(res.Body)
				t.Errorf("%d %s", res.StatusCode, b)
			}
		})
	}
}
