package contact

import (
	"fmt"

	"paraph/kv"
)

// ExportRecords exports the contacts of a company.
func (s *Service) ExportRecords(tx *kv.Tx, company string, put func(kv.Item) error) error {
	return contacts.Each(tx, "", kv.Key(key(company, "")), func(id string, c Contact) (bool, error) {
		it, err := contacts.Pack(id, c)
		if err != nil {
			return false, err
		}
		return true, put(it)
	})
}

// ImportRecord returns the function that stores an item of this package, nil if it
// belongs to another.
func (s *Service) ImportRecord(company string, it kv.Item) func(tx *kv.Tx) error {
	if it.In != contacts.Name() {
		return nil
	}
	return func(tx *kv.Tx) error {
		c, err := kv.Read[Contact](it)
		switch {
		case err != nil:
			return err
		case c.Company != company || it.ID != c.key():
			return fmt.Errorf("%w: contact %q belongs to another company", kv.ErrCorrupt, it.ID)
		}
		if err := contacts.Add(tx, it.ID, c); err != nil || c.DeletedAt == nil {
			return err
		}
		return s.purgeLater(tx, &c)
	}
}
