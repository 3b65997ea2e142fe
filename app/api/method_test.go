package api_test

import (
	"testing"
)

func TestWrongMethod(t *testing.T) {
	t.Parallel()
	c := company(t)
	id := draft(t, c, 1).Text(t, "id")
	for _, x := range []struct{ method, path, allow string }{
		{"DELETE", "/documents", "GET, HEAD, POST"},
		{"PUT", "/documents/" + id, "DELETE, GET, HEAD, PATCH"},
		{"GET", "/documents/" + id + "/send", "POST"},
		{"HEAD", "/login", "POST"},
		{"OPTIONS", "/me", "GET, HEAD, PATCH"},
		{"POST", "/healthz", "GET, HEAD"},
	} {
		for _, prefix := range []string{"", "/api"} {
			r := c.Under(prefix).Do(t, x.method, x.path, nil).Want(t, 405)
			if got := r.Header.Get("Allow"); got != x.allow {
				t.Errorf("%s: Allow %q, want %q", r.What, got, x.allow)
			}
			if x.method != "HEAD" && r.Text(t, "code") != "method_not_allowed" {
				t.Errorf("%s: %s", r.What, r.Body)
			}
		}
	}
	for _, path := range []string{"/nothing", "/documents/" + id + "/nothing", "/api/nothing"} {
		if r := failed(t, c.Post(t, path, nil), 404); r.Header.Get("Allow") != "" {
			t.Errorf("%s: Allow %q", r.What, r.Header.Get("Allow"))
		}
	}
}
