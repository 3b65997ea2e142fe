package kv

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Rewrite rewrites the whole store, so that replaced and deleted records leave nothing on
// disk. Otherwise that happens when their tables happen to be compacted. It is for a
// migration: nothing may be written meanwhile.
func (db *DB) Rewrite() error {
	if db.inMemory {
		return nil
	}
	if err := mergeNewest(db); err != nil {
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

// mergeNewest merges the memory tables and the tables they became, which overlap, into the levels
// below. Badger merges them all only when it closes, and if it was opened to do so: Flatten leaves
// them alone if there are no others.
func mergeNewest(db *DB) error {
	db.turn.Lock()
	defer db.turn.Unlock()
	return db.alone(func() error {
		for _, merge := range []bool{true, false} {
			db.mergeOnClose = merge
			for _, step := range []func() error{db.closeBadger, db.mayOpen, db.start} {
				if err := step(); err != nil {
					db.closed = true
					return err
				}
			}
		}
		return nil
	})
}
