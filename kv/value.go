package kv

import (
	"github.com/dgraph-io/badger/v4"
	"github.com/klauspost/compress/s2"
)

// Large values are stored compressed, so that a call of [MaxUpdateBytes] fits into a small
// memory table.
const (
	packFrom = 64 << 10
	packed   = 1 // marks such a value
)

// entry returns the stored form of a value.
func entry(key string, value []byte) *badger.Entry {
	if len(value) < packFrom {
		return badger.NewEntry([]byte(key), value)
	}
	return badger.NewEntry([]byte(key), s2.Encode(nil, value)).WithMeta(packed)
}

// content returns a copy of the value of a stored item.
func content(item *badger.Item) (value []byte, err error) {
	if item.UserMeta() != packed {
		return item.ValueCopy(nil)
	}
	err = visit(item, func(plain []byte) error {
		value = plain
		return nil
	})
	return value, err
}

// visit calls fn with the value of a stored item, which is valid only during the call.
func visit(item *badger.Item, fn func(value []byte) error) error {
	return item.Value(func(b []byte) error {
		if item.UserMeta() != packed {
			return fn(b)
		}
		plain, err := s2.Decode(nil, b)
		if err != nil {
			return err
		}
		return fn(plain)
	})
}

// fitsTable reports whether the writes fit into one call of Badger.
func (l *layer) fitsTable() bool {
	size := l.size
	if size <= callBytes {
		return true
	}
	for _, value := range l.writes {
		if len(value) >= packFrom {
			size += len(s2.Encode(nil, value)) - len(value)
		}
	}
	return size <= callBytes
}
