package kv

import (
	"fmt"

	"paraph/kv/internal/badgerguard"
)

// Rewrite rewrites the whole store, so that replaced and deleted records leave nothing on
// disk. Otherwise that happens when their tables happen to be compacted. It is for a
// migration: nothing may be written meanwhile.
func (db *DB) Rewrite() error {
	if db.inMemory {
		return nil
	}
	if err := db.merge(); err != nil {
		return fmt.Errorf("kv: rewrite: %w", err)
	}
	return db.badger.Rewrite()
}

// merge closes the store to merge its newest tables, and opens it again.
func (db *DB) merge() error {
	db.turn.Lock()
	defer db.turn.Unlock()
	return db.alone(func() error {
		merge := func() error { return badgerguard.Merge(db.guarded) }
		for _, step := range []func() error{db.badger.Close, merge, db.start} {
			if err := step(); err != nil {
				db.closed = true
				return badgerguard.DiskError(err)
			}
		}
		return nil
	})
}
