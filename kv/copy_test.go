package kv_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"paraph/kv"
)

// TestCopyTakesIncrementsThatOverlap fills a copy from increments that begin before what it has, and
// repeats one that was interrupted, also by the end of the process.
func TestCopyTakesIncrementsThatOverlap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 11))
	db, m := open(t, kv.Options{Dir: t.TempDir()}), model{}
	grow(t, db, m, r, 30)
	whole, first := backup(t, db, 0)
	grow(t, db, m, r, 3)
	part, second := backup(t, db, first)
	grow(t, db, m, r, 3)
	over, third := backup(t, db, first) // holds part, too
	grow(t, db, m, r, 3)
	last, _ := backup(t, db, second) // begins within over
	_, now := backup(t, db, third)

	dir := filepath.Join(t.TempDir(), "copy")
	reopen := func(to *kv.DB) *kv.DB {
		t.Helper()
		if to != nil {
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
		}
		to, err := kv.Open(kv.Options{Dir: dir, Copy: true})
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
	to := reopen(nil)
	if err := to.Restore(bytes.NewReader(over)); !errors.Is(err, kv.ErrBackup) {
		t.Errorf("an increment before the full backup: %v", err)
	}
	for _, b := range [][]byte{whole, part} {
		if err := to.Restore(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	half := func(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b[:len(b)-len(b)/3])) }
	if err := to.Restore(half(over)); !errors.Is(err, kv.ErrBackup) {
		t.Fatalf("half an increment: %v", err)
	}
	to = reopen(to)
	if err := to.Update(func(tx *kv.Tx) error { return docs.Put(tx, "x", doc{}) }); !errors.Is(err, kv.ErrInterrupted) {
		t.Errorf("write into half an increment: %v", err)
	}
	if err := to.Restore(bytes.NewReader(part)); !errors.Is(err, kv.ErrBackup) {
		t.Errorf("an increment that does not cover the interrupted one: %v", err)
	}
	for _, b := range [][]byte{over, over, last} {
		if err := to.Restore(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		to = reopen(to)
	}
	clean(t, to, docs)
	view(t, to, func(tx *kv.Tx) error { agree(t, tx, m, r, 200); return nil })
	if got := to.Moment(); got != now {
		t.Errorf("the copy is at %d, want %d", got, now)
	}

	before, err := to.History()
	if err != nil {
		t.Fatal(err)
	}
	after, err := to.Descend(7)
	if err != nil || after.Line != before.Line || after.ID == before.ID || after.Epoch != 8 {
		t.Errorf("%+v descends from %+v: %v", after, before, err)
	}
	grow(t, db, m, r, 1)
	if next, _ := backup(t, db, now); !errors.Is(to.Restore(bytes.NewReader(next)), kv.ErrBackup) {
		t.Error("an increment of an earlier history was applied")
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
}
