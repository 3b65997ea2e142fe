package store

import (
	"slices"

	"github.com/oklog/ulid/v2"

	"paraph/app/signing/record"
	"paraph/kv"
)

// MigrateScheduled moves the documents that were scheduled before lists told them apart.
func MigrateScheduled(db *kv.DB) error {
	var keys []string
	err := db.View(func(tx *kv.Tx) error {
		return Documents.Each(tx, "", nil, func(key string, d record.Document) (bool, error) {
			if d.SendAt != nil {
				keys = append(keys, key)
			}
			return true, nil
		})
	})
	for part := range slices.Chunk(keys, Batch) {
		if err == nil {
			err = db.Update(func(tx *kv.Tx) error { return putScheduled(tx, part) })
		}
	}
	return err
}

func putScheduled(tx *kv.Tx, keys []string) error {
	for _, key := range keys {
		d, err := Documents.Get(tx, key)
		if err != nil {
			return err
		}
		if err := Rows.Put(tx, key, record.RowOf(&d)); err != nil {
			return err
		}
		if _, err := Changes.Append(tx, ulid.Make().String(), "", "", Change{d.Company, d.ID}); err != nil {
			return err
		}
	}
	return nil
}
