package app_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// ask sends a request and returns the response with its body.
func ask(t *testing.T, c *http.Client, method, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

// TestListenerForSignatories requests every route, as the owner of a company, from a
// listener that serves only signatories.
func TestListenerForSignatories(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) {
		c.Server.PublicListen, c.Server.TestControls = "127.0.0.1:0", false
		c.Server.TLS.Mode = "self-signed" // with TLS, too
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(client.CloseIdleConnections)
	who, err := s.Accounts.Operator.ActorFor(app.SeedAdmin, "")
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Accounts.Profile.CreateToken(account.Call{Actor: who}, account.TokenInput{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	at := "https://" + s.PublicAddr().String()
	theirs := 0
	for _, r := range s.Routes() {
		res, body := ask(t, client, r.Method, at+filled(r.Path), "Authorization", "Bearer "+token.Secret, "Cookie", "paraph_session="+token.Secret)
		if !r.Rule.Signatories {
			if res.StatusCode != http.StatusNotFound || !strings.Contains(body, `"code":"not_found"`) {
				t.Errorf("%s %s: %d %.100s", r.Method, r.Path, res.StatusCode, body)
			}
			continue
		}
		theirs++
		if !strings.HasPrefix(r.Path, "/s/") && !strings.HasPrefix(r.Path, "/p/") && !strings.HasPrefix(r.Path, "/static/") && !strings.HasPrefix(r.Path, "/logo/") && res.StatusCode == http.StatusNotFound {
			t.Errorf("%s %s: %d %.100s", r.Method, r.Path, res.StatusCode, body)
		}
	}
	if theirs < 40 {
		t.Errorf("only %d routes for signatories", theirs)
	}
	for _, p := range []string{"/", "/app/nothing", "/nothing"} {
		if res, body := ask(t, client, http.MethodGet, at+p, "Accept", "text/html"); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d %.100s", p, res.StatusCode, body)
		}
	}
	if res, body := ask(t, client, http.MethodGet, at+"/verify", "Accept", "text/html"); res.StatusCode != http.StatusOK || strings.Contains(body, "/docs/") {
		t.Errorf("/verify: %d %.100s", res.StatusCode, body)
	}
}

// TestUnixSocket serves on a socket in a folder: its peer is a trusted proxy.
func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "paraph-") // socket paths have to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	at := filepath.Join(dir, "p.sock")
	on := func(c *app.Config) {
		c.Server.Listen, c.Server.BaseURL, c.Server.SocketMode = "unix:"+at, "https://sign.example.org", "0620"
	}
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false) // like a killed server
	if _, err := apptest.Start(on); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a socket in use: %v", err)
	}
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	s := apptest.New(t, on)
	info, err := os.Stat(at)
	if err != nil || info.Mode().Perm() != 0o620 {
		t.Errorf("the socket's mode is %v: %v", info.Mode(), err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", at)
	}}}
	t.Cleanup(client.CloseIdleConnections)
	res, _ := ask(t, client, http.MethodGet, "http://sign.example.org/signin", "X-Forwarded-Proto", "https")
	if res.StatusCode != http.StatusOK || res.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if s.URL != "https://sign.example.org" {
		t.Errorf("the address is %s", s.URL)
	}
}

// TestInvalidListenersAreRefused starts with listeners that cannot work.
func TestInvalidListenersAreRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{"systemd", "systemd:web", "unix:" + file, "unix:/nowhere/p.sock"} {
		s, err := apptest.Start(func(c *app.Config) { c.Server.Listen, c.Server.BaseURL = listen, "https://sign.example.org" })
		if err == nil {
			t.Errorf("listens on %s: %v", listen, s.Close())
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "kept" {
		t.Errorf("a file in the way became %q: %v", b, err)
	}
}

// TestStartedBySystemd passes a socket to the server as systemd does, and receives its
// status reports.
func TestStartedBySystemd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	passed, err := ln.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	reports, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	if err := apptest.ShareCompiled(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$@"`, "sh", binary(t), "serve",
		"--set", "data.dir="+filepath.Join(dir, "data"), "--set", "server.listen=systemd:web", "--set", "data.reserve=1MB")
	cmd.ExtraFiles = []*os.File{passed}
	cmd.Env = environ("LISTEN_FDS=1", "LISTEN_FDNAMES=web", "NOTIFY_SOCKET="+reports.LocalAddr().String(), "WATCHDOG_USEC=100000",
		"PARAPH_ADMIN_EMAIL="+adminEmail, "PARAPH_ADMIN_PASSWORD="+adminPassword)
	states := received(t, reports)
	p := begin(t, cmd)
	if err := errors.Join(passed.Close(), ln.Close()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"READY=1", "WATCHDOG=1"} {
		reported(t, states, want)
	}
	if p.url != "http://"+ln.Addr().String() {
		t.Errorf("listens on %s, want %s", p.url, ln.Addr())
	}
	if res, body := ask(t, p.http, http.MethodGet, p.url+"/healthz"); res.StatusCode != http.StatusOK {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	reported(t, states, "STOPPING=1")
}

// received forwards the states that the server reports. It drains the socket immediately,
// because its queue is short and the server would block.
func received(t *testing.T, from *net.UnixConn) <-chan string {
	t.Helper()
	t.Cleanup(func() {
		if err := from.Close(); err != nil {
			t.Error(err)
		}
	})
	states := make(chan string, 10_000)
	go func() {
		b := make([]byte, 256)
		for {
			n, err := from.Read(b)
			if err != nil {
				return // closed
			}
			states <- string(b[:n])
		}
	}()
	return states
}

// reported waits for a state that the server reports.
func reported(t *testing.T, states <-chan string, want string) {
	t.Helper()
	for patience.Receive(t, want, states) != want {
	}
}
