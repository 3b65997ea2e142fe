package kv

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
)

// History tells the stores apart that go on from the same backup. What one of them writes does not
// continue what another one wrote.
type History struct {
	Line  string `json:"line"`  // shared by all stores that descend from the same first one
	ID    string `json:"id"`    // of this one
	Epoch uint64 `json:"epoch"` // grows with each descent
}

var (
	idKey      = space(spaceMeta, "id") // identifies the history, so that the backups of another one are not applied to it
	historyKey = space(spaceMeta, "history")
)

// History returns the store's history, which begins with the first call.
func (db *DB) History() (h History, err error) {
	err = db.View(func(tx *Tx) error {
		h, err = history(tx)
		return err
	})
	if !errors.Is(err, ErrNotFound) {
		return h, err
	}
	err = db.Update(func(tx *Tx) error {
		if h, err = history(tx); !errors.Is(err, ErrNotFound) {
			return err
		}
		id := rand.Text()
		h = History{Line: id, ID: id}
		return tx.set(idKey, []byte(id))
	})
	return h, err
}

// Descend begins a history of the store's own, in an epoch later than that of the present one and than
// after. Backups of earlier histories can be neither continued nor applied from now on.
func (db *DB) Descend(after uint64) (h History, err error) {
	if _, err := db.History(); err != nil {
		return h, err
	}
	err = db.Update(func(tx *Tx) error {
		if h, err = history(tx); err != nil {
			return err
		}
		h.ID, h.Epoch = rand.Text(), max(h.Epoch, after)+1
		b, err := json.Marshal(h)
		if err != nil {
			return err
		}
		return errors.Join(tx.set(historyKey, b), tx.set(idKey, []byte(h.ID)))
	})
	return h, err
}

func history(tx *Tx) (h History, err error) {
	id, err := tx.get(idKey)
	if err != nil {
		return h, err
	}
	h = History{Line: string(id), ID: string(id)}
	b, err := tx.get(historyKey)
	if errors.Is(err, ErrNotFound) {
		return h, nil // the first
	}
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(b, &h); err != nil {
		return h, fmt.Errorf("%w: history: %w", ErrCorrupt, err)
	}
	return h, nil
}
