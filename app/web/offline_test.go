package web_test

import (
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestOfflinePage stops the server under an open page: following a link shows a page that says so and
// opens the wanted page once the server is back. Only that page is stored in the browser.
func TestOfflinePage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	listen := func(address string) (*http.Server, string) {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		front := &http.Server{Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}}
		go func() { _ = front.Serve(l) }()
		t.Cleanup(func() { _ = front.Close() })
		return front, l.Addr().String()
	}
	front, address := listen("127.0.0.1:0")
	w := team(t, s.Company(t), look{})
	w.cut = true
	w.visit("http://" + address + "/app/documents")
	w.js(`navigator.serviceWorker.ready.then(() => caches.open("offline")).then(c => c.keys()).then(k => { window.kept = k.map(r => new URL(r.url).pathname).join(); })`)
	w.until(`window.kept === "/offline"`)
	if err := front.Close(); err != nil {
		t.Fatal(err)
	}
	w.visit("http://" + address + "/app/contacts")
	w.heading("The server can't be reached")
	if got := w.read("main"); !strings.Contains(got, "tries again") {
		t.Errorf("the page says %q", got)
	}
	listen(address)
	w.heading("Contacts") // it tries again by itself
}

// TestWorkerMayDoNothingElse reads the policy of the service worker, and where it may be.
func TestWorkerMayDoNothingElse(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	res, body := fetch(t, s.URL+"/worker.js")
	if got := res.Header.Get("Content-Security-Policy"); got != "default-src 'none'; connect-src 'self'" {
		t.Errorf("its policy is %q", got)
	}
	if res.Header.Get("Cache-Control") != "no-cache" || res.Header.Get("Service-Worker-Allowed") != "" || !strings.Contains(body, "navigate") {
		t.Errorf("%v: %.100s", res.Header, body)
	}
	res, html := fetch(t, s.URL+"/offline")
	if res.StatusCode != http.StatusOK || strings.Contains(html, "csrf") || len(res.Cookies()) > 0 {
		t.Errorf("the offline page isn't the same for everybody: %d %v", res.StatusCode, res.Cookies())
	}
}
