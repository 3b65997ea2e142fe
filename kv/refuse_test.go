package kv_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"paraph/kv"
)

// rewritten returns what opening a store says after its record of the format was changed.
func rewritten(t *testing.T, change func(value []byte) []byte) error {
	t.Helper()
	dir := t.TempDir()
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *kv.Tx) error {
		keys, err := tx.Keys('m')
		if err != nil || len(keys) == 0 {
			t.Fatalf("the store has no record of its format: %v", err)
		}
		for _, key := range keys {
			value, err := tx.Raw(key)
			if err != nil {
				return err
			}
			if len(value) == 16 {
				if err := tx.SetRaw(key, change(value)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err = kv.Open(kv.Options{Dir: dir})
	if err == nil {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	return err
}

func TestStoresOfNewerProgramsAreLeftAlone(t *testing.T) {
	t.Parallel()
	if err := rewritten(t, func(v []byte) []byte { return v }); err != nil {
		t.Errorf("unchanged: got %v", err)
	}
	newer := func(v []byte) []byte {
		return append(binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(v)+1), v[8:]...)
	}
	if err := rewritten(t, newer); !errors.Is(err, kv.ErrNewerFormat) {
		t.Errorf("a newer format: got %v", err)
	}
	if err := rewritten(t, func(v []byte) []byte { return v[:15] }); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("a format cut short: got %v", err)
	}
}

func TestAnEntryWithoutItsRecordIsDamage(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	update(t, db, func(tx *kv.Tx) error { return docs.Put(tx, "1", doc{Company: "a", Title: "t"}) })
	update(t, db, func(tx *kv.Tx) error {
		keys, err := tx.Keys('d')
		for _, key := range keys {
			err = errors.Join(err, tx.SetRaw(key, nil))
		}
		return err
	})
	view(t, db, func(tx *kv.Tx) error {
		if _, err := docs.Get(tx, "1"); !errors.Is(err, kv.ErrNotFound) {
			t.Fatalf("the record is still there: %v", err)
		}
		if _, err := docs.Page(tx, kv.Query{Index: "title", Prefix: kv.K("a"), Limit: 10}); !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("got %v, want it called damage and not a missing record", err)
		}
		return nil
	})
	if len(db.Check(docs)) == 0 {
		t.Error("the check finds nothing")
	}
}

func TestJobsHaveAKind(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	if err := db.Update(func(tx *kv.Tx) error { return jobs.Add(tx, kv.Job{Key: "k"}) }); err == nil {
		t.Error("a job without a kind waits for nobody")
	}
	clean(t, db, jobs)
}
