package kv_test

import (
	"errors"
	"fmt"
	"testing"

	"paraph/kv"
)

// packed returns the entries of a scope in their transport encoding.
func packed(t *testing.T, db *kv.DB, scope string) (out [][]byte) {
	t.Helper()
	view(t, db, func(tx *kv.Tx) error {
		all, _, err := trail.Scope(tx, scope, kv.LogQuery{Limit: 1000})
		for _, e := range all {
			out = append(out, trail.Pack(e))
		}
		return err
	})
	return out
}

func adopt(t *testing.T, db *kv.DB, b []byte) error {
	t.Helper()
	e, err := trail.Unpack(b)
	if err != nil {
		t.Fatal(err)
	}
	return db.Update(func(tx *kv.Tx) error { return trail.Adopt(tx, e) })
}

func TestAdoptedEntriesKeepTheirHashesAndTheLogHolds(t *testing.T) {
	t.Parallel()
	from, to := open(t, kv.Options{}), open(t, kv.Options{})
	fill(t, from, 40)
	update(t, to, func(tx *kv.Tx) error {
		_, err := trail.Append(tx, "own", "other", "c of another", "value")
		return err
	})
	moved := packed(t, from, "s1")
	for _, b := range moved {
		if err := adopt(t, to, b); err != nil {
			t.Fatal(err)
		}
	}
	update(t, to, func(tx *kv.Tx) error {
		_, err := trail.Append(tx, "next", "s1", "c3", "written here")
		return err
	})
	var heads [][32]byte
	for _, db := range []*kv.DB{from, to} {
		view(t, db, func(tx *kv.Tx) error {
			all, _, err := trail.Chain(tx, "c3", kv.LogQuery{Limit: 4})
			heads = append(heads, all[3].Hash)
			return err
		})
	}
	if heads[0] != heads[1] {
		t.Error("chain ends in another hash")
	}
	view(t, to, func(tx *kv.Tx) error {
		if err := trail.Check(tx); err != nil {
			t.Error(err)
		}
		all, _, err := trail.Chain(tx, "c3", kv.LogQuery{Limit: 9})
		if err != nil || len(all) != 5 || all[4].ChainPrevious != all[3].Hash || !all[3].Adopted() || all[4].Adopted() {
			t.Errorf("chain continues as %+v %v", all, err)
		}
		return nil
	})
	again := packed(t, to, "s1")
	third := open(t, kv.Options{})
	for _, b := range again {
		if err := adopt(t, third, b); err != nil {
			t.Fatal(err)
		}
	}
	view(t, third, func(tx *kv.Tx) error { return trail.Check(tx) })
}

func TestAdoptRefusesWhatDoesNotContinueItsChain(t *testing.T) {
	t.Parallel()
	from, to := open(t, kv.Options{}), open(t, kv.Options{})
	fill(t, from, 40)
	all := packed(t, from, "s1")
	if err := adopt(t, to, all[0]); err != nil {
		t.Fatal(err)
	}
	altered := append([]byte{}, all[1]...)
	altered[len(altered)-2] ^= 1
	for name, c := range map[string]struct {
		entry []byte
		want  error
	}{"again": {all[0], kv.ErrExists}, "a gap": {all[10], kv.ErrCorrupt}, "altered": {altered, kv.ErrCorrupt}} {
		if err := adopt(t, to, c.entry); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := adopt(t, to, all[5]); err != nil { // the second of its chain
		t.Error(err)
	}
}

func TestFollowersDoNotSeeAdoptedEntries(t *testing.T) {
	t.Parallel()
	from, to := open(t, kv.Options{}), open(t, kv.Options{})
	fill(t, from, 10)
	for _, b := range packed(t, from, "s0") {
		if err := adopt(t, to, b); err != nil {
			t.Fatal(err)
		}
	}
	fillFrom(t, to, 100, 1)
	var seen []string
	f := kv.NewFollower(kv.FollowerOptions[string]{DB: to, Log: trail, Name: "reader",
		Do: func(_ *kv.Tx, e kv.Entry[string], _ int) (int, error) { seen = append(seen, e.ID); return 0, nil }})
	if err := f.CaughtUp(t.Context()); err != nil || fmt.Sprint(seen) != "[e0100]" {
		t.Errorf("it saw %v, %v", seen, err)
	}
}
