package kv

import (
	"bytes"
	"fmt"
	"slices"
	"sort"

	"github.com/dgraph-io/badger/v4"
)

// scan walks the keys under a prefix in order, over Badger and the writes that have not reached
// it. Writes of the transaction during the walk may or may not be visited, but keys that exist
// throughout are never missed.
type scan struct {
	tx      *Tx
	prefix  []byte
	reverse bool
	it      *badger.Iterator
	mem     []string // keys of pending writes, in order
	at      int      // position in mem
	inMem   bool     // the current entry is in mem
}

func (tx *Tx) scan(prefix []byte, reverse bool) (*scan, error) {
	if tx.base == nil {
		return nil, ErrClosed
	}
	o := badger.IteratorOptions{Prefix: prefix, Reverse: reverse}
	s := &scan{tx: tx, prefix: prefix, reverse: reverse, it: tx.base.NewIterator(o)}
	if tx.own != nil {
		s.mem = tx.pendingWithin(prefix)
	}
	return s, nil
}

func (tx *Tx) pendingWithin(prefix []byte) []string {
	lists := make([][]string, 0, len(tx.under)+1)
	lists = append(lists, tx.own.within(prefix))
	for _, l := range tx.under {
		lists = append(lists, l.within(prefix))
	}
	keys := union(lists)
	return keys
}

func (s *scan) close() { s.it.Close() }

// seek goes to the first key that is not before key, in the scan's direction.
func (s *scan) seek(key []byte) {
	s.it.Seek(key)
	s.at = sort.SearchStrings(s.mem, string(key))
	if s.reverse && (s.at == len(s.mem) || s.mem[s.at] != string(key)) {
		s.at--
	}
	s.settle()
}

// seekLast goes to the last key that begins with prefix; the scan is reverse.
func (s *scan) seekLast(prefix []byte) {
	s.seek(append(slices.Clip(prefix), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF))
}

// settle finds the nearer entry of both sides and skips deleted keys.
func (s *scan) settle() {
	if s.tx.own == nil {
		return
	}
	for {
		hasMem := s.at >= 0 && s.at < len(s.mem)
		if !hasMem && !s.it.Valid() {
			s.inMem = false
			return
		}
		order := -1
		if !hasMem {
			order = 1
		} else if s.it.Valid() {
			order = bytes.Compare(asBytes(s.mem[s.at]), s.it.Item().Key())
			if s.reverse {
				order = -order
			}
		}
		if order == 0 { // pending writes take precedence
			s.it.Next()
		}
		s.inMem = order <= 0
		value, pending := s.tx.pending(s.key())
		if !pending || value != nil {
			return
		}
		s.step()
	}
}

func (s *scan) step() {
	switch {
	case !s.inMem:
		s.it.Next()
	case s.reverse:
		s.at--
	default:
		s.at++
	}
}

func (s *scan) valid() bool { return s.inMem || s.it.Valid() }

func (s *scan) next() {
	if s.tx.rest != nil {
		s.tx.rest()
	}
	s.step()
	s.settle()
}

// key returns the current key, which the caller must not change, valid until next.
func (s *scan) key() []byte {
	if s.inMem {
		return asBytes(s.mem[s.at])
	}
	return s.it.Item().Key()
}

// value returns a copy of the current value.
func (s *scan) value() ([]byte, error) {
	if s.tx.own != nil {
		if value, ok := s.tx.pending(s.key()); ok {
			return append([]byte{}, value...), nil
		}
	}
	value, err := content(s.it.Item())
	if err != nil {
		return nil, fmt.Errorf("kv: read: %w", err)
	}
	return value, nil
}

// begin goes to the first key in the scan's direction.
func (s *scan) begin() {
	if s.reverse {
		s.seekLast(s.prefix)
		return
	}
	s.seek(s.prefix)
}
