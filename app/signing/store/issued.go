package store

import (
	"errors"
	"maps"
	"slices"

	"paraph/app/signing/record"
	"paraph/kv"
)

// Issued maps the SHA-256 of a completed file to its document, so that a file submitted for verification can be
// recognized as issued here.
var Issued = kv.NewCollection("issued", kv.JSON[IssuedFor]())

type IssuedFor struct{ Company, Document string }

// Issuers lists the companies that have completed documents.
func Issuers(tx *kv.Tx) ([]string, error) {
	found := map[string]bool{}
	err := Issued.Each(tx, "", nil, func(_ string, to IssuedFor) (bool, error) {
		found[to.Company] = true
		return true, nil
	})
	return slices.Sorted(maps.Keys(found)), err
}

// putIssued records the current files of a completed document. After a renewal, earlier states remain known.
func putIssued(tx *kv.Tx, d *record.Document) error {
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
		if err := Issued.Put(tx, sum, IssuedFor{d.Company, d.ID}); err != nil {
			return err
		}
	}
	return nil
}

// MigrateIssued records the files of documents completed before this index existed, including their states before each
// renewal. It may be run repeatedly.
func MigrateIssued(db *kv.DB) error {
	var completed []string
	err := db.View(func(tx *kv.Tx) error {
		return Documents.Each(tx, "", nil, func(key string, d record.Document) (bool, error) {
			if d.Status == record.Completed {
				completed = append(completed, key)
			}
			return true, nil
		})
	})
	for part := range slices.Chunk(completed, Batch) {
		err = errors.Join(err, db.Update(func(tx *kv.Tx) error { return PutIssued(tx, part) }))
	}
	return err
}

func PutIssued(tx *kv.Tx, keys []string) error {
	for _, key := range keys {
		d, err := Documents.Get(tx, key)
		if err != nil {
			return err
		}
		files := []*record.File{}
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
				if err := Issued.Put(tx, r.SHA256, IssuedFor{d.Company, d.ID}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
