package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/client"
)

// TestRedirectsAreNotFollowed has a server send on what it is sent: passwords, tokens and documents.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s arrived elsewhere: %v", r.Method, r.URL, r.Header)
	}))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL+"/api/login", status)
		}))
		c := &client.Client{URL: server.URL, Token: "secret"}
		err := c.Do(t.Context(), http.MethodPost, "/login", map[string]string{"password": "secret"}, nil)
		if err == nil || !strings.Contains(err.Error(), thief.URL) {
			t.Errorf("%d: %v", status, err)
		}
		if _, err := c.Create(t.Context(), map[string]any{}, nil); err == nil {
			t.Errorf("%d: a document was sent on", status)
		}
		server.Close()
	}
}

// TestDownloadsReplaceNothing has a server propose names for what it sends.
func TestDownloadsReplaceNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("there.pdf", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	proposed := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", proposed))
		fmt.Fprint(w, "theirs")
	}))
	defer server.Close()
	c := &client.Client{URL: server.URL, Token: "secret"}
	for _, x := range []struct{ proposed, saved string }{
		{"a.pdf", "a.pdf"}, {"/etc/b.pdf", "b.pdf"}, {`..\..\c.pdf`, "c.pdf"}, {".bashrc", "bashrc"}, {"..", "1.pdf"}, {"-rf", "rf"},
		{"d.pdf:stream", "d.pdfstream"}, {"there.pdf", ""}, {"x/../there.pdf", ""}, {"a.pdf", ""},
	} {
		proposed = x.proposed
		saved, err := c.Download(t.Context(), "1", "", "")
		if saved != x.saved || (err == nil) != (x.saved != "") {
			t.Errorf("%s: saved as %q, %v", x.proposed, saved, err)
		}
	}
	if b, err := os.ReadFile("there.pdf"); err != nil || string(b) != "mine" {
		t.Errorf("%s, %v", b, err)
	}
	if saved, err := c.Download(t.Context(), "1", "", "there.pdf"); saved != "there.pdf" || err != nil {
		t.Errorf("a name of one's own: %q, %v", saved, err)
	}
	if all, err := filepath.Glob(".paraph-*"); err != nil || len(all) > 0 {
		t.Errorf("left %v, %v", all, err)
	}
}
