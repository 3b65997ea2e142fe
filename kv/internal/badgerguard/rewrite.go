package badgerguard

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
)

// Merge merges the memory tables and the tables they became, which overlap, into the levels below.
// Badger merges them all only when it closes, and if it was opened to do so: [badger.DB.Flatten]
// leaves them alone if there are no others. The store must not be open.
func Merge(o Options) error {
	o.Badger.CompactL0OnClose = true
	s, err := Open(o)
	if err != nil {
		return err
	}
	s.SetDiscardTs(s.MaxVersion()) // nobody reads older versions
	return s.Close()
}

// Rewrite rewrites all tables and logs of values, so that replaced and deleted records leave
// nothing in them. It does not reach the newest tables, see [Merge].
func (s *Store) Rewrite() error {
	if err := s.Flatten(1); err != nil {
		return fmt.Errorf("kv: rewrite: %w", DiskError(err))
	}
	for {
		err := s.RunValueLogGC(0.01)
		if errors.Is(err, badger.ErrNoRewrite) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("kv: rewrite: %w", DiskError(err))
		}
	}
}
