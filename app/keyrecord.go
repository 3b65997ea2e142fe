package app

import (
	"bytes"
	"errors"
	"fmt"

	"paraph/app/seal"
	"paraph/kv"
)

// keyMark identifies the installation's key without revealing it.
type keyMark struct{ Mark []byte }

var keyMarks = kv.NewCollection("installation key", kv.JSON[keyMark]())

const theKey = "token.key"

// keyRecord compares the installation's key with the one that the records were written with.
type keyRecord struct {
	db  *kv.DB
	key []byte
}

func (k keyRecord) mark() (keyMark, error) {
	mark, err := seal.Derive(k.key, "mark of the key")
	return keyMark{mark}, err
}

// remember stores the mark of the installation's key with the first records.
func (k keyRecord) remember() error {
	mark, err := k.mark()
	if err != nil {
		return err
	}
	return k.db.Update(func(tx *kv.Tx) error {
		if _, err := keyMarks.Get(tx, theKey); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return keyMarks.Put(tx, theKey, mark)
	})
}

// check fails if the records were written with another key. Links and sealed secrets can't be
// read with this one, and nobody would notice until somebody follows a link.
func (k keyRecord) check() error {
	want, err := k.mark()
	if err != nil {
		return err
	}
	return k.db.View(func(tx *kv.Tx) error {
		got, err := keyMarks.Get(tx, theKey)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err == nil && !bytes.Equal(got.Mark, want.Mark) {
			err = fmt.Errorf("%w: keys/%s is not the key that the records were written with; restore it from a backup", kv.ErrCorrupt, theKey)
		}
		return err
	})
}
