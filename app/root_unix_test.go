//go:build unix

package app_test

import (
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// service is an installation that runs as a user of its own, while the administrator is root.
type service struct {
	testing.TB
	program, dir string
	uid, gid     int
}

func newService(t testing.TB) service {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a server as another user")
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	base := t.TempDir()
	for _, dir := range []string{filepath.Dir(base), base} { // so that the service gets there
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := service{TB: t, program: filepath.Join(base, "paraph"), dir: filepath.Join(base, "data")}
	s.uid, s.gid = atoi(t, u.Uid), atoi(t, u.Gid)
	// The program lies in a folder that only root may enter. Another process copies it: a file that
	// this one has open for writing can't be started while it forks elsewhere.
	if out, err := exec.Command("install", "-m", "755", binary(t), s.program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.own(s.dir)
	return s
}

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// own makes a folder that belongs to the service.
func (s service) own(dir string) {
	s.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.Chown(dir, s.uid, s.gid); err != nil {
		s.Fatal(err)
	}
}

func (s service) command(dir string) *exec.Cmd {
	cmd := exec.Command(s.program, "serve", "--set", "data.dir="+dir, "--set", "server.listen=127.0.0.1:0", "--set", "data.reserve=1MB", "--set", "server.tls.mode=self-signed")
	cmd.Env = environ("PARAPH_ADMIN_EMAIL="+adminEmail, "PARAPH_ADMIN_PASSWORD="+adminPassword)
	cmd.Dir = filepath.Dir(s.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.gid)}}
	return cmd
}

// foreign returns the files in a folder that don't belong to the service.
func (s service) foreign(dir string) (found []string) {
	s.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Sys().(*syscall.Stat_t).Uid != uint32(s.uid) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// TestCommandsOfRootHarmNoInstallation runs the commands as root on the folder of a server that runs
// as another user: nothing is left that the server can't open.
func TestCommandsOfRootHarmNoInstallation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if code := begin(t, s.command(s.dir)).stop(); code != 0 {
		t.Fatalf("the server ended with %d", code)
	}
	backups, restored := filepath.Join(filepath.Dir(s.dir), "backups"), filepath.Join(filepath.Dir(s.dir), "restored")
	s.own(backups)
	s.own(restored)
	for _, command := range []string{"check", "check --repair", "doctor", "user list", "user password " + adminEmail, "user add ann@test.example", "token add " + adminEmail,
		"token list " + adminEmail, "outbox", "reindex", "backup " + backups, "backup verify " + backups, "company list", "checkpoint key"} {
		r := call(t, append(strings.Fields(command), "--set", "data.dir="+s.dir)...)
		if r.code == 2 || r.code != 0 && command != "doctor" {
			t.Errorf("%s ends with %d: %s%s", command, r.code, r.out, r.err)
		}
		if left := s.foreign(s.dir); len(left) > 0 {
			t.Fatalf("%s leaves %q", command, left)
		}
	}
	if r := call(t, "restore", backups, "--set", "data.dir="+restored); r.code != 0 {
		t.Errorf("restore: %s%s", r.out, r.err)
	}
	for _, dir := range []string{s.dir, restored} {
		if left := s.foreign(dir); len(left) > 0 {
			t.Errorf("%q belong to root", left)
		}
		if code := begin(t, s.command(dir)).stop(); code != 0 {
			t.Errorf("the server ends with %d", code)
		}
	}
}

// TestCommandsWorkBesideTheServer runs the commands as root while the server runs as another user, who carries
// them out: nothing needs it stopped, and nothing is left that it can't open.
func TestCommandsWorkBesideTheServer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := begin(t, s.command(s.dir))
	for _, x := range []struct{ command, says string }{
		{"user add ann@test.example --password correct-horse-battery", "Added ann@test.example as member."},
		{"user list", "ann@test.example"},
		{"user role ann@test.example admin", "ann@test.example is admin now."},
		{"token add ann@test.example", "eyJ"},
		{"token list ann@test.example", "command line"},
		{"user password ann@test.example", "Password: "},
		{"user revoke ann@test.example", "can no longer sign in"},
		{"outbox", "Nothing waits"},
		{"checkpoint key", "+"},
		{"checkpoint rotate", "new key"},
		{"check", "No problems found in 0 documents."},
		{"check --repair", "No problems found in 0 documents."},
		{"check --renew", "Renewed 0 documents."},
		{"reindex", "rebuilds it now"},
		{"company list", "MEMBERS"},
	} {
		r := call(t, append(strings.Fields(x.command), "--set", "data.dir="+s.dir)...)
		if r.code != 0 || !strings.Contains(strings.ToLower(r.out), strings.ToLower(x.says)) {
			t.Errorf("%s ends with %d: %s%s", x.command, r.code, r.out, r.err)
		}
		if left := s.foreign(s.dir); len(left) > 0 {
			t.Fatalf("%s leaves %q", x.command, left)
		}
	}
	for command, says := range map[string]string{"user role nobody@test.example admin": "The user was not found.", "user add ann@test.example --role king": "role"} {
		if r := call(t, append(strings.Fields(command), "--set", "data.dir="+s.dir)...); r.code != 1 || !strings.Contains(r.err, says) {
			t.Errorf("%s: %+v", command, r)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server ends with %d", code)
	}
}

// TestWhatMayNotBeReadIsNoDamage takes files from the server, and runs commands as a user who has nothing to do
// with it: nobody speaks of damage.
func TestWhatMayNotBeReadIsNoDamage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	serving := s.command(s.dir)
	serving.Args[len(serving.Args)-1] = "server.tls.mode=off"
	p := begin(t, serving)
	if _, err := p.login().complete("Lease", apptest.PDF(t, "Lease.")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "files", "*", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if err := os.Chown(files[0], 0, 0); err != nil {
		t.Fatal(err)
	}
	innocent := func(what string, r outcome, says string) {
		t.Helper()
		if all := r.out + r.err; r.code != 1 || !strings.Contains(all, says) || strings.Contains(all, "corrupt") || strings.Contains(all, "damage") || strings.Contains(all, "missing") {
			t.Errorf("%s: %+v, want %q", what, r, says)
		}
	}
	in := []string{"--set", "data.dir=" + s.dir}
	innocent("check beside the server", call(t, append([]string{"check"}, in...)...), "run chown -R --reference=")
	p.stop()
	innocent("check alone", call(t, append([]string{"check"}, in...)...), "run chown -R --reference=")
	backups := filepath.Join(filepath.Dir(s.dir), "backups")
	s.own(backups)
	innocent("backup", call(t, append([]string{"backup", backups}, in...)...), "permission denied")
	if _, err := os.Stat(filepath.Join(s.dir, "checked")); err == nil {
		t.Error("the check is on record")
	}
	for _, command := range []string{"check", "doctor", "user list", "backup " + backups} {
		cmd := exec.Command(s.program, append(strings.Fields(command), in...)...)
		cmd.Dir, cmd.Env = filepath.Dir(s.dir), environ()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid) - 1, Gid: uint32(s.gid)}}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "permission denied") || strings.Contains(string(out), "corrupt") || strings.Contains(string(out), "damage") {
			t.Errorf("%s of a stranger: %v: %s", command, err, out)
		}
	}
}

