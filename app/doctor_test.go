package app_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"paraph/app"
)

// findings runs the doctor and returns its findings by part.
func findings(t *testing.T, want int, data string, settings ...string) map[string]app.Finding {
	t.Helper()
	args := []string{"doctor", "--json", "--set", "data.dir=" + data, "--set", "data.reserve=1MB"}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	got := call(t, args...)
	var all []app.Finding
	if err := json.Unmarshal([]byte(got.out), &all); err != nil || got.code != want {
		t.Fatalf("%q: exit %d, want %d: %v\n%s%s", settings, got.code, want, err, got.out, got.err)
	}
	by := map[string]app.Finding{}
	for _, f := range all {
		by[f.Part] = f
		if f.Text == "" || !strings.HasSuffix(f.Text, ".") {
			t.Errorf("%s says %q", f.Part, f.Text)
		}
		if (f.State == "warning" || f.State == "problem") != (f.Remedy != "") {
			t.Errorf("%s is %s with remedy %q", f.Part, f.State, f.Remedy)
		}
	}
	return by
}

// closedPort returns a port without a listener.
func closedPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

// TestDoctorBesideAServer examines a healthy server, and then an unhealthy one.
func TestDoctorBesideAServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := serve(t, data, "mail.host=127.0.0.1", "mail.port="+closedPort(t), "mail.tls=none")
	by := findings(t, 1, data)
	for part, want := range map[string]string{
		"server": "ok", "permissions": "ok", "signing": "ok", "timestamps": "ok", "certificates": "ok", "pdf": "ok", "fonts": "ok", "clock": "ok",
		"disk": "ok", "jobs": "ok", "mail": "problem", "backup": "warning", "address": "warning", "tls": "warning",
	} {
		// The disk of the test machine may be nearly full.
		if got := by[part]; got.State != want && (part != "disk" || got.State == "") {
			t.Errorf("%s is %+v, want %s", part, got, want)
		}
	}
	if err := os.Chmod(filepath.Join(data, "keys/token.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := findings(t, 1, data)["permissions"]; f.State != "problem" || !strings.Contains(f.Text, "token.key") {
		t.Errorf("a world-readable key is %+v", f)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server exited with %d", code)
	}
}

// TestDoctorWithoutAServer examines a folder by itself.
func TestDoctorWithoutAServer(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if got := call(t, "doctor", "--set", "data.dir="+data); got.code != 1 || !strings.Contains(got.err, "not a data folder") {
		t.Errorf("without a folder: %+v", got)
	}
	if code := serve(t, data).stop(); code != 0 {
		t.Fatalf("the server exited with %d", code)
	}
	got := call(t, "doctor", "--set", "data.dir="+data, "--set", "data.reserve=1MB")
	if got.code != 0 || !strings.Contains(got.out, "A test document was signed") || !strings.Contains(got.out, "\n                      Set mail.host.") {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	acme := filepath.Join(data, "keys", "acme")
	if err := os.MkdirAll(acme, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		file, state, says string
		code              int
	}{
		{"sign.example.org+token", "ok", "renewed by itself.", 0}, {"sign.example.org", "warning", "acme_account+key is missing", 0},
		{"acme_account+key", "problem", "can't be renewed", 1},
	} {
		if err := os.WriteFile(filepath.Join(acme, x.file), []byte("nonsense"), 0o600); err != nil {
			t.Fatal(err)
		}
		if f := findings(t, x.code, data, "server.tls.mode=acme", `server.tls.hosts=["sign.example.org"]`)["tls"]; f.State != x.state || !strings.Contains(f.Text, x.says) {
			t.Errorf("with %s: %+v", x.file, f)
		}
	}
	files, err := filepath.Glob(filepath.Join(data, "kv", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(files[0], later, later); err != nil {
		t.Fatal(err)
	}
	by := findings(t, 1, data, "convert.soffice=/nowhere/soffice", "data.reserve=1000TB")
	for part, says := range map[string]string{"clock": "in the future", "disk": "are refused", "libreoffice": "/nowhere/soffice"} {
		if f := by[part]; f.State != "problem" || !strings.Contains(f.Text, says) {
			t.Errorf("%s is %+v", part, f)
		}
	}
	if _, ok := by["address"]; ok || by["server"].State != "skipped" {
		t.Errorf("without a server: %+v", by)
	}
}
