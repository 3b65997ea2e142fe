package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestGuessesBehindAProxyAreCounted guesses passwords from one address behind a proxy that adds
// a line of its own, and claims another address each time.
func TestGuessesBehindAProxyAreCounted(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) {
		c.Server.TrustedProxies = []string{"127.0.0.1"}
		c.Auth.LoginAttemptsPerAddress = 3
	})
	guess := func(n int, from string) int {
		body := fmt.Sprintf(`{"email": "nobody%d@acme.example", "password": "a guess"}`, n)
		r, err := answered(dial(t, s.URL, fmt.Sprintf(
			"POST /login HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.%d\r\nX-Forwarded-For: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			n, from, len(body), body)))
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode
	}
	for n := range 3 {
		if got := guess(n, "198.51.100.7"); got != http.StatusUnauthorized {
			t.Errorf("guess %d: %d", n+1, got)
		}
	}
	if got := guess(3, "198.51.100.7:4711"); got != http.StatusTooManyRequests {
		t.Errorf("a fourth guess: %d", got)
	}
	if got := guess(4, "198.51.100.8"); got != http.StatusUnauthorized {
		t.Errorf("a guess of another client: %d", got)
	}
}
