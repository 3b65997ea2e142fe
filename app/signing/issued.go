package signing

import (
	"errors"
	"slices"

	"paraph/app/signing/record"
	"paraph/app/signing/report"
	"paraph/kv"
)

// issued maps the SHA-256 of a completed file to its document, so that a file submitted for verification can be
// recognized as issued here.
var issued = kv.NewCollection("issued", kv.JSON[issuedFor]())

type issuedFor struct{ Company, Document string }

// putIssued records the files of a completed document as they stand. After a renewal the older ones stay known.
func putIssued(tx *kv.Tx, d *Document) error {
	if d.Status != record.Completed {
		return nil
	}
	files := make([]string, 0, len(d.Files)+1)
	for i := range d.Files {
		files = append(files, d.Files[i].Current())
	}
	if d.Certificate != nil {
		files = append(files, d.Certificate.Current())
	}
	for _, sum := range files {
		if err := issued.Put(tx, sum, issuedFor{d.Company, d.ID}); err != nil {
			return err
		}
	}
	return nil
}

// MigrateIssued records the files of documents that were completed before this index existed, with their states
// before each renewal. It may be run repeatedly.
func MigrateIssued(db *kv.DB) error {
	var completed []string
	err := db.View(func(tx *kv.Tx) error {
		return documents.Each(tx, "", nil, func(key string, d Document) (bool, error) {
			if d.Status == record.Completed {
				completed = append(completed, key)
			}
			return true, nil
		})
	})
	for part := range slices.Chunk(completed, batch) {
		err = errors.Join(err, db.Update(func(tx *kv.Tx) error { return issueAgain(tx, part) }))
	}
	return err
}

func issueAgain(tx *kv.Tx, keys []string) error {
	for _, key := range keys {
		d, err := documents.Get(tx, key)
		if err != nil {
			return err
		}
		files := []*File{}
		for i := range d.Files {
			files = append(files, &d.Files[i])
		}
		if d.Certificate != nil {
			files = append(files, d.Certificate)
		}
		for _, f := range files {
			for _, r := range f.Revisions {
				if r.Kind != "timestamp" { // the last revision of a completed file
					continue
				}
				if err := issued.Put(tx, r.SHA256, issuedFor{d.Company, d.ID}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// origin finds the document whose completed file a file is or begins with. A deleted document is not found. Only what
// the holder can read in the file is disclosed: when it was completed, and its identifier.
func (s *Service) origin(beginnings []report.Beginning) (found *report.Origin, company string, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		for _, b := range beginnings {
			known, err := issued.Get(tx, b.SHA256)
			if errors.Is(err, kv.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			d, err := documents.Get(tx, documentKey(known.Company, known.Document))
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
