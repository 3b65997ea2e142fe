package kv_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"paraph/kv"
)

// treeOf returns the hash of the first n leaves of a scope.
func treeOf(t *testing.T, db *kv.DB, scope string, n int64) (root tlog.Hash) {
	t.Helper()
	view(t, db, func(tx *kv.Tx) (err error) {
		root, err = tlog.TreeHash(n, trail.Trees().Reader(tx, scope))
		return err
	})
	return root
}

// TestTreesProveEverySize proves every entry in, and every size consistent with,
// each of the first hundred sizes.
func TestTreesProveEverySize(t *testing.T) {
	alone(t)
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 200)
	view(t, db, func(tx *kv.Tx) error {
		entries, _, err := trail.Scope(tx, "s1", kv.LogQuery{Limit: 1000})
		if err != nil {
			return err
		}
		trees := trail.Trees()
		if n, err := trees.Size(tx, "s1"); err != nil || n != 100 {
			t.Fatalf("%d leaves, %v", n, err)
		}
		r := trees.Reader(tx, "s1")
		roots := make([]tlog.Hash, 101)
		for n := range int64(101) {
			if roots[n], err = tlog.TreeHash(n, r); err != nil {
				return err
			}
		}
		for n := int64(1); n <= 100; n++ {
			for m := int64(1); m <= n; m++ {
				p, err := tlog.ProveTree(n, m, r)
				if err == nil {
					err = tlog.CheckTree(p, n, roots[n], m, roots[m])
				}
				if err != nil {
					t.Errorf("%d of %d: %v", m, n, err)
				}
				q, err := tlog.ProveRecord(n, m-1, r)
				if err == nil {
					err = tlog.CheckRecord(q, n, roots[n], m-1, kv.Leaf(entries[m-1].Hash))
				}
				if err != nil {
					t.Errorf("entry %d of %d: %v", m, n, err)
				}
			}
			if at, err := trail.Position(tx, entries[n-1]); err != nil || at != n-1 {
				t.Errorf("entry %d is at %d, %v", n, at, err)
			}
		}
		return nil
	})
	clean(t, db, trail)
}

func TestAdoptedEntriesKeepTheirTree(t *testing.T) {
	t.Parallel()
	from, to := open(t, kv.Options{}), open(t, kv.Options{})
	fill(t, from, 61)
	fillFrom(t, to, 1000, 7) // of other scopes too
	if err := to.Reset(); err != nil {
		t.Fatal(err)
	}
	update(t, to, func(tx *kv.Tx) error { _, err := trail.Append(tx, "own", "other", "", ""); return err })
	for _, b := range packed(t, from, "s0") {
		if err := adopt(t, to, b); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := treeOf(t, to, "s0", 31), treeOf(t, from, "s0", 31); got != want {
		t.Errorf("%v, not %v", got, want)
	}
	clean(t, to, trail)
}

// treeKeys are the keys of all trees and their sizes.
func treeKeys(tx *kv.Tx) (keys [][]byte, err error) {
	all, err := tx.Keys('l')
	for _, k := range all {
		if bytes.Contains(k, []byte("tree")) {
			keys = append(keys, k)
		}
	}
	return keys, err
}

func TestPlantBuildsTheSameTrees(t *testing.T) {
	alone(t)
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 1100)
	want := treeOf(t, db, "s1", 550)
	for _, left := range []int{0, 1, 2} { // trees are whole, in parts, or not there
		update(t, db, func(tx *kv.Tx) error {
			keys, err := treeKeys(tx)
			if left == 0 && len(keys) != 1102 {
				t.Fatalf("%d keys", len(keys))
			}
			for _, k := range keys {
				if left > 0 {
					err = errors.Join(err, tx.SetRaw(k, nil))
				}
			}
			return err
		})
		if err := trail.Plant(db); err != nil {
			t.Fatal(err)
		}
		if got := treeOf(t, db, "s1", 550); got != want {
			t.Errorf("%v, not %v", got, want)
		}
		clean(t, db, trail)
	}
}

// TestCheckNamesTheEntryWhoseLeafIsDamaged damages each record of the trees.
func TestCheckNamesTheEntryWhoseLeafIsDamaged(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 10)
	var keys [][]byte
	view(t, db, func(tx *kv.Tx) (err error) { keys, err = treeKeys(tx); return err })
	for _, k := range keys {
		var was []byte
		update(t, db, func(tx *kv.Tx) (err error) {
			if was, err = tx.Raw(k); err != nil {
				return err
			}
			bad := bytes.Clone(was)
			bad[len(bad)-1] ^= 1
			return tx.SetRaw(k, bad)
		})
		view(t, db, func(tx *kv.Tx) error {
			if err := trail.Check(tx); !errors.Is(err, kv.ErrCorrupt) {
				t.Errorf("%q: %v", k, err)
			}
			return nil
		})
		update(t, db, func(tx *kv.Tx) error { return tx.SetRaw(k, was) })
	}
	if len(keys) != 12 {
		t.Error(fmt.Sprint(len(keys), " keys"))
	}
	clean(t, db, trail)
}
