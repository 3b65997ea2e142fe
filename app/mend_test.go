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
		if r.code != 0 || !strings.Contains(r.out, " files from "+backups) || !strings.Contains(r.out, "No problems found in 2 documents.") {
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

// TestDamagedRecordsAreRebuilt damages the table with the oldest records, which a backup has, and rebuilds them
// with what was written after the backup.
func TestDamagedRecordsAreRebuilt(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, backups := filepath.Join(base, "data"), filepath.Join(base, "backups")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	p := serve(t, dir)
	if _, err := p.login().complete("Before", apptest.PDF(t, "Before.")); err != nil {
		t.Fatal(err)
	}
	p.stop()
	mustCall(t, dir, "backup", backups)
	old, err := filepath.Glob(filepath.Join(dir, "kv", "*.sst"))
	if err != nil || len(old) == 0 {
		t.Fatal(old, err)
	}
	p = serve(t, dir)
	if _, err := p.login().complete("After", apptest.PDF(t, "After.")); err != nil {
		t.Fatal(err)
	}
	p.stop()
	harm := func() {
		t.Helper()
		b, err := os.ReadFile(old[0])
		if err != nil {
			t.Fatal(err)
		}
		for i := range 64 {
			b[len(b)/3+i] ^= 0x5a
		}
		if err := os.WriteFile(old[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	harm()
	in := []string{"--set", "data.dir=" + dir}
	if r := call(t, append([]string{"check", "--repair", "--from", filepath.Join(base, "none")}, in...)...); r.code != 1 {
		t.Errorf("from nowhere: %+v", r)
	}
	r := call(t, append([]string{"check", "--repair", "--from", backups}, in...)...)
	if r.code != 0 || !strings.Contains(r.out, "Rebuilt the records from "+backups) || !strings.Contains(r.out, "No problems found in 2 documents.") {
		t.Fatalf("%+v", r)
	}
	// As if it had been killed after it moved the damaged records away.
	if err := os.Rename(filepath.Join(dir, "kv"), filepath.Join(dir, "kv.mended")); err != nil {
		t.Fatal(err)
	}
	p = serve(t, dir)
	var page struct{ Meta struct{ Total int } }
	if err := p.login().do("GET", "/documents", nil, &page); err != nil || page.Meta.Total != 2 {
		t.Errorf("%d documents are left: %v", page.Meta.Total, err)
	}
	p.stop()
	mustCall(t, dir, "backup", backups, "--since", backups)
}