// TestForeignFilesAreNamed starts a server whose records belong to somebody else: that is no damage.
func TestForeignFilesAreNamed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	begin(t, s.command(s.dir)).stop()
	tables, err := filepath.Glob(filepath.Join(s.dir, "kv", "*.vlog"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	if err := os.Chown(tables[0], 0, 0); err != nil {
		t.Fatal(err)
	}
	cmd := s.command(s.dir)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), tables[0]+" belongs to root") || !strings.Contains(string(out), "chown -R nobody: "+s.dir) || strings.Contains(string(out), "corrupt") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCertificateIsReadAgain renews the certificate of a running server, which gets SIGHUP as well.
func TestCertificateIsReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	renew := func(name string) {
		t.Helper()
		if out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
			"-subj", "/CN="+name, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	renew("first.example")
	p := serve(t, filepath.Join(dir, "data"), "server.tls.mode=files", "server.tls.certificate="+certificate, "server.tls.key="+key)
	served := func() string {
		c, err := tls.Dial("tcp", strings.TrimPrefix(p.url, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	if got := served(); got != "first.example" {
		t.Fatalf("the certificate is of %s", got)
	}
	if err := os.WriteFile(certificate, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := served(); got != "first.example" {
		t.Errorf("while the files are replaced, the certificate is of %q", got)
	}
	renew("second.example")
	patience.Until(t, "the new certificate", func() (string, bool) { got := served(); return got, got == "second.example" })
}

// traces returns what shows whether anything was done to a folder.
func (s service) traces() map[string]string {
	s.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && filepath.Base(path) != "checked" && path != s.dir { // the check notes that it ran
			all[path] = fmt.Sprint(info.Size(), info.ModTime(), info.Mode(), info.Sys().(*syscall.Stat_t).Uid)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// TestReadingLeavesNoTrace runs the commands that only read on the folder of a server that was killed: as root, and as
// its user who may only read it. Nothing in the folder changes.
func TestReadingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	s := newService(t)
	serving := s.command(s.dir)
	serving.Args[len(serving.Args)-1] = "server.tls.mode=off"
	p := begin(t, serving)
	if _, err := p.login().complete("Lease", apptest.PDF(t, "Lease.")); err != nil {
		t.Fatal(err)
	}
	p.kill()
	before := s.traces()
	same := func(after string) {
		t.Helper()
		now := s.traces()
		for path, what := range now {
			if before[path] != what {
				t.Errorf("%s: %s is %s, was %s", after, path, what, before[path])
			}
		}
		if len(now) < len(before) {
			t.Errorf("%s: %d of %d files are left", after, len(now), len(before))
		}
	}
	for command, says := range map[string]string{"user list": adminEmail, "token list " + adminEmail: "", "company list": "My company", "checkpoint key": "+", "check": "No problems found in 1 document.", "doctor": "No server runs"} {
		args := append(strings.Fields(command), "--set", "data.dir="+s.dir)
		if r := call(t, args...); r.code != 0 && command != "doctor" || !strings.Contains(r.out, says) {
			t.Errorf("%s of root: %+v", command, r)
		}
		same(command + " of root")
	}
	if out, err := exec.Command("chmod", "-R", "a-w", s.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", s.dir).Run() })
	before = s.traces()
	for command, says := range map[string]string{"user list": adminEmail, "check": "can't be noted", "doctor": "cannot be written"} {
		cmd := exec.Command(s.program, append(strings.Fields(command), "--set", "data.dir="+s.dir)...)
		cmd.Dir, cmd.Env = filepath.Dir(s.dir), environ()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.gid)}}
		out, err := cmd.CombinedOutput()
		if err != nil && command != "doctor" || !strings.Contains(string(out), says) || strings.Contains(string(out), "corrupt") {
			t.Errorf("%s of the service: %v: %s", command, err, out)
		}
		same(command + " of the service")
	}
	if out, err := exec.Command("chmod", "-R", "u+w", s.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if code := begin(t, s.command(s.dir)).stop(); code != 0 {
		t.Errorf("the server ends with %d", code)
	}
}
