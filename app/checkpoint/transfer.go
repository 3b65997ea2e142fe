package checkpoint

import (
	"errors"
	"fmt"

	"paraph/app/tree"
	"paraph/kv"
)

// ExportRecords hands over the checkpoints of a company that moves to another installation,
// and the public keys that signed them. They come before the journal, so that its
// entries can be compared with them.
func (s *Service) ExportRecords(tx *kv.Tx, company string, put func(kv.Item) error) error {
	keys, err := s.publicKeys(tx, company)
	if err != nil {
		return err
	}
	former, err := formerKeys.Get(tx, company)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	it, err := formerKeys.Pack(company, moved{company, keys, append(former.Handovers, s.Keys.Handovers()...)})
	if err := errors.Join(err, put(it)); err != nil {
		return err
	}
	return checkpoints.Each(tx, "company", kv.K(company), func(id string, c Checkpoint) (bool, error) {
		it, err := checkpoints.Pack(id, c)
		return true, errors.Join(err, put(it))
	})
}

// ImportRecord returns the function that stores an item of this package, nil if it
// belongs to another.
func (s *Service) ImportRecord(company string, it kv.Item) func(tx *kv.Tx) error {
	switch it.In {
	case checkpoints.Name():
		return func(tx *kv.Tx) error {
			if _, err := HeadOf(company, it); err != nil {
				return err
			}
			c, err := kv.Read[Checkpoint](it)
			if err != nil {
				return err
			}
			return checkpoints.Put(tx, it.ID, c)
		}
	case formerKeys.Name():
		return func(tx *kv.Tx) error {
			m, err := kv.Read[moved](it)
			if err == nil && (m.Company != company || it.ID != company) {
				err = foreign(it)
			}
			if err != nil {
				return err
			}
			return formerKeys.Put(tx, company, m)
		}
	}
	return nil
}

func foreign(it kv.Item) error {
	return fmt.Errorf("%w: %s %q belongs to another company", kv.ErrCorrupt, it.In, it.ID)
}

// HeadOf returns the head of a checkpoint on its way, nil for any other item.
func HeadOf(company string, it kv.Item) (*tree.Head, error) {
	if it.In != checkpoints.Name() {
		return nil, nil
	}
	c, err := kv.Read[Checkpoint](it)
	if err != nil {
		return nil, err
	}
	h, err := c.head()
	if err == nil && (c.Company != company || it.ID != keyOf(company, c.Size)) {
		err = foreign(it)
	}
	return &h, err
}
