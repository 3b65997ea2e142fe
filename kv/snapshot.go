package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// Snapshot is all that a store in memory held at one moment.
type Snapshot struct {
	content map[string][]byte
	trails  map[string]*trail
}

// errOnDisk reports that a store can't go back, because it is not in memory.
var errOnDisk = errors.New("kv: only a store in memory goes back to what it was")

// Snapshot keeps what the store holds, so that Rewind can bring it back.
func (db *DB) Snapshot() (*Snapshot, error) {
	if !db.inMemory {
		return nil, errOnDisk
	}
	s := &Snapshot{content: map[string][]byte{}}
	err := db.quiet(func() error {
		s.trails = db.trails.copied()
		return eachItem(db.base, func(key, value []byte) { s.content[string(key)] = bytes.Clone(value) })
	})
	return s, err
}

// eachItem calls fn with every key and its value, which belong to the store.
func eachItem(txn *badger.Txn, fn func(key, value []byte)) error {
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		item := it.Item()
		if err := visit(item, func(value []byte) error { fn(item.Key(), value); return nil }); err != nil {
			return fmt.Errorf("kv: read: %w", err)
		}
	}
	return nil
}

// Continued is a log that a Rewind leaves as it is, because something outside the store has followed it.
type Continued interface{ holds(key []byte) bool }

func (l *Log[T]) holds(key []byte) bool { return bytes.HasPrefix(key, space(spaceLog, l.name)) }

// Rewind makes the store hold what it held at a snapshot, but for logs that go on. Only what differs is
// written, so that it takes as long as there is to undo.
func (db *DB) Rewind(to *Snapshot, goOn ...Continued) error {
	if !db.inMemory {
		return errOnDisk
	}
	return db.quiet(func() error {
		differs := map[string][]byte{}
		for key, value := range to.content {
			differs[key] = value
		}
		err := eachItem(db.base, func(key, value []byte) {
			was, existed := to.content[string(key)]
			switch {
			case !existed:
				differs[string(key)] = nil
			case bytes.Equal(was, value):
				delete(differs, string(key))
			}
		})
		if err != nil {
			return err
		}
		for key := range differs {
			if slices.ContainsFunc(goOn, func(l Continued) bool { return l.holds([]byte(key)) }) {
				delete(differs, key)
			}
		}
		if err := db.rewrite(differs); err != nil {
			return fmt.Errorf("kv: rewind: %w", err)
		}
		db.trails.replace(to.trails)
		return db.load(db.badger)
	})
}

// rewrite writes values, and removes the keys that have none. There are no readers or writers.
func (db *DB) rewrite(changes map[string][]byte) error {
	ts := db.cur.ts + 1
	txn := db.badger.NewTransactionAt(ts, true)
	defer func() { txn.Discard() }()
	keys, size := 0, 0
	for key, value := range changes {
		if keys++; keys > groupKeys || size > groupBytes {
			if err := txn.CommitAt(ts, nil); err != nil {
				return err
			}
			ts++
			txn, keys, size = db.badger.NewTransactionAt(ts, true), 1, 0
		}
		size += len(key) + len(value)
		err := error(nil)
		if value == nil {
			err = txn.Delete([]byte(key))
		} else {
			err = txn.SetEntry(entry([]byte(key), bytes.Clone(value)))
		}
		if err != nil {
			return err
		}
	}
	return txn.CommitAt(ts, nil)
}
