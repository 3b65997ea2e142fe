package webhook_test

import (
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/apptest/names"
	"paraph/app/webhook"
)

// The vector is that of the tests of the specification's own libraries.
func TestSignature(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, webhook.SecretPrefix))
	if err != nil {
		t.Fatal(err)
	}
	m := webhook.Message{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", At: time.Unix(1614265330, 0), Body: []byte(`{"test": 2432232314}`), Keys: [][]byte{key}}
	if got := webhook.Secret(key); got != secret {
		t.Errorf("the secret is %s", got)
	}
	if got, want := m.Signatures(), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("the signature is %q, want %q", got, want)
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "::1": false, "0.0.0.0": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "198.18.0.1": false, "224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false, "192.0.2.1": false,
		"::": false, "fe80::1": false, "fd00::1": false, "ff02::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:db8::1": false, "fec0::1": false, "2002:7f00:1::%eth0": false,
	} {
		if got := webhook.Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is public: %v", address, got)
		}
	}
}

// TestANameThatChangesItsAddressLeadsNowhere posts to names whose server says something else each time, as far as it
// likes: an address elsewhere first, and this machine then. It runs alone, as it replaces the resolver of the process.
func TestANameThatChangesItsAddressLeadsNowhere(t *testing.T) {
	const elsewhere = "192.0.2.1" // no server, and never called
	var asked atomic.Int32
	answers := map[string][]string{
		"loopback.example": {"127.0.0.1"}, "wide.example": {"::1"}, "mapped.example": {"::ffff:127.0.0.1"}, "any.example": {"0.0.0.0"},
		"both.example": {"127.0.0.1", "::1"}, "mixed.example": {elsewhere, "127.0.0.1"}, "translated.example": {"64:ff9b::7f00:1"},
	}
	server := names.ServeHosts(t, func(name string) (all []netip.Addr) {
		if name == "turning.example" && asked.Add(1) <= 2 { // A and AAAA
			return []netip.Addr{netip.MustParseAddr(elsewhere)}
		}
		for _, text := range answers[name] {
			all = append(all, netip.MustParseAddr(text))
		}
		if name == "turning.example" {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return all
	})
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Address)
	}}
	defer func() { net.DefaultResolver = before }()
	reached := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.Host }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	c := webhook.NewClient(webhook.Options{Timeout: 10 * time.Second, Allows: func(string) bool { return true }})
	for name, times := range map[string]int{"turning.example": 4, "loopback.example": 1, "wide.example": 1, "mapped.example": 1, "any.example": 1,
		"both.example": 1, "mixed.example": 3, "translated.example": 1} {
		for range times {
			if _, err := c.Post(t.Context(), webhook.Message{URL: "http://" + name + port, Keys: [][]byte{nil}}); err == nil {
				t.Errorf("%s was called", name)
			}
		}
	}
	if len(reached) > 0 {
		t.Errorf("the receiver was reached as %s", <-reached)
	}
	if server.Asked.Load() < 16 {
		t.Errorf("only %d questions were asked", server.Asked.Load())
	}
	open := webhook.NewClient(webhook.Options{Timeout: 10 * time.Second, AllowPrivate: true, Allows: func(string) bool { return true }})
	if _, err := open.Post(t.Context(), webhook.Message{URL: "http://turning.example" + port, Keys: [][]byte{nil}}); err != nil || len(reached) != 1 {
		t.Errorf("where private addresses are allowed: %v", err)
	}
}

// TestPrivateIsRefusedWhereItIsCalled names a private address in ways that its text
// does not reveal.
func TestPrivateIsRefusedWhereItIsCalled(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 10)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} }))
	defer s.Close()
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	everybody := func(string) bool { return true }
	post := func(o webhook.Options, host string) error {
		o.Timeout = 10 * time.Second
		_, err := webhook.NewClient(o).Post(t.Context(), webhook.Message{URL: "http://" + host + port, Keys: [][]byte{nil}})
		return err
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"} {
		if err := post(webhook.Options{Allows: everybody}, host); err == nil || !strings.Contains(err.Error(), "private") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := post(webhook.Options{AllowPrivate: true, Allows: func(string) bool { return false }}, "localhost"); err == nil || !strings.Contains(err.Error(), "egress") {
		t.Errorf("a host that may not be called: %v", err)
	}
	if len(reached) > 0 {
		t.Fatal("the receiver was reached")
	}
	if err := post(webhook.Options{AllowPrivate: true, Allows: everybody}, "localhost"); err != nil || len(reached) != 1 {
		t.Errorf("allowed, it is not reached: %v", err)
	}
}
