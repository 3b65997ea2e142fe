package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/kv"
)

// keysFolder is the keys folder of an installation that is not running.
type keysFolder struct {
	testing.TB
	data string
}

func (k keysFolder) path(name string) string { return filepath.Join(k.data, "keys", name) }

// names lists the keys that records need.
func (k keysFolder) names() (names []string) {
	k.Helper()
	all, err := os.ReadDir(filepath.Join(k.data, "keys"))
	if err != nil {
		k.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func (k keysFolder) read(name string) []byte {
	k.Helper()
	b, err := os.ReadFile(k.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.Fatal(err)
	}
	return b
}

// set replaces the content of a key; nil removes it.
func (k keysFolder) set(name string, content []byte) {
	k.Helper()
	err := os.Remove(k.path(name))
	if content != nil {
		err = os.WriteFile(k.path(name), content, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.Fatal(err)
	}
}

// sameKind finds the file that has the place of another one in this folder.
func (k keysFolder) sameKind(name string) []byte {
	k.Helper()
	kind, _, _ := strings.Cut(name, "-")
	i := slices.IndexFunc(k.names(), func(n string) bool { return n == name || kind != name && strings.HasPrefix(n, kind+"-") })
	if i < 0 {
		k.Fatalf("there is nothing like %s", name)
	}
	return k.read(k.names()[i])
}

// used makes an installation with keys of every kind.
func used(t *testing.T) (keysFolder, *client, *process) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	p := serve(t, data)
	c := p.login()
	if err := (&trace{title: "Lease", email: "sam@signer.example"}).walk(c, signed, false); err != nil {
		t.Fatal(err)
	}
	if err := c.do(http.MethodPatch, "/company", map[string]string{"name": "Renamed"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := (&trace{title: "Offer", email: "sam@signer.example"}).walk(c, signed, false); err != nil {
		t.Fatal(err)
	}
	return keysFolder{t, data}, c, p
}

// TestALostKeyIsAnAlarm loses, empties, shortens, garbles and exchanges every key of an
// installation. It never starts, names the file and the backup that has it, and makes no other.
func TestALostKeyIsAnAlarm(t *testing.T) {
	t.Parallel()
	k, _, p := used(t)
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	other, _, p := used(t)
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	saved := filepath.Join(t.TempDir(), "saved.tar.zst")
	if got := call(t, "backup", saved, "--set", "data.dir="+k.data); got.code != 0 {
		t.Fatalf("backup: %s%s", got.out, got.err)
	}
	start := func() error {
		s, err := apptest.StartIn(k.data, app.NewClock())
		if err != nil {
			return err
		}
		return s.Close()
	}
	names := k.names()
	for _, kind := range []string{"token.key", "checkpoint.key", "root.pem", "issuer-", "timestamp.pem", "company-", "past-"} {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kind) }) {
			t.Errorf("%v has no %s", names, kind)
		}
	}
	for _, name := range names {
		good := k.read(name)
		for how, bad := range map[string][]byte{
			"missing": nil, "empty": {}, "shortened": good[:len(good)/2], "garbled": bytes.Repeat([]byte{'x'}, len(good)), "another installation's": other.sameKind(name),
		} {
			k.set(name, bad)
			err := start()
			if err == nil || !strings.Contains(err.Error(), "keys/"+name) || !strings.Contains(err.Error(), saved) {
				t.Errorf("%s %s: %v", name, how, err)
			}
			if !bytes.Equal(k.read(name), bad) {
				t.Errorf("%s %s: it was replaced", name, how)
			}
			k.set(name, good)
		}
	}
	if err := os.Rename(k.path(""), k.path("")+".old"); err != nil {
		t.Fatal(err)
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "keys/token.key is missing") || !strings.Contains(err.Error(), "keys/root.pem is missing") {
		t.Errorf("without the folder: %v", err)
	}
	if err := os.Rename(k.path("")+".old", k.path("")); err != nil {
		t.Fatal(err)
	}
	if err := start(); err != nil {
		t.Errorf("with every key again: %v", err)
	}
}

// TestEveryCommandSeesALostKey loses a key and runs what reads the folder.
func TestEveryCommandSeesALostKey(t *testing.T) {
	t.Parallel()
	k, c, p := used(t)
	in := []string{"--set", "data.dir=" + k.data, "--set", "data.reserve=1MB", "--set", "server.listen=127.0.0.1:0"}
	saved, poor := filepath.Join(t.TempDir(), "saved.tar.zst"), filepath.Join(t.TempDir(), "poor.tar.zst")
	run := func(code int, want string, args ...string) {
		t.Helper()
		got := call(t, args...)
		if said := got.out + got.err; got.code != code || !strings.Contains(said, want) {
			t.Errorf("%q: exit %d, want %d and %q: %s", args, got.code, code, want, said)
		}
	}
	run(0, "Wrote", append([]string{"backup", saved}, in...)...)
	const lost = "keys/timestamp.pem"
	good := k.read("timestamp.pem")
	k.set("timestamp.pem", nil)

	// Beside a server that still has the key in its memory.
	run(1, lost+" is missing", append([]string{"doctor"}, in...)...)
	run(1, lost, append([]string{"backup", poor}, in...)...)
	if err := (&trace{title: "More", email: "sam@signer.example"}).walk(c, sent, false); err != nil {
		t.Errorf("sending while it runs: %v", err)
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	for _, args := range [][]string{{"serve"}, {"doctor"}, {"check"}, {"company", "list"}, {"user", "list"}} {
		run(1, lost+" is missing", append(args, in...)...)
		run(1, saved, append(args, in...)...) // not the one made since
	}
	if k.read("timestamp.pem") != nil {
		t.Error("a new key was made")
	}

	run(1, lost, "backup", "verify", poor)
	aside := keysFolder{t, filepath.Join(t.TempDir(), "data")}
	run(1, lost, "restore", poor, "--set", "data.dir="+aside.data)
	run(1, lost+" is missing", "check", "--set", "data.dir="+aside.data)
	if err := os.WriteFile(aside.path("timestamp.pem"), good, 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "", "check", "--set", "data.dir="+aside.data)
	run(0, "good", "backup", "verify", saved)
}

// TestAKeyLostWhileRunningIsNotReplaced loses the company's key before the server has read it.
func TestAKeyLostWhileRunningIsNotReplaced(t *testing.T) {
	t.Parallel()
	k, _, p := used(t)
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	i := slices.IndexFunc(k.names(), func(n string) bool { return strings.HasPrefix(n, "company-") })
	name := k.names()[i]
	p = serve(t, k.data)
	good := k.read(name)
	k.set(name, nil)
	c := p.login()
	d := &trace{title: "More", email: "sam@signer.example"}
	if err := d.walk(c, sent, false); statusOf(err) != http.StatusInternalServerError || k.read(name) != nil {
		t.Errorf("sending without the company's key: %v; %d bytes", err, len(k.read(name)))
	}
	if err := os.WriteFile(k.path(name), good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.walk(c, signed, false); err != nil {
		t.Errorf("once it is back: %v", err)
	}
}

// TestNoRunningServerReplacesAKey loses and garbles each key of a running server, which goes on or refuses, but
// writes no other. The next start names the file.
func TestNoRunningServerReplacesAKey(t *testing.T) {
	t.Parallel()
	k, _, p := used(t)
	names := k.names()
	good := map[string][]byte{}
	for _, name := range names {
		good[name] = k.read(name)
	}
	c := p.login()
	for _, name := range names { // each alone
		was := k.read(name) // a rename replaces the company's
		k.set(name, nil)
		renamed := c.do(http.MethodPatch, "/company", map[string]string{"name": name}, nil)
		signing := (&trace{title: name, email: "sam@signer.example"}).walk(c, signed, false)
		if k.read(name) != nil {
			t.Errorf("%s was replaced: %v, %v", name, signing, renamed)
		}
		k.set(name, was)
	}
	if err := (&trace{title: "Every key again", email: "sam@signer.example"}).walk(c, signed, false); err != nil {
		t.Errorf("with every key again: %v", err)
	}
	for _, name := range k.names() {
		if good[name] = k.read(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, bad := range [][]byte{nil, []byte("nonsense")} {
		for _, name := range names {
			k.set(name, bad)
		}
		c = p.login()
		d := &trace{title: fmt.Sprint("Lease ", i), email: "sam@signer.example"}
		err := d.walk(c, signed, false)
		renamed := c.do(http.MethodPatch, "/company", map[string]string{"name": fmt.Sprint("Renamed again ", i)}, nil)
		for _, name := range names {
			if !bytes.Equal(k.read(name), bad) {
				t.Errorf("%s was replaced: %v, %v", name, err, renamed)
			}
		}
		if code := p.stop(); code != 0 {
			t.Fatalf("exit %d", code)
		}
		started, err := apptest.StartIn(k.data, app.NewClock())
		if err == nil {
			err = started.Close()
			t.Error("the server starts without its keys")
		}
		for _, name := range names {
			if err == nil || !strings.Contains(err.Error(), "keys/"+name) {
				t.Errorf("%s isn't named: %v", name, err)
			}
			if !bytes.Equal(k.read(name), bad) {
				t.Errorf("%s was replaced at the start", name)
			}
			k.set(name, good[name])
		}
		for _, name := range k.names() { // those that a rename made before it was known
			if good[name] == nil {
				good[name] = k.read(name)
				names = append(names, name)
			}
		}
		p = serve(t, k.data)
	}
}

// TestRecordsOfAnEarlierVersionNeedTheirKeys loses keys of records that remember none, as earlier versions wrote them,
// and runs commands on them.
func TestRecordsOfAnEarlierVersionNeedTheirKeys(t *testing.T) {
	t.Parallel()
	k, _, p := used(t)
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	forget := func() {
		t.Helper()
		db, err := kv.Open(kv.Options{Dir: filepath.Join(k.data, "kv"), Migrations: []kv.Migration{{To: app.DataVersion()}}})
		if err == nil {
			err = errors.Join(app.ForgetKeys(db), db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	in := []string{"--set", "data.dir=" + k.data, "--set", "data.reserve=1MB", "--set", "server.listen=127.0.0.1:0"}
	for _, name := range k.names() {
		if strings.HasPrefix(name, "past-") {
			continue // only looked up
		}
		good := k.read(name)
		k.set(name, nil)
		for _, args := range [][]string{{"user", "list"}, {"serve"}} {
			forget()
			got := call(t, append(args, in...)...)
			if got.code != 1 || !strings.Contains(got.err, "keys/"+name+" is missing") {
				t.Errorf("%v without %s: exit %d: %s%s", args, name, got.code, got.out, got.err)
			}
			if k.read(name) != nil {
				t.Errorf("%v made %s anew", args, name)
			}
		}
		k.set(name, good)
	}
	forget()
	if got := call(t, append([]string{"check"}, in...)...); got.code != 0 {
		t.Errorf("with every key: exit %d: %s%s", got.code, got.out, got.err)
	}
}

// TestAFirstStartMayBeCutOff starts with the keys that a first start had written when it ended.
func TestAFirstStartMayBeCutOff(t *testing.T) {
	t.Parallel()
	k, _, p := used(t)
	p.kill()
	order := []string{"root.pem", "issuer-0001.pem", "timestamp.pem", "checkpoint.key", "token.key"}
	for n := range order {
		cut := keysFolder{t, filepath.Join(t.TempDir(), "data")}
		if err := os.MkdirAll(cut.path(""), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range order[:n+1] {
			if err := os.WriteFile(cut.path(name), k.read(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := apptest.StartIn(cut.data, app.NewClock())
		if err != nil {
			t.Fatalf("after %s: %v", order[n], err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(cut.read(order[n]), k.read(order[n])) {
			t.Errorf("%s was replaced", order[n])
		}
	}
}
