package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-json"
)

// Codec turns records into bytes and back. Encode must not retain the slice it
// returns, and Decode not the one it gets.
type Codec[T any] struct {
	Encode func(T) ([]byte, error)
	Decode func([]byte) (T, error)
}

// JSON returns a codec that uses encoding/json.
func JSON[T any]() Codec[T] {
	return Codec[T]{
		Encode: func(v T) ([]byte, error) { return json.Marshal(v) },
		Decode: func(b []byte) (v T, err error) {
			err = json.Unmarshal(b, &v)
			return v, err
		},
	}
}

// Index finds the records of a collection by keys other than their id.
type Index[T any] struct {
	Name string
	// Keys returns the keys under which a record is found, none or several. It must depend on
	// nothing but the record. Entries with the same key are ordered by ID.
	Keys func(T) []Key
	// Unique allows each key for one record only.
	Unique bool
	// Counted maintains counts, so that totals and pages anywhere in the index cost the same
	// regardless of the number of entries. See Depth.
	Counted bool
	// Depth is the number of leading key parts whose totals are kept ready, 1 when 0: with keys
	// K(company, status, title), Depth 2 keeps the totals of each company and of each status in
	// it. Every key needs at least that many parts. The totals of longer prefixes cost reading
	// a block or two.
	Depth int
	// Covering stores the record in the index entry as well, so that reading a page touches
	// only the index. Meant for small records that are listed often.
	Covering bool
}

// Collection is a set of records of one type, each with an ID. It is a value independent of any
// store: make one per type, and use it with any transaction.
type Collection[T any] struct {
	name    string
	codec   Codec[T]
	records []byte
	indexes []*index[T]
	scope   func(T) string // of a record, if not that of who writes it
}

type index[T any] struct {
	Index[T]
	entries []byte
	counter *counter // nil unless counted
}

// NewCollection describes a collection. Its name, the names of its indexes and the keys from
// Keys are part of the stored format; after a change to an index, have a migration call
// [Collection.Rebuild].
func NewCollection[T any](name string, codec Codec[T], indexes ...Index[T]) *Collection[T] {
	c := &Collection[T]{name: name, codec: codec, records: space(spaceRecord, name)}
	for _, x := range indexes {
		x.Depth = max(x.Depth, 1)
		own := &index[T]{Index: x, entries: space(spaceIndex, name, x.Name)}
		if x.Counted {
			own.counter = newCounter(name+"/"+x.Name, own.entries, x.Depth)
		}
		c.indexes = append(c.indexes, own)
	}
	return c
}

func (c *Collection[T]) index(name string) (*index[T], error) {
	for _, x := range c.indexes {
		if x.Name == name {
			return x, nil
		}
	}
	return nil, fmt.Errorf("kv: %s has no index %q", c.name, name)
}

func (c *Collection[T]) record(id string) []byte {
	return append(slices.Clip(c.records), id...)
}

// Get returns a record, or [ErrNotFound].
func (c *Collection[T]) Get(tx *Tx, id string) (v T, err error) {
	key := c.record(id)
	if tx.own == nil {
		err = tx.read(key, func(raw []byte) (err error) {
			v, err = c.decode(id, raw)
			return err
		})
		return v, err
	}
	if s, ok := tx.seen[string(key)]; ok && s.found {
		return c.decode(id, s.raw)
	}
	raw, err := tx.get(key)
	if err != nil {
		return v, err
	}
	if v, err = c.decode(id, raw); err == nil {
		tx.remember(key, stored{true, raw, c.keys(&v)})
	}
	return v, err
}

// Has reports whether there is a record.
func (c *Collection[T]) Has(tx *Tx, id string) (bool, error) {
	return tx.has(c.record(id))
}

func (c *Collection[T]) decode(id string, raw []byte) (v T, err error) {
	if v, err = c.codec.Decode(raw); err != nil {
		return v, fmt.Errorf("kv: %s %q: %w", c.name, id, err)
	}
	return v, nil
}

