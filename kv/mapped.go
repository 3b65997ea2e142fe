package kv

import (
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// Mapped calls fn with the absolute paths of the sorted tables, which stay mapped until it
// returns.
func (db *DB) Mapped(fn func(files map[string]bool)) {
	dir, err := filepath.Abs(db.dir)
	if err != nil || db.inMemory {
		return
	}
	s, err := db.acquire()
	if err != nil {
		return
	}
	defer db.release(s)
	before := tableNumbers(db.badger)
	txn := db.badger.NewTransactionAt(s.ts, false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{}) // keeps the current tables from being removed
	defer it.Close()
	files := map[string]bool{}
	for id := range tableNumbers(db.badger) {
		if before[id] {
			files[table.NewFilename(id, dir)] = true
		}
	}
	fn(files)
}
