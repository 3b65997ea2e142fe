package app_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/acme"

	"paraph/app"
	"paraph/app/apptest"
)

// TestStrangersMakeNobodyIssueCertificates asks a server that fetches its certificates for those of other hosts: the
// authority hears of none of them, and no challenge of theirs is answered.
func TestStrangersMakeNobodyIssueCertificates(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	directory := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(w, r) // another status would be tried again for minutes
	}))
	t.Cleanup(directory.Close)
	s := apptest.New(t, func(c *app.Config) {
		c.Network.Egress = []string{"127.0.0.1"}
		c.Server.TLS = app.TLSConfig{Mode: "acme", Hosts: []string{"sign.example.org"}, ACMEDirectory: directory.URL}
	})
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	shake := func(name string, protocols ...string) error {
		d := &tls.Dialer{Config: &tls.Config{ServerName: name, NextProtos: protocols, InsecureSkipVerify: true}}
		c, err := d.DialContext(t.Context(), "tcp", at.Host)
		if err == nil {
			err = fmt.Errorf("a certificate for %q: %w", name, c.Close())
			t.Error(err)
		}
		return err
	}
	names := []string{"", "evil.example", "sign.example.org.evil.example", "evil.sign.example.org", "xsign.example.org", "localhost", "127.0.0.1",
		"sign.example.org:443", "..", "../../token.key", "acme_account+key", "sign.example.org+token", "a\x00.example", strings.Repeat("a.", 120) + "example", "ѕign.example.org"}
	for i := range 200 {
		names = append(names, fmt.Sprintf("h%d.example", i))
	}
	for _, name := range names {
		_ = shake(name, "http/1.1")
		_ = shake(name, acme.ALPNProto)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the authority was asked %d times", n)
	}
	_ = shake("sign.example.org", acme.ALPNProto) // a challenge that nobody has made
	if n := asked.Load(); n != 0 {
		t.Errorf("a challenge made the server ask the authority %d times", n)
	}
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, path := range []string{"/.well-known/acme-challenge/x", "/.well-known/acme-challenge/../../keys/token.key", "//evil.example/.well-known/acme-challenge/x"} {
		res, err := plain.Get("http://" + at.Host + path)
		if err != nil {
			continue // It speaks TLS alone.
		}
		if res.Body.Close(); res.StatusCode < 400 || res.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	if err := shake("sign.example.org", "http/1.1"); err == nil || asked.Load() == 0 {
		t.Errorf("its own host: %v, the authority was asked %d times", err, asked.Load())
	}
}