// Put stores a record, replacing any with the same ID, and updates its index entries and
// counts. It returns [ErrExists], and writes nothing, when another record has the key of a
// unique index.
func (c *Collection[T]) Put(tx *Tx, id string, v T) error {
	if tx.own == nil {
		return ErrReadOnly
	}
	raw, err := c.codec.Encode(v)
	if err != nil {
		return fmt.Errorf("kv: %s %q: %w", c.name, id, err)
	}
	old, err := c.stored(tx, id)
	if err != nil || old.found && bytes.Equal(old.raw, raw) {
		return err
	}
	changes, err := c.plan(id, old.keys, raw, &v)
	if err != nil {
		return err
	}
	if err := c.checkUnique(tx, id, changes); err != nil {
		return err
	}
	if err := c.track(tx, id, old, &v); err != nil {
		return err
	}
	if err := tx.set(c.record(id), raw); err != nil {
		return err
	}
	return tx.apply(changes)
}

// Delete removes a record with its index entries. Deleting a missing record is not an error.
func (c *Collection[T]) Delete(tx *Tx, id string) error {
	if tx.own == nil {
		return ErrReadOnly
	}
	old, err := c.stored(tx, id)
	if err != nil || !old.found {
		return err
	}
	changes, err := c.plan(id, old.keys, nil, nil)
	if err != nil {
		return err
	}
	if err := c.track(tx, id, old, nil); err != nil {
		return err
	}
	if err := tx.del(c.record(id)); err != nil {
		return err
	}
	return tx.apply(changes)
}

// stored is a record as it is in the store, with its keys in each index.
type stored struct {
	found bool
	raw   []byte
	keys  [][]Key
}

// stored returns a record as it is in the store. It is decoded only if this transaction has not
// read it.
func (c *Collection[T]) stored(tx *Tx, id string) (s stored, err error) {
	key := c.record(id)
	if s, ok := tx.seen[string(key)]; ok {
		return s, nil
	}
	raw, err := tx.get(key)
	if errors.Is(err, ErrNotFound) {
		return stored{}, nil
	}
	if err != nil {
		return stored{}, err
	}
	v, err := c.decode(id, raw)
	return stored{true, raw, c.keys(&v)}, err
}

// keys returns the keys of a record in each index.
func (c *Collection[T]) keys(v *T) [][]Key {
	all := make([][]Key, len(c.indexes))
	for i, x := range c.indexes {
		all[i] = distinct(x.Keys(*v))
	}
	return all
}

// change is one index entry to be written or deleted.
type change struct {
	counter *counter
	unique  bool
	isNew   bool
	path    []byte // key of the entry in the store
	key     []byte // its end, the key within the index
	group   []byte // the part of key that is counted together
	value   []byte // nil: removed
}

// plan compares the entries of the old and the new record. v is nil when the record is deleted;
// old is nil when it is new.
func (c *Collection[T]) plan(id string, old [][]Key, raw []byte, v *T) ([]change, error) {
	changes := make([]change, 0, 2*len(c.indexes))
	for i, x := range c.indexes {
		var before, now []Key
		if old != nil {
			before = old[i]
		}
		if v != nil {
			now = distinct(x.Keys(*v))
		}
		isNow, wasBefore := among(now), among(before)
		for _, k := range before {
			if !isNow(k) {
				changes = append(changes, x.change(id, k))
			}
		}
		for _, k := range now {
			was := wasBefore(k)
			if was && !x.Covering {
				continue
			}
			ch := x.change(id, k)
			ch.value, ch.isNew = x.entry(id, raw), !was
			if x.counter != nil && ch.group == nil {
				return nil, fmt.Errorf("kv: %s %q: key %q of index %q has fewer than %d parts", c.name, id, k, x.Name, x.Depth)
			}
			changes = append(changes, ch)
		}
	}
	return changes, nil
}

// distinct drops repeated keys, in place.
func distinct(keys []Key) []Key {
	if len(keys) < 2 {
		return keys
	}
	out := keys[:0]
	if len(keys) <= fewKeys {
		for _, k := range keys {
			if !contains(out, k) {
				out = append(out, k)
			}
		}
		return out
	}
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if !seen[string(k)] {
			seen[string(k)] = true
			out = append(out, k)
		}
	}
	return out
}

