package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/app/fault"
)

// TestOtherSitesDoNotReachTheTestControls sends what a page of another site could make a browser
// send, also one whose name points to this machine.
func TestOtherSitesDoNotReachTheTestControls(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.BaseURL = "https://sign.example.org" })
	ask := func(method, host, headers string) int {
		r, err := answered(dial(t, "http://"+s.Addr().String(), fmt.Sprintf("%s /test/clock HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: 2\r\n\r\n{}",
			method, host, headers)))
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, x := range []struct {
			host, headers string
			want          int
		}{
			{"127.0.0.1:8080", "", 200},
			{"[::1]:8080", "", 200},
			{"localhost:8080", "", 200},
			{"paraph:8080", "", 200},
			{"host.docker.internal:8080", "", 200},
			{"sign.example.org", "", 200},
			{"localhost", "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n", 200},
			{"localhost", "Sec-Fetch-Site: none\r\n", 200},
			{"localhost", "Sec-Fetch-Site: cross-site\r\n", 403},
			{"localhost:8080", "Sec-Fetch-Site: same-site\r\nOrigin: http://localhost:3000\r\n", 403},
			{"localhost", "Origin: http://phish.example\r\n", 403},
			{"localhost", "Origin: null\r\n", 403},
			{"phish.example", "", 403},
			{"phish.example:8080", "Origin: http://phish.example:8080\r\nSec-Fetch-Site: same-origin\r\n", 403},
			{"127.0.0.1.phish.example", "", 403},
			{"localhost.phish.example.", "", 403},
		} {
			if got := ask(method, x.host, x.headers); got != x.want {
				t.Errorf("%s under %s with %q: %d, want %d", method, x.host, x.headers, got, x.want)
			}
		}
	}
}

// TestATestDoubleStaysOnItsMachine starts what has known passwords or open controls where others
// could reach it.
func TestATestDoubleStaysOnItsMachine(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("[server]\nlisten = \":9000\"\npublic_listen = \":9001\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		path, want string
		set        map[string]string
		environ    []string
	}{
		{"", "127.0.0.1:8080", nil, nil},
		{file, "127.0.0.1:8080", nil, nil},
		{file, ":9090", map[string]string{"server.listen": ":9090"}, nil},
		{file, ":9091", nil, []string{"PARAPH_SERVER__LISTEN=:9091"}},
	} {
		c, err := app.Load(x.path, x.set, app.DevEnviron(x.environ))
		if err != nil || c.Server.Listen != x.want || c.Server.PublicListen != "" {
			t.Errorf("%v: it listens on %q and %q, want %q: %v", x, c.Server.Listen, c.Server.PublicListen, x.want, err)
		}
	}

	got := call(t, "serve", "--set", "data.dir="+filepath.Join(t.TempDir(), "data"), "--set", "server.listen=:0", "--set", "server.test_controls=true")
	if got.code != 1 || !strings.Contains(got.err, "server.test_controls") {
		t.Errorf("serve with test controls for everybody: exit %d: %s", got.code, got.err)
	}

	p := launch(t, nil, t.TempDir(), "dev", "server.listen=:0")
	if !strings.Contains(p.out.String(), "WARNING") {
		t.Errorf("a test double for everybody says %s", p.out)
	}
	p = launch(t, nil, t.TempDir(), "dev")
	if strings.Contains(p.out.String(), "WARNING") {
		t.Errorf("a test double says %s", p.out)
	}
	body := fmt.Sprintf(`{"email": %q, "password": %q}`, app.SeedAdmin, app.SeedPassword)
	for host, want := range map[string]int{"localhost": 200, "phish.example": 403} {
		r, err := answered(dial(t, p.url, fmt.Sprintf("POST /login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", host, len(body), body)))
		if err != nil || r.StatusCode != want {
			t.Errorf("signing in under %s: %v, want %d: %v", host, r, want, err)
		}
	}
	misspelled := strings.Replace(body, "{", `{"pasword": 1, `, 1)
	r, err := p.http.Post(p.url+"/login", "application/json", strings.NewReader(misspelled))
	if err != nil {
		t.Fatal(err)
	}
	if r.Body.Close() != nil || r.StatusCode != 422 {
		t.Errorf("a misspelled member at a test double: %s, want 422", r.Status)
	}
}

// TestATestDoubleTellsPrograms starts it as a program's tests do: on a port that is free, waiting
// for a file.
func TestATestDoubleTellsPrograms(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready.json")
	if err := os.WriteFile(ready, []byte("{}"), 0o600); err != nil { // a run that was killed left it
		t.Fatal(err)
	}
	for _, quiet := range []bool{false, true} {
		args := []string{"dev", "--json", "--ready-file", ready, "--set", "server.listen=127.0.0.1:0"}
		if quiet {
			args = append(args, "--quiet")
		}
		cmd := exec.CommandContext(t.Context(), binary(t), args...)
		var out bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdout = t.TempDir(), environ(), &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var line []byte
		patience.Until(t, "there is the file", func() (string, bool) {
			b, err := os.ReadFile(ready)
			line = b
			return fmt.Sprint(string(b), err), err == nil && len(b) > len("{}")
		})
		var start struct {
			URL, Password string
			People        []struct{ Email string }
		}
		if err := json.Unmarshal(line, &start); err != nil || len(start.People) != 5 {
			t.Fatalf("the file has %s: %v", line, err)
		}
		body := fmt.Sprintf(`{"email": %q, "password": %q}`, start.People[0].Email, start.Password)
		r, err := http.Post(start.URL+"/login", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close() != nil || r.StatusCode != 200 {
			t.Errorf("signing in as the file says: %s", r.Status)
		}
		if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
			t.Error(err)
		}
		if want := map[bool]string{true: "", false: string(line)}[quiet]; out.String() != want {
			t.Errorf("it says %q, want %q", out.String(), want)
		}
		if _, err := os.Stat(ready); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file at the end: %v", err)
		}
	}
}

// TestOneMemberDoesNotTakeAllUploads begins uploads until they are refused.
func TestOneMemberDoesNotTakeAllUploads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	greedy := s.Company(t)
	modest := greedy.Member(t, account.RoleMember)
	begin := func(c *apptest.Client) error {
		who, err := s.Accounts.Operator.ActorFor(c.Email, c.CompanyID)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Signing.Drafts.BeginUpload(account.Call{Actor: who}, c.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, 201).Text(t, "id"), "a.pdf", 100)
		return err
	}
	for range 100 {
		if err := begin(greedy); err != nil {
			t.Fatal(err)
		}
	}
	if e, ok := errors.AsType[*fault.Error](begin(greedy)); !ok || e.Code != "too_many_own_uploads" {
		t.Errorf("one more: %v", e)
	}
	if err := begin(modest); err != nil {
		t.Errorf("somebody else's: %v", err)
	}
}
