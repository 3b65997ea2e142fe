package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestPagesAreCompressedWhereNoSecretLeaks checks which pages are compressed. If a page echoed
// attacker-controlled input next to a secret, its compressed size would reveal matches (BREACH).
func TestPagesAreCompressedWhereNoSecretLeaks(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 1, maria())
	session := "paraph_session=" + c.Token
	for path, compressed := range map[string]bool{
		"/docs/api?q=send":                       true, // the same for everybody
		"/verify":                                true,
		"/app/documents":                         true,
		"/app/documents?page=1":                  true,
		"/app/documents?search=Lease":            false,
		"/app/documents?search=x+LEASE%20form":   false,
		"/app/documents?search=nobodyhasthisone": false, // the search input repeats it
		"/app/documents?utm=Lease":               false,
		"/app/documents/" + d.id + "/edit":       true,
	} {
		res, body := fetch(t, s.URL+path, "Cookie", session, "Accept-Encoding", "gzip")
		if got := res.Header.Get("Content-Encoding") == "gzip"; res.StatusCode != http.StatusOK || got != compressed {
			t.Errorf("%s: status %d, compressed %v, want %v", path, res.StatusCode, got, compressed)
		}
		if !strings.Contains(res.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: Vary is %q", path, res.Header.Get("Vary"))
		}
		if !compressed {
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(path, err)
		}
		if html, err := io.ReadAll(z); err != nil || !bytes.HasSuffix(bytes.TrimSpace(html), []byte("</html>")) {
			t.Errorf("%s: not a whole page when uncompressed: %v", path, err)
		}
	}
}

// TestTokensOfFormsDiffer checks that a form token is encoded differently every time, and that
// every encoding is accepted while a damaged one is not.
func TestTokensOfFormsDiffer(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	const cookie = "paraph_form=ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	token := func() string {
		_, html := fetch(t, s.URL+"/signin", "Cookie", cookie)
		m := formToken.FindStringSubmatch(html)
		if m == nil {
			t.Fatal("the page has no token")
		}
		return m[1]
	}
	one, other := token(), token()
	if one == other {
		t.Error("two pages carry the same token")
	}
	damaged := one[:len(one)-2] + "AA"
	if damaged == one {
		damaged = one[:len(one)-2] + "BB"
	}
	for name, tt := range map[string]struct {
		token string
		want  int
	}{
		"one": {one, http.StatusSeeOther}, "other": {other, http.StatusSeeOther}, "damaged": {damaged, http.StatusForbidden},
		"half": {one[:24], http.StatusForbidden}, "none": {"", http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/language", strings.NewReader("language=de&next=/signin&csrf="+tt.token))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Cookie", cookie)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.Body.Close(); res.StatusCode != tt.want {
			t.Errorf("%s: status %d, want %d", name, res.StatusCode, tt.want)
		}
	}
}
