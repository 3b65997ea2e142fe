package kv

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Item is a record on its way to another store.
type Item struct {
	In    string          `json:"in"` // name of the collection or log
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
}

// NewItem encodes a value as an item.
func NewItem[T any](in, id string, v T) (Item, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return Item{}, fmt.Errorf("kv: %s %q: %w", in, id, err)
	}
	return Item{in, id, raw}, nil
}

// Read decodes an item.
func Read[T any](it Item) (v T, err error) {
	if err := json.Unmarshal(it.Value, &v); err != nil {
		return v, fmt.Errorf("%w: %s %q: %w", ErrCorrupt, it.In, it.ID, err)
	}
	return v, nil
}

// Name returns the name of the collection.
func (c *Collection[T]) Name() string { return c.name }

// Pack encodes a record as an item.
func (c *Collection[T]) Pack(id string, v T) (Item, error) { return NewItem(c.name, id, v) }

// Add stores a record that must not exist yet; see [Collection.Put].
func (c *Collection[T]) Add(tx *Tx, id string, v T) error {
	switch has, err := c.Has(tx, id); {
	case err != nil:
		return err
	case has:
		return fmt.Errorf("%w: %s %q", ErrExists, c.name, id)
	}
	return c.Put(tx, id, v)
}

// Free returns [ErrExists] if there is a record with the item's ID.
func (c *Collection[T]) Free(tx *Tx, it Item) error {
	has, err := c.Has(tx, it.ID)
	return errors.Join(err, taken(has, it))
}

// Free returns [ErrExists] if the collection of an item has a record with its ID.
func Free(tx *Tx, it Item) error {
	has, err := tx.has(append(space(spaceRecord, it.In), it.ID...))
	return errors.Join(err, taken(has, it))
}

// Free returns [ErrExists] if the log has the item's entry.
func (l *Log[T]) Free(tx *Tx, it Item) error {
	has, err := tx.has(append(join(l.ids), it.ID...))
	return errors.Join(err, taken(has, it))
}

func taken(has bool, it Item) error {
	if !has {
		return nil
	}
	return fmt.Errorf("%w: %s %q", ErrExists, it.In, it.ID)
}
