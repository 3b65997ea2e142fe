package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"paraph/app"
)

// TestCertificatesLeadToNoPrivateAddress asks addresses as certificates name them: whoever imports a key chooses them.
func TestCertificatesLeadToNoPrivateAddress(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	get := func(host string, egress ...string) error {
		c := app.RevocationClient(app.NetworkConfig{Egress: egress})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+":"+port+"/crl", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1", "0x7f000001", "2130706433", "169.254.169.254", "10.0.0.1", "[fd00::1]", "[64:ff9b::7f00:1]"} {
		if err := get(host, "any"); err == nil || asked.Load() > 0 {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := get("127.0.0.1", "none"); err == nil {
		t.Error("a host was asked though nothing may leave")
	}
	if err := get("127.0.0.1", "tsa.example"); err == nil {
		t.Error("a host was asked that the configuration doesn't allow")
	}
	if err := get("127.0.0.1", "127.0.0.1"); err != nil || asked.Load() != 1 {
		t.Errorf("a private host that the configuration names: %v", err)
	}
}
