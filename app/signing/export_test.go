package signing

import (
	"errors"

	"paraph/app/signing/store"
	"paraph/app/turns"
	"paraph/kv"
)

// ForgetIssued deletes the index of completed files, which older versions did not keep.
func (s *Services) ForgetIssued() error {
	return s.DB.Update(func(tx *kv.Tx) error {
		var keys []string
		err := store.Issued.Each(tx, "", nil, func(key string, _ store.IssuedFor) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
		for _, key := range keys {
			err = errors.Join(err, store.Issued.Delete(tx, key))
		}
		return err
	})
}

// Locked returns how many documents have a lock.
func (s *Services) Locked() int {
	s.Drafts.changes.locks.mu.Lock()
	defer s.Drafts.changes.locks.mu.Unlock()
	return len(s.Drafts.changes.locks.of)
}

// Queue returns the queue for reading the text of files.
func (s *Detection) Queue() *turns.Queue { return s.texts.queue }
