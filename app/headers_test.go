package app_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestEveryResponseHasSecurityHeaders calls every route as a stranger and as an owner,
// behind a proxy that reports https and without one.
func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) {
		c.Server.TestControls = false // one of them deletes everything
		c.Server.TrustedProxies = []string{"127.0.0.1"}
	})
	plain := apptest.New(t)
	owner := s.Company(t)
	tried := 0
	for _, route := range s.Routes() {
		if strings.HasPrefix(route.Path, "/app/events") || strings.HasSuffix(route.Path, "/logout") || route.Path == "/signout" {
			continue // one never ends, the others would end the session
		}
		for _, c := range []*apptest.Client{s.Anonymous(), owner} {
			tried++
			r := c.Do(t, route.Method, filled(route.Path), nil, "X-Forwarded-Proto", "https", "Cookie", "paraph_session="+c.Token)
			judgeHeaders(t, route.Path, r)
			if r.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
				t.Errorf("%s: no Strict-Transport-Security", r.What)
			}
		}
	}
	if tried < 400 {
		t.Errorf("only %d responses were checked", tried)
	}
	for _, r := range []*apptest.Response{
		plain.Anonymous().Get(t, "/signin", "X-Forwarded-Proto", "https"), // from an untrusted address
		s.Anonymous().Get(t, "/signin", "X-Forwarded-Proto", "http"),
	} {
		if r.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: Strict-Transport-Security without TLS", r.What)
		}
	}
}

func judgeHeaders(t *testing.T, path string, r *apptest.Response) {
	t.Helper()
	if got := r.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("%s: X-Content-Type-Options %q", r.What, got)
	}
	kept := !strings.Contains(r.Header.Get("Cache-Control"), "no-store")
	json := strings.HasPrefix(r.Header.Get("Content-Type"), "application/json")
	if kept && (json || r.Status != http.StatusOK) && !strings.HasPrefix(path, "/static/") && r.Status != http.StatusNotModified {
		t.Errorf("%s: %d may be cached by browsers and proxies: %q", r.What, r.Status, r.Header.Get("Cache-Control"))
	}
}
