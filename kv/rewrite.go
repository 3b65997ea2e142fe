package kv

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// unused is a prefix that no key has.
var unused = []byte{0xff, 0xff}

// Rewrite rewrites the whole store, so that replaced and deleted records leave nothing on
// disk. Otherwise that happens when their tables happen to be compacted. It is for a
// migration: nothing may be written meanwhile.
func (db *DB) Rewrite() error {
	if db.inMemory {
		return nil
	}
	// Dropping a prefix writes the memory tables to disk, which Badger does not do otherwise
	// while it is open. Only what is on disk is merged.
	if err := db.badger.DropPrefix(unused); err != nil {
		return fmt.Errorf("kv: rewrite: %w", diskError(err))
	}
	if err := db.badger.Flatten(1); err != nil {
		return fmt.Errorf("kv: rewrite: %w", diskError(err))
	}
	for {
		err := db.badger.RunValueLogGC(0.01)
		if errors.Is(err, badger.ErrNoRewrite) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("kv: rewrite: %w", diskError(err))
		}
	}
}
