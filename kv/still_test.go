package kv_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"paraph/kv"
)

// TestStillStoreLeavesLinkedTablesAlone opens a store whose tables are links to those of another one, and writes so
// much to it that tables would be merged.
func TestStillStoreLeavesLinkedTablesAlone(t *testing.T) {
	t.Parallel()
	dir, view := t.TempDir(), t.TempDir()
	fillTables := func(o kv.Options, round int) {
		t.Helper()
		db, err := kv.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			update(t, db, func(tx *kv.Tx) error {
				for n := range 40 {
					if err := docs.Put(tx, fmt.Sprint(n, "-", i%20), doc{Body: body, Email: fmt.Sprint(round, n, i)}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if round == 99 {
			if err := db.Reset(); !errors.Is(err, kv.ErrReadOnly) {
				t.Errorf("reset: %v", err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 4 {
		fillTables(kv.Options{Dir: dir}, round)
	}
	before := map[string]int64{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		from, to := filepath.Join(dir, f.Name()), filepath.Join(view, f.Name())
		if filepath.Ext(from) == ".sst" {
			info, err := f.Info()
			if err == nil {
				before[from] = info.Size()
				err = os.Symlink(from, to)
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(before) == 0 {
		t.Fatal("there are no tables")
	}
	for range 8 {
		fillTables(kv.Options{Dir: view, Still: true}, 99)
	}
	for path, size := range before {
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("%s changed: %v", path, err)
		}
	}
	db := open(t, kv.Options{Dir: dir})
	clean(t, db, docs)
}
