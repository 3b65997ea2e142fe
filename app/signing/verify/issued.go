package verify

import (
	"errors"

	"paraph/app/signing/report"
	"paraph/app/signing/store"
	"paraph/kv"
)

// origin finds the document whose completed file this file is or begins with. Deleted documents are not found. Only
// what the holder can read in the file is disclosed: its identifier and the time of completion.
func (s *Verifier) origin(beginnings []report.Prefix) (found *report.Origin, company string, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		for _, b := range beginnings {
			known, err := store.Issued.Get(tx, b.SHA256)
			if errors.Is(err, kv.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			d, err := store.Documents.Get(tx, store.DocumentKey(known.Company, known.Document))
			if errors.Is(err, kv.ErrNotFound) || err == nil && d.CompletedAt == nil {
				continue
			}
			if err != nil {
				return err
			}
			found, company = &report.Origin{Document: d.ID, CompletedAt: *d.CompletedAt, Whole: b.Whole}, d.Company
			return nil
		}
		return nil
	})
	return found, company, err
}
