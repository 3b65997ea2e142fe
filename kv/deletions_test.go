package kv_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"paraph/kv"
)

// chain is a store with another one that follows it by increments.
type chain struct {
	*testing.T
	dir      string
	db, to   *kv.DB
	m        model
	r        *rand.Rand
	since    uint64
	complete int // increments that name every key
}

func newChain(t *testing.T) *chain {
	t.Helper()
	c := &chain{T: t, dir: t.TempDir(), m: model{}, r: rand.New(rand.NewPCG(11, 11)), to: open(t, kv.Options{})}
	c.reopen()
	t.Cleanup(func() {
		if err := c.db.Close(); err != nil {
			t.Error(err)
		}
	})
	grow(t, c.db, c.m, c.r, 40)
	c.follow()
	c.complete = 0
	return c
}

func (c *chain) reopen() {
	c.Helper()
	if c.db != nil {
		if err := c.db.Close(); err != nil {
			c.Fatal(err)
		}
	}
	db, err := kv.Open(kv.Options{Dir: c.dir})
	if err != nil {
		c.Fatal(err)
	}
	c.db = db
}

// follow restores an increment and returns its size.
func (c *chain) follow() int {
	c.Helper()
	b, upto := backup(c.T, c.db, c.since)
	if bytes.HasPrefix(b, []byte("paraph kv backup 1\n")) {
		c.complete++
	}
	c.since = upto
	if err := c.to.Restore(bytes.NewReader(b)); err != nil {
		c.Fatal(err)
	}
	want, got := c.everything(c.db), c.everything(c.to)
	if !maps.Equal(got, want) {
		c.Fatalf("%d keys after an increment, want the %d of the store", len(got), len(want))
	}
	return len(b)
}

func (c *chain) everything(db *kv.DB) (all map[string]string) {
	c.Helper()
	view(c.T, db, func(tx *kv.Tx) (err error) {
		all, err = tx.Everything()
		return err
	})
	return all
}

// remove deletes a record.
func (c *chain) remove() {
	c.Helper()
	for id := range c.m {
		update(c.T, c.db, func(tx *kv.Tx) error { return docs.Delete(tx, id) })
		delete(c.m, id)
		return
	}
}

func (c *chain) recorded() (n int) {
	c.Helper()
	view(c.T, c.db, func(tx *kv.Tx) (err error) {
		n, err = tx.Recorded()
		return err
	})
	return n
}

// TestIncrementsHoldOnlyWhatChanged lets a copy follow a store through deletions, restarts and
// compactions, which drop Badger's own marks of deletions.
func TestIncrementsHoldOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	for i := range 12 {
		switch i % 4 {
		case 1:
			c.reopen()
		case 2:
			grow(t, c.db, c.m, c.r, 2)
		case 3:
			if err := c.db.Rewrite(); err != nil {
				t.Fatal(err)
			}
		}
		c.remove()
		if i%3 == 0 {
			c.reopen()
		}
		if n := c.follow(); i%4 < 2 && n > 2000 {
			t.Errorf("increment %d after one deletion takes %d bytes", i, n)
		}
	}
	if n := c.follow(); n > 200 {
		t.Errorf("an increment without changes takes %d bytes", n)
	}
	if c.complete > 0 {
		t.Errorf("%d increments name every key", c.complete)
	}
	clean(t, c.to, docs)
	view(t, c.to, func(tx *kv.Tx) error { agree(t, tx, c.m, c.r, 50); return nil })
}

// TestEarlierBackupsCanBeContinued continues the first backup after many others, whether the
// deletions since are still on record or not.
func TestEarlierBackupsCanBeContinued(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(c *chain){
		"recorded":  func(*chain) {},
		"unneeded":  func(c *chain) { kv.KeepDeletions(c.db, c.since) },
		"too large": func(c *chain) { kv.KeepDeletionBytes(c.db, 1<<10) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChain(t)
			first := c.since
			early := open(t, kv.Options{})
			b, _ := backup(t, c.db, 0)
			if err := early.Restore(bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				c.remove()
				forget(c)
				c.follow()
			}
			if c.complete > 0 {
				t.Errorf("%d increments name every key", c.complete)
			}
			b, _ = backup(t, c.db, first)
			if err := early.Restore(bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
			if got, want := c.everything(early), c.everything(c.db); !maps.Equal(got, want) {
				t.Errorf("%d keys, want %d", len(got), len(want))
			}
			if n := c.recorded(); (name == "recorded") != (n >= 20) {
				t.Errorf("%d records of deletions are kept", n)
			}
		})
	}
}

// TestLargeDeletions deletes as much in one call as is allowed.
func TestLargeDeletions(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	plain := kv.NewCollection("plain", kv.JSON[int]())
	id := func(i int) string { return fmt.Sprintf("%0*d", 60+i%30, i) }
	const n = 15_000
	update(t, c.db, func(tx *kv.Tx) error {
		for i := range n {
			if err := plain.Put(tx, id(i), i); err != nil {
				return err
			}
		}
		return nil
	})
	c.follow()
	update(t, c.db, func(tx *kv.Tx) error {
		for i := range n {
			if err := plain.Delete(tx, id(i)); err != nil {
				return err
			}
		}
		return nil
	})
	c.follow()
	c.remove()
	c.follow()
}

// TestNothingIsRecordedWithoutABackup deletes before the first backup, and after a reset.
func TestNothingIsRecordedWithoutABackup(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	c := &chain{T: t, db: db, m: model{}, r: rand.New(rand.NewPCG(12, 12))}
	drop := func(want int) {
		t.Helper()
		grow(t, db, c.m, c.r, 3)
		c.remove()
		if n := c.recorded(); (n > 0) != (want > 0) {
			t.Errorf("%d records of deletions, want %d", n, want)
		}
	}
	drop(0)
	backup(t, db, 0)
	drop(1)
	if err := db.Reset(); err != nil {
		t.Fatal(err)
	}
	c.m = model{}
	drop(0)
}
