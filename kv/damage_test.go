package kv_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/kv"
)

// A byte flipped anywhere in a table or in the list of tables is noticed when
// the store opens or is checked.
func TestFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, 300)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, file := range files {
		if !strings.HasSuffix(file, ".sst") && !strings.HasSuffix(file, "MANIFEST") {
			continue
		}
		tables++
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(16) {
			flipped(t, dir, filepath.Base(file), i*info.Size()/16+i%7)
			flipped(t, dir, filepath.Base(file), info.Size()-1-i)
		}
	}
	if tables < 2 {
		t.Errorf("only %d files were tried", tables)
	}
}

func flipped(t *testing.T, from, name string, at int64) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	content[at] ^= 0x10
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		return // noticed
	}
	if found := db.Check(docs, trail); len(found) == 0 {
		t.Errorf("%s: byte %d of %d is flipped and nobody noticed", name, at, len(content))
	}
	if err := db.Close(); err != nil {
		t.Log(err) // the damage may keep it from tidying up
	}
}
