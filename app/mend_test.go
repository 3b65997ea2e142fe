package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestDamagedFilesAreBroughtBack damages and deletes files of signed documents, beside a running server and
// without one, and brings them back from an increment and the full backup before it.
func TestDamagedFilesAreBroughtBack(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, backups := filepath.Join(base, "data"), filepath.Join(base, "backups")
	p := serve(t, dir)
	c := p.login()
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	signed := map[string][]byte{}
	for _, title := range []string{"First", "Second"} {
		id, err := c.complete(title, apptest.PDF(t, title+"."))
		if err != nil {
			t.Fatal(err)
		}
		signed[id] = c.signed(t, id)
		args := []string{"backup", backups}
		if title == "Second" {
			args = append(args, "--since", backups)
		}
		mustCall(t, dir, args...)
	}
	files, err := filepath.Glob(filepath.Join(dir, "files", "*", "*", "*"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	harm := func() {
		t.Helper()
		for i, file := range files {
			whole, err := os.ReadFile(file)
			if err == nil && i%2 == 0 {
				err = os.Remove(file)
			} else if err == nil {
				err = os.WriteFile(file, bytes.ToUpper(whole), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	mend := func(how string) {
		t.Helper()
		harm()
		if r := call(t, "check", "--set", "data.dir="+dir); r.code != 1 || !strings.Contains(r.out, "does not match its hash") {
			t.Errorf("%s, damaged: %+v", how, r)
		}
		r := call(t, "check", "--repair", "--from", backups, "--set", "data.dir="+dir)
		if r.code != 0 || !strings.Contains(r.out, " files from "+backups) || !strings.Contains(r.out, "No problems found.") {
			t.Errorf("%s, repaired: %+v", how, r)
		}
	}
	mend("beside the server")
	for id, want := range signed {
		if !bytes.Equal(c.signed(t, id), want) {
			t.Errorf("the file of %s is another", id)
		}
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	mend("alone")
	empty := filepath.Join(base, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	harm()
	if r := call(t, "check", "--repair", "--from", empty, "--set", "data.dir="+dir); r.code != 1 || !strings.Contains(r.err, "holds no backups") {
		t.Errorf("from an empty folder: %+v", r)
	}
	if r := call(t, "check", "--from", backups, "--set", "data.dir="+dir); r.code != 2 {
		t.Errorf("without --repair: %+v", r)
	}
}
