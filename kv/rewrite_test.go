package kv_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"paraph/kv"
)

// TestRewritingLeavesNothingOfWhatWasReplaced writes secrets of several sizes, replaces or
// deletes them across restarts, and looks for them in all versions of all records.
func TestRewritingLeavesNothingOfWhatWasReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	notes := kv.NewCollection("notes", kv.JSON[string]())
	write := func(text func(i int) string) {
		db := open(t, kv.Options{Dir: dir})
		for i := range 40 {
			update(t, db, func(tx *kv.Tx) error { return notes.Put(tx, fmt.Sprint("note", i), text(i)) })
		}
		clean(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "open sesame"
	write(func(i int) string { return secret + fmt.Sprint(i) })
	write(func(i int) string { return fmt.Sprint("harmless ", i) })
	write(func(i int) string { return secret + fmt.Sprint("again ", i) })
	if n := versionsWith(t, dir, secret); n == 0 {
		t.Fatal("nothing to rewrite")
	}
	db := open(t, kv.Options{Dir: dir})
	for i := range 40 {
		update(t, db, func(tx *kv.Tx) error {
			if i%2 == 0 {
				return notes.Delete(tx, fmt.Sprint("note", i))
			}
			return notes.Put(tx, fmt.Sprint("note", i), "harmless")
		})
	}
	if err := db.Rewrite(); err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *kv.Tx) error { return notes.Put(tx, "after", "goes on") })
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n := versionsWith(t, dir, secret); n != 0 {
		t.Errorf("%d versions hold the secret", n)
	}
}

// versionsWith counts the versions of records that contain a text.
func versionsWith(t *testing.T, dir, text string) (n int) {
	t.Helper()
	db, err := badger.OpenManaged(badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	tx := db.NewTransactionAt(1<<62, false)
	it := tx.NewIterator(badger.IteratorOptions{AllVersions: true, PrefetchValues: true, PrefetchSize: 100})
	for it.Rewind(); it.Valid(); it.Next() {
		err := it.Item().Value(func(v []byte) error {
			if bytes.Contains(v, []byte(text)) {
				n++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	it.Close()
	tx.Discard()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}
