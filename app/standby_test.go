package app_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/apptest/patience"
)

// freeAddress returns an address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// background starts a command that runs until it is killed.
func background(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	p := &process{TB: t}
	cmd := exec.Command(binary(t), append(args, "--set", "data.dir="+dir, "--set", "data.reserve=1MB")...)
	cmd.Dir, cmd.Env = t.TempDir(), environ()
	p.cmd, p.out, p.err, p.done = cmd, newOutput(t), newOutput(t), make(chan struct{})
	cmd.Stdout, cmd.Stderr = p.out.File, p.err.File
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.waited = cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

// standbyOf starts a standby, whose folder must be empty, and waits until it listens.
func standbyOf(t testing.TB, dir string, args []string, listen string) *process {
	t.Helper()
	cmd := exec.Command(binary(t), append(args, "--set", "data.dir="+dir, "--set", "data.reserve=1MB", "--set", listen)...)
	cmd.Env = environ()
	return begin(t, cmd)
}

// TestStandbyIsPromotedUnderLoad kills a server and its backup while people sign, and promotes the standby: all
// that was answered before the moment it names is there, and the old server is told when it comes back.
func TestStandbyIsPromotedUnderLoad(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	first, second, backups := filepath.Join(base, "first"), filepath.Join(base, "second"), filepath.Join(base, "backups")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	p := serve(t, first)
	following := background(t, first, "backup", backups, "--follow", "--every", "300ms")
	following.until("the first backup", func() (string, bool) {
		s := following.out.String()
		return s, strings.Contains(s, "Wrote a full backup")
	})
	address := freeAddress(t)
	s := standbyOf(t, second, []string{"follow", backups, "--every", "200ms"}, "server.listen="+address)
	health := func(path string) (status int, current time.Time) {
		t.Helper()
		r, err := s.http.Get(s.url + path)
		if err != nil {
			return 0, time.Time{}
		}
		defer r.Body.Close()
		var h struct {
			Status  string
			Current time.Time
		}
		if err := json.NewDecoder(r.Body).Decode(&h); err != nil {
			return r.StatusCode, time.Time{}
		}
		return r.StatusCode, h.Current
	}

	c := p.login()
	var mu sync.Mutex
	done := map[string]time.Time{}
	stop := make(chan struct{})
	var load sync.WaitGroup
	for w := range 2 {
		load.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				d := &trace{title: fmt.Sprint("Lease ", w, "-", i), email: "sam@test.example"}
				if d.walk(c, signed, false) != nil {
					return // the server was killed
				}
				mu.Lock()
				done[d.id] = time.Now()
				mu.Unlock()
			}
		})
	}
	patience.Until(t, "signed documents on the standby", func() (string, bool) {
		mu.Lock()
		n := len(done)
		mu.Unlock()
		_, current := health("/readyz")
		return fmt.Sprint(n, " signed, standby of ", current), n >= 6 && time.Since(current) < 5*time.Second
	})
	if status, _ := health("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz of a standby: %d", status)
	}
	if status, _ := health("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz of a standby: %d", status)
	}
	if status, _ := health("/documents"); status != http.StatusServiceUnavailable {
		t.Errorf("a standby answers a request with %d", status)
	}
	in := []string{"--set", "data.dir=" + second}
	if r := call(t, append([]string{"doctor"}, in...)...); r.code != 0 || !strings.Contains(r.out, "A standby of "+backups) {
		t.Errorf("doctor: %+v", r)
	}
	if r := call(t, append([]string{"user", "list"}, in...)...); r.code != 1 || !strings.Contains(r.err, "paraph promote") {
		t.Errorf("user list: %+v", r)
	}

	p.kill()
	following.kill()
	close(stop)
	load.Wait()
	began := time.Now()
	r := call(t, append([]string{"promote"}, in...)...)
	took := time.Since(began)
	until := regexp.MustCompile(`answered until (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d); the last entry of its journal is number \d+`).FindStringSubmatch(r.out)
	if r.code != 0 || until == nil || !strings.Contains(r.out, "Serves http://"+address) || took > patience.Limit() {
		t.Fatalf("promoted after %v: %+v", took, r)
	}
	t.Logf("promoted after %v: %s", took, r.out)
	promised, err := time.ParseInLocation(time.DateTime, until[1], time.Local)
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the promoted server", func() (string, bool) {
		status, _ := health("/readyz")
		return fmt.Sprint(status), status == http.StatusOK
	})
	c = s.login()
	there, lost := 0, 0
	for id, at := range done {
		var got seen
		err := c.do(http.MethodGet, "/documents/"+id, nil, &got)
		switch {
		case err == nil && got.StatusID == 6:
			there++
		case at.Before(promised):
			t.Errorf("%s, signed at %v, is missing of what was answered until %v: %v", id, at, promised, err)
		default:
			lost++
		}
	}
	t.Logf("%d signed documents are there, and %d of the last moments are not", there, lost)
	if there == 0 {
		t.Error("nothing is there")
	}
	if r := call(t, append([]string{"check"}, in...)...); r.code != 0 {
		t.Errorf("check: %+v", r)
	}
	if err := (&trace{title: "Afterwards", email: "sam@test.example"}).walk(c, signed, false); err != nil {
		t.Error(err)
	}

	p = serve(t, first)
	again := call(t, "backup", backups, "--follow", "--set", "data.dir="+first)
	if again.code != 1 || !strings.Contains(again.err, "restored or promoted in this server's stead") {
		t.Errorf("the old server follows on: %+v", again)
	}
	patience.Until(t, "the old server to know", func() (string, bool) {
		r, err := p.http.Get(p.url + "/readyz")
		if err != nil {
			return err.Error(), false
		}
		defer r.Body.Close()
		return r.Status, r.StatusCode == http.StatusServiceUnavailable
	})
	if r := call(t, "doctor", "--set", "data.dir="+first); !strings.Contains(r.out, "only here") || lost > 0 && !strings.Contains(r.out, "Only here: ") {
		t.Errorf("doctor on the old server: %+v", r)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("the promoted server ended with %d", code)
	}
	s = standbyOf(t, second, []string{"follow", backups}, "server.listen="+address)
	if status, _ := health("/readyz"); status != http.StatusOK {
		t.Errorf("a promoted standby that is started again: %d", status)
	}
}
