package kv_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"paraph/kv"
)

// grow makes random changes to store and model.
func grow(t *testing.T, db *kv.DB, m model, r *rand.Rand, n int) {
	t.Helper()
	for range n {
		update(t, db, func(tx *kv.Tx) error {
			for range 20 {
				if err := m.change(tx, r, "", 800); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func backup(t *testing.T, db *kv.DB, since uint64) ([]byte, uint64) {
	t.Helper()
	var b bytes.Buffer
	upto, err := db.Backup(&b, since)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), upto
}

func TestBackupAndWhatChangedSince(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	db, m := open(t, kv.Options{Dir: t.TempDir()}), model{}
	grow(t, db, m, r, 60)
	whole, since := backup(t, db, 0)
	grow(t, db, m, r, 3)
	part, since := backup(t, db, since)
	grow(t, db, m, r, 3)
	next, _ := backup(t, db, since)
	if len(part) > len(whole)*2/3 {
		t.Errorf("incremental backup has %d bytes, full one %d", len(part), len(whole))
	}

	dir := t.TempDir()
	to, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	update(t, to, func(tx *kv.Tx) error { return docs.Put(tx, "in the way", doc{}) })
	if err := to.Restore(bytes.NewReader(part)); !errors.Is(err, kv.ErrBackup) {
		t.Errorf("incremental backup before the full one: %v", err)
	}
	if err := to.Restore(bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	if err := to.Restore(bytes.NewReader(next)); !errors.Is(err, kv.ErrBackup) {
		t.Errorf("incremental backup out of order: %v", err)
	}
	for _, b := range [][]byte{part, next} {
		if err := to.Restore(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	same := func() {
		t.Helper()
		clean(t, to, docs)
		view(t, to, func(tx *kv.Tx) error { agree(t, tx, m, r, 100); return nil })
	}
	same()
	grow(t, to, m, r, 2) // the store accepts writes again
	same()
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if to, err = kv.Open(kv.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	same()
	if err := to.Restore(bytes.NewReader(next)); !errors.Is(err, kv.ErrBackup) {
		t.Errorf("incremental backup after other changes: %v", err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	var stop atomic.Bool
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				err := db.Update(func(tx *kv.Tx) error {
					return docs.Put(tx, fmt.Sprint(w, "-", i%500), doc{Company: fmt.Sprint(i % 3), Status: "s", N: i})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	to := open(t, kv.Options{})
	for range 5 {
		b, _ := backup(t, db, 0)
		if err := to.Restore(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		clean(t, to, docs)
	}
	stop.Store(true)
	wg.Wait()
}

func TestDamagedBackupIsRefused(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	grow(t, db, model{}, rand.New(rand.NewPCG(6, 6)), 2)
	good, _ := backup(t, db, 0)
	dir := t.TempDir()
	to, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r, m := rand.New(rand.NewPCG(7, 7)), model{}
	grow(t, to, m, r, 2)
	var bad [][]byte
	for _, at := range []int{0, 5, 19, 20, 40, 60, len(good) / 2, len(good) - 40, len(good) - 1} {
		bad = append(bad, good[:at], slices.Concat(good[:at], []byte{good[at] ^ 0x40}, good[at+1:]))
	}
	for i, b := range bad {
		if err := to.Restore(bytes.NewReader(b)); !errors.Is(err, kv.ErrBackup) {
			t.Errorf("damage %d: %v", i, err)
		}
	}
	view(t, to, func(tx *kv.Tx) error { agree(t, tx, m, r, 30); return nil })

	for i, b := range bad { // streams that can't be read twice lose their content
		if err := to.Restore(iotest.OneByteReader(bytes.NewReader(b))); !errors.Is(err, kv.ErrBackup) {
			t.Errorf("stream with damage %d: %v", i, err)
		}
	}
	view(t, to, func(tx *kv.Tx) error { agree(t, tx, model{}, r, 10); return nil })
	put := func(tx *kv.Tx) error { return docs.Put(tx, "x", doc{}) }
	if err := to.Update(put); !errors.Is(err, kv.ErrInterrupted) {
		t.Errorf("write after half a restore: %v", err)
	}
	if err := to.Restore(iotest.HalfReader(bytes.NewReader(good))); err != nil {
		t.Fatal(err)
	}
	clean(t, to, docs)
	update(t, to, put)
	if err := to.Restore(iotest.HalfReader(bytes.NewReader(good[:len(good)-1]))); !errors.Is(err, kv.ErrBackup) {
		t.Errorf("truncated stream: %v", err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Open(kv.Options{Dir: dir}); !errors.Is(err, kv.ErrInterrupted) {
		t.Errorf("open after half a restore: %v", err)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	for _, o := range []kv.Options{{}, {Dir: t.TempDir()}} {
		db := open(t, o)
		r := rand.New(rand.NewPCG(9, 9))
		for range 3 {
			m := model{}
			grow(t, db, m, r, 10)
			fill(t, db, 3)
			clean(t, db, docs, trail)
			view(t, db, func(tx *kv.Tx) error { agree(t, tx, m, r, 20); return nil })
			if err := db.Reset(); err != nil {
				t.Fatal(err)
			}
			view(t, db, func(tx *kv.Tx) error {
				agree(t, tx, model{}, r, 10)
				if seq, _, err := trail.Head(tx); err != nil || seq != 0 {
					t.Errorf("log has %d entries, %v", seq, err)
				}
				return nil
			})
		}
	}
}

func TestRebuild(t *testing.T) {
	alone(t)
	t.Parallel()
	db, m := open(t, kv.Options{}), model{}
	older := kv.NewCollection("docs", kv.JSON[doc](),
		kv.Index[doc]{Name: "gone", Counted: true, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Title)} }},
		kv.Index[doc]{Name: "company", Counted: true, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K("not " + d.Company)} }})
	r := rand.New(rand.NewPCG(8, 8))
	for i := range 3000 {
		d := randomDoc(r)
		d.Email, d.Body = "", body
		m[fmt.Sprint(i)] = d
		update(t, db, func(tx *kv.Tx) error { return older.Put(tx, fmt.Sprint(i), d) })
	}
	if len(db.Check(docs)) == 0 {
		t.Error("the change of the indexes was not noticed")
	}
	for range 2 {
		if err := docs.Rebuild(db); err != nil {
			t.Fatal(err)
		}
		clean(t, db, docs)
		view(t, db, func(tx *kv.Tx) error { agree(t, tx, m, r, 50); return nil })
	}
}
