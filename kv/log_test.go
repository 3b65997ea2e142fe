package kv_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"paraph/kv"
)

func fill(t *testing.T, db *kv.DB, n int) {
	t.Helper()
	fillFrom(t, db, 0, n)
}

// fillFrom appends n entries, the first numbered from.
func fillFrom(t *testing.T, db *kv.DB, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		update(t, db, func(tx *kv.Tx) error {
			_, err := trail.Append(tx, fmt.Sprintf("e%04d", i), fmt.Sprint("s", i%2), fmt.Sprint("c", i%10), fmt.Sprint("value ", i))
			return err
		})
	}
}

func TestLogIsChained(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 100)
	view(t, db, func(tx *kv.Tx) error {
		all, err := trail.Next(tx, 0, 1000)
		if err != nil || len(all) != 100 {
			t.Fatalf("%d entries, %v", len(all), err)
		}
		for i, e := range all {
			want := kv.Entry[string]{Seq: uint64(i + 1), ID: fmt.Sprintf("e%04d", i), Scope: fmt.Sprint("s", i%2), Chain: fmt.Sprint("c", i%10), Value: fmt.Sprint("value ", i)}
			if e.Seq != want.Seq || e.ID != want.ID || e.Scope != want.Scope || e.Chain != want.Chain || e.Value != want.Value {
				t.Errorf("entry %d is %+v", i, e)
			}
			if e.Hash != kv.HashEntry(e) || i > 0 && e.Previous != all[i-1].Hash || i >= 10 && e.ChainPrevious != all[i-10].Hash {
				t.Errorf("entry %d is not linked", i)
			}
		}
		seq, hash, err := trail.Head(tx)
		if err != nil || seq != 100 || hash != all[99].Hash {
			t.Errorf("head %d %x %v", seq, hash, err)
		}
		if hash, err := trail.ChainHead(tx, "c3"); err != nil || hash != all[93].Hash {
			t.Errorf("head of c3 %x %v", hash, err)
		}
		if hash, err := trail.ChainHead(tx, "none"); err != nil || hash != [32]byte{} {
			t.Errorf("head of none %x %v", hash, err)
		}
		if some, err := trail.Next(tx, 98, 1); err != nil || len(some) != 1 || some[0].Seq != 99 {
			t.Errorf("Next(98, 1) = %v, %v", some, err)
		}
		if none, err := trail.Next(tx, 100, 5); err != nil || len(none) != 0 {
			t.Errorf("Next(100, 5) = %v, %v", none, err)
		}
		return nil
	})
	clean(t, db, trail)
}