// fewKeys is up to how many keys it is faster to compare one by one.
const fewKeys = 16

// among returns a function that reports whether a key is one of keys.
func among(keys []Key) func(Key) bool {
	if len(keys) <= fewKeys {
		return func(k Key) bool { return contains(keys, k) }
	}
	all := make(map[string]bool, len(keys))
	for _, k := range keys {
		all[string(k)] = true
	}
	return func(k Key) bool { return all[string(k)] }
}

func contains(keys []Key, k Key) bool {
	return slices.ContainsFunc(keys, func(o Key) bool { return bytes.Equal(o, k) })
}

func (x *index[T]) change(id string, k Key) change {
	path := make([]byte, 0, len(x.entries)+len(k)+len(id)+len(partEnd))
	path = append(append(path, x.entries...), k...)
	if !x.Unique {
		path = appendPart(path, id)
	}
	ch := change{counter: x.counter, unique: x.Unique, path: path, key: path[len(x.entries):]}
	if x.counter != nil {
		ch.group, _ = firstParts(k, x.Depth)
	}
	return ch
}

// entry is the value of an index entry: the id where the key lacks it, and the
// record when covering.
func (x *index[T]) entry(id string, raw []byte) []byte {
	switch {
	case x.Unique && x.Covering:
		return append(append(binary.AppendUvarint(nil, uint64(len(id))), id...), raw...)
	case x.Unique:
		return append(binary.AppendUvarint(nil, uint64(len(id))), id...)
	case x.Covering:
		return raw
	}
	return nothing
}

// open parses an index entry. raw is nil unless the index is covering. Both belong to the
// caller if value does.
func (x *index[T]) open(key, value []byte) (id string, raw []byte, err error) {
	if !x.Unique {
		_, id, ok := lastPart(key)
		if !ok {
			return "", nil, fmt.Errorf("%w: entry %q of index %q", ErrCorrupt, key, x.Name)
		}
		return id, value, nil
	}
	n, size := binary.Uvarint(value)
	if size <= 0 || n > uint64(len(value)-size) {
		return "", nil, fmt.Errorf("%w: entry %q of index %q", ErrCorrupt, key, x.Name)
	}
	return string(value[size : size+int(n)]), value[size+int(n):], nil
}

// checkUnique checks every unique key before anything is written.
func (c *Collection[T]) checkUnique(tx *Tx, id string, changes []change) error {
	for _, ch := range changes {
		if !ch.unique || !ch.isNew {
			continue
		}
		taken, err := tx.has(ch.path)
		if err != nil {
			return err
		}
		if taken {
			return fmt.Errorf("%w: %s %q", ErrExists, c.name, id)
		}
	}
	return nil
}

// apply writes index entries and counts.
func (tx *Tx) apply(changes []change) error {
	for _, ch := range changes {
		if err := tx.set(ch.path, ch.value); err != nil {
			return err
		}
		var err error
		switch {
		case ch.counter == nil:
		case ch.value == nil:
			err = tx.removed(ch.counter, ch.key, ch.group)
		case ch.isNew:
			err = tx.added(ch.counter, ch.key, ch.group)
		}
		if err != nil {
			return tx.spoil(err)
		}
	}
	return nil
}

// spoil makes the call fail, whatever fn returns, so that a half-done change is not kept.
func (tx *Tx) spoil(err error) error {
	if tx.err == nil {
		tx.err = err
	}
	return err
}

// Lookup returns the record that has a key of a unique index, or [ErrNotFound].
func (c *Collection[T]) Lookup(tx *Tx, index string, key Key) (id string, v T, err error) {
	x, err := c.index(index)
	if err != nil {
		return "", v, err
	}
	if !x.Unique {
		return "", v, fmt.Errorf("kv: index %q of %s is not unique", index, c.name)
	}
	value, err := tx.get(join(x.entries, key))
	if err != nil {
		return "", v, err
	}
	id, raw, err := x.open(key, value)
	if err != nil {
		return "", v, err
	}
	if !x.Covering {
		v, err = c.Get(tx, id)
		return id, v, err
	}
	v, err = c.decode(id, raw)
	return id, v, err
}
