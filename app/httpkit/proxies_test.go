package httpkit_test

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
)

// TestForwardedHeaders sends forwarded headers as proxies and their clients do. Only what a
// trusted proxy has added counts, never what the client made it pass on.
func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	var s served
	tell := func(c *fiber.Ctx, _ *httpkit.Body) error { return c.SendString(s.kit.Address(c) + " " + s.kit.Site(c)) }
	s = serve(t, httpkit.Options{TrustedProxies: []string{"127.0.0.1", "10.0.0.0/8", "fd00::/8"}}, everyone(100), tell)
	var direct served
	tellDirect := func(c *fiber.Ctx, _ *httpkit.Body) error {
		return c.SendString(direct.kit.Address(c) + " " + direct.kit.Site(c))
	}
	direct = serve(t, httpkit.Options{}, everyone(100), tellDirect)
	for _, x := range []struct{ name, headers, address, site string }{
		{"none", "", "127.0.0.1", "http://x"},
		{"one", "X-Forwarded-For: 198.51.100.7", "198.51.100.7", "http://x"},
		{"added to the client's line", "X-Forwarded-For: 203.0.113.9, 198.51.100.7", "198.51.100.7", "http://x"},
		{"added after the client's line", "X-Forwarded-For: 203.0.113.9\nX-Forwarded-For: 198.51.100.7", "198.51.100.7", "http://x"},
		{"added after many", "X-Forwarded-For: 203.0.113.9\nX-Forwarded-For: 203.0.113.8, 203.0.113.7\nx-forwarded-for: 198.51.100.7", "198.51.100.7", "http://x"},
		{"two proxies", "X-Forwarded-For: 203.0.113.9\nX-Forwarded-For: 198.51.100.7, 10.0.0.2", "198.51.100.7", "http://x"},
		{"two proxies, two lines", "X-Forwarded-For: 203.0.113.9, 198.51.100.7\nX-Forwarded-For: 10.0.0.2", "198.51.100.7", "http://x"},
		{"with a port", "X-Forwarded-For: 203.0.113.9\nX-Forwarded-For: 198.51.100.7:4711", "198.51.100.7", "http://x"},
		{"IPv6", "X-Forwarded-For: 2001:db8::7", "2001:db8::7", "http://x"},
		{"IPv6 with a port", "X-Forwarded-For: 203.0.113.9, [2001:db8::7]:4711", "2001:db8::7", "http://x"},
		{"IPv6 in brackets", "X-Forwarded-For: [2001:db8::7], fd00::1", "2001:db8::7", "http://x"},
		{"IPv4 as IPv6", "X-Forwarded-For: ::ffff:198.51.100.7, ::ffff:10.0.0.2", "198.51.100.7", "http://x"},
		{"a zone", "X-Forwarded-For: fe80::7%<script>", "fe80::7", "http://x"},
		{"unreadable", "X-Forwarded-For: 203.0.113.9, unknown", "127.0.0.1", "http://x"},
		{"unreadable before a proxy", "X-Forwarded-For: 203.0.113.9, _hidden, 10.0.0.2", "10.0.0.2", "http://x"},
		{"an empty line", "X-Forwarded-For: 203.0.113.9\nX-Forwarded-For:", "127.0.0.1", "http://x"},
		{"only proxies", "X-Forwarded-For: 10.0.0.3, 10.0.0.2", "10.0.0.3", "http://x"},
		{"scheme", "X-Forwarded-Proto: https", "127.0.0.1", "https://x"},
		{"scheme after the client's", "X-Forwarded-Proto: https\nX-Forwarded-Proto: http", "127.0.0.1", "http://x"},
		{"scheme added to the client's", "X-Forwarded-Proto: http, https", "127.0.0.1", "https://x"},
		{"scheme unknown", "X-Forwarded-Proto: javascript", "127.0.0.1", "http://x"},
		{"host", "X-Forwarded-Host: sign.example", "127.0.0.1", "http://sign.example"},
		{"host after the client's", "X-Forwarded-Host: phish.example\nX-Forwarded-Host: sign.example", "127.0.0.1", "http://sign.example"},
		{"host added to the client's", "X-Forwarded-Host: phish.example, sign.example", "127.0.0.1", "http://sign.example"},
		{"other headers", "Forwarded: for=203.0.113.9;proto=https;host=phish.example\nX-Real-IP: 203.0.113.9\nX_Forwarded_For: 203.0.113.9", "127.0.0.1", "http://x"},
	} {
		headers := ""
		if x.headers != "" {
			headers = strings.ReplaceAll(x.headers, "\n", "\r\n") + "\r\n"
		}
		if _, got := answer(t, s.say(t, post(0, headers))); got != x.address+" "+x.site {
			t.Errorf("%s: %s, want %s %s", x.name, got, x.address, x.site)
		}
		if _, got := answer(t, direct.say(t, post(0, headers))); got != "127.0.0.1 http://x" {
			t.Errorf("%s, from a client: %s", x.name, got)
		}
	}
}
