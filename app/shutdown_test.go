package app_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

func TestApplianceStoppedRightAfterStartExits(t *testing.T) {
	t.Parallel()
	for range 5 {
		s, err := apptest.Start()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Close() }()
		if err := patience.Receive(t, "the end of the appliance", ended); err != nil {
			t.Error(err)
		}
	}
}

// TestIdleConnectionsDoNotDelayShutdown opens connections as browsers do in
// advance: some never used, some idle after a request.
func TestIdleConnectionsDoNotDelayShutdown(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir(), "server.shutdown_timeout=10m")
	address := strings.TrimPrefix(p.url, "http://")
	for i := range 4 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if i%2 == 1 {
			continue
		}
		if _, err := c.Write([]byte("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := http.Get(p.url + "/readyz"); err != nil || r.Body.Close() != nil {
		t.Fatal(err)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
