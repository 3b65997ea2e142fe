package signing

import (
	"errors"

	"paraph/app/turns"
	"paraph/kv"
)

// Verifying is the queue in which files wait to be examined.
func (s *Service) Verifying() *turns.Queue { return s.verifying }

// ForgetIssued deletes the index of completed files, as an older version had none.
func (s *Service) ForgetIssued() error {
	return s.DB.Update(func(tx *kv.Tx) error {
		var keys []string
		err := issued.Each(tx, "", nil, func(key string, _ issuedFor) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
		for _, key := range keys {
			err = errors.Join(err, issued.Delete(tx, key))
		}
		return err
	})
}

// Searching is the queue in which queries wait for the index.
func (s *Service) Searching() *turns.Queue { return s.searching }
