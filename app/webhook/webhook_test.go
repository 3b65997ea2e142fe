package webhook_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

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
