package kv

import (
	"bytes"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"github.com/klauspost/compress/s2"
)

// Large values are stored compressed: documents and mails take half the space in memory tables,
// logs and tables, and a call of [MaxUpdateBytes] fits into a small memory table.
const (
	packFrom = 2 << 10
	packed   = 1 // marks such a value
)

// entry returns the stored form of a value. It retains the key.
func entry(key, value []byte) *badger.Entry {
	if len(value) >= packFrom {
		if small := pack(value); len(small) < len(value) {
			return badger.NewEntry(key, small).WithMeta(packed)
		}
	}
	return badger.NewEntry(key, value)
}

// scratch holds buffers for compressing and decompressing, for reuse.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// maxScratch is the size from which a buffer is not kept.
const maxScratch = 64 << 10

func keepScratch(at *[]byte, b []byte) {
	if cap(b) <= maxScratch {
		*at = b[:cap(b)]
		scratch.Put(at)
	}
}

func pack(value []byte) []byte {
	at := scratch.Get().(*[]byte)
	if n := s2.MaxEncodedLen(len(value)); len(*at) < n {
		*at = make([]byte, n)
	}
	defer keepScratch(at, *at)
	return bytes.Clone(s2.Encode(*at, value))
}

// content returns a copy of the value of a stored item.
func content(item *badger.Item) (value []byte, err error) {
	if item.UserMeta() != packed {
		return item.ValueCopy(nil)
	}
	err = item.Value(func(b []byte) error {
		value, err = s2.Decode(nil, b)
		return err
	})
	return value, err
}

// visit calls fn with the value of a stored item, which is valid only during the call.
func visit(item *badger.Item, fn func(value []byte) error) error {
	return item.Value(func(b []byte) error {
		if item.UserMeta() != packed {
			return fn(b)
		}
		at := scratch.Get().(*[]byte)
		plain, err := s2.Decode(*at, b)
		if err != nil {
			return err
		}
		defer keepScratch(at, plain)
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
			size += min(len(pack(value)), len(value)) - len(value)
		}
	}
	return size <= callBytes
}