// TestHashEntryIsStable guards the hash that third parties rely on: it must never change.
func TestHashEntryIsStable(t *testing.T) {
	t.Parallel()
	e := kv.Entry[string]{Seq: 7, ID: "id", Scope: "scope", Chain: "chain", At: time.UnixMilli(1767225600123), Raw: []byte(`"value"`)}
	e.Previous[0], e.ChainPrevious[31] = 1, 2
	hash := kv.HashEntry(e)
	const want = "b60b1307d2b46dc3174693116fb409dfe1694f0c29423865fc3bd2cbb2c769b9"
	if got := hex.EncodeToString(hash[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLogQueries(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 400)
	ids := func(entries []kv.Entry[string]) string {
		var out []string
		for _, e := range entries {
			out = append(out, strings.TrimLeft(e.ID, "e0"))
		}
		return strings.Join(out, " ")
	}
	cases := []struct {
		scope, chain string
		q            kv.LogQuery
		want         string
		total        int
	}{
		{"s1", "", kv.LogQuery{Limit: 3}, "1 3 5", 200},
		{"s1", "", kv.LogQuery{Limit: 3, Descending: true}, "399 397 395", 200},
		{"s1", "", kv.LogQuery{Limit: 2, Offset: 150}, "301 303", 200},
		{"s1", "", kv.LogQuery{Limit: 2, Offset: 150, Descending: true}, "99 97", 200},
		{"s1", "", kv.LogQuery{Limit: 5, Offset: 199}, "399", 200},
		{"s1", "", kv.LogQuery{Limit: 5, Offset: 200}, "", 200},
		{"s1", "", kv.LogQuery{Limit: 2, AfterID: "e0005"}, "7 9", 200},
		{"s1", "", kv.LogQuery{Limit: 2, AfterID: "e0005", Descending: true}, "3 1", 200},
		{"s1", "", kv.LogQuery{Limit: 2, AfterID: "e0004"}, "5 7", 200},
		{"none", "", kv.LogQuery{Limit: 2}, "", 0},
		{"", "c3", kv.LogQuery{Limit: 3}, "3 13 23", 40},
		{"", "c3", kv.LogQuery{Limit: 2, Offset: 38}, "383 393", 40},
		{"", "c3", kv.LogQuery{Limit: 2, Offset: 1, Descending: true}, "383 373", 40},
		{"", "c3", kv.LogQuery{Limit: 2, AfterID: "e0013"}, "23 33", 40},
		{"", "none", kv.LogQuery{Limit: 2}, "", 0},
	}
	view(t, db, func(tx *kv.Tx) error {
		for _, c := range cases {
			list, name := trail.Scope, c.scope
			if c.chain != "" {
				list, name = trail.Chain, c.chain
			}
			entries, total, err := list(tx, name, c.q)
			if err != nil || ids(entries) != c.want || total != c.total {
				t.Errorf("%s %+v: %s of %d, %v; want %s of %d", name, c.q, ids(entries), total, err, c.want, c.total)
			}
		}
		if _, _, err := trail.Scope(tx, "s1", kv.LogQuery{Limit: 1, AfterID: "none"}); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("after an unknown id: %v", err)
		}
		return nil
	})
}

func TestLogRefuses(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 1)
	err := db.Update(func(tx *kv.Tx) error { _, err := trail.Append(tx, "e0000", "", "", ""); return err })
	if !errors.Is(err, kv.ErrExists) {
		t.Errorf("an id twice: %v", err)
	}
	view(t, db, func(tx *kv.Tx) error {
		if _, err := trail.Append(tx, "x", "", "", ""); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("Append in View: %v", err)
		}
		if _, err := trail.Get(tx, "x"); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("Get of nothing: %v", err)
		}
		return nil
	})
}

// TestCheckNoticesEveryChange changes every byte of the log and removes every key.
func TestCheckNoticesEveryChange(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 11)
	var keys [][]byte
	view(t, db, func(tx *kv.Tx) (err error) {
		for _, space := range []byte{'l', 'r'} {
			some, err := tx.Keys(space)
			if err != nil {
				return err
			}
			keys = append(keys, some...)
		}
		return nil
	})
	for _, key := range keys {
		var was []byte
		view(t, db, func(tx *kv.Tx) (err error) { was, err = tx.Raw(key); return err })
		try := func(what string, value []byte) {
			update(t, db, func(tx *kv.Tx) error { return tx.SetRaw(key, value) })
			if found := db.Check(trail); len(found) == 0 {
				t.Errorf("%q %s: change went unnoticed", key, what)
			}
		}
		if string(was) != "\x01" || strings.Contains(string(key), "r") && key[0] == 'r' { // only the key matters here
			for i := 0; i < len(was); i += 1 + len(was)/12 {
				changed := append([]byte{}, was...)
				changed[i] ^= 1
				try(fmt.Sprint("byte ", i), changed)
			}
		}
		try("is missing", nil)
		update(t, db, func(tx *kv.Tx) error { return tx.SetRaw(key, was) })
	}
	clean(t, db, trail)
}

func TestCheckNamesTheEntry(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 12)
	update(t, db, func(tx *kv.Tx) error {
		keys, err := tx.Keys('l')
		if err != nil {
			return err
		}
		for _, key := range keys {
			if strings.Contains(string(key), "entry") && key[len(key)-1] == 5 {
				value, err := tx.Raw(key)
				if err != nil {
					return err
				}
				return tx.SetRaw(key, append(value[:len(value)-2], '9', '"'))
			}
		}
		return errors.New("no entry 5")
	})
	found := db.Check(trail)
	if len(found) != 1 || !errors.Is(found[0], kv.ErrCorrupt) || !strings.Contains(found[0].Error(), "entry 5 ") {
		t.Errorf("got %v", found)
	}
}
