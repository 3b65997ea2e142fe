package kv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// counter records where the entries of a counted index are, and where the counts of its blocks
// are kept. Counts are written in the transaction that changes the entries, so they agree after
// any crash; the in-memory rank is read from them when the store opens.
//
// A block never holds entries of two groups, a group being the entries that share their first
// depth parts. So a group's total is a sum of blocks.
type counter struct {
	name    string // unique in the store
	entries []byte // before every entry
	blocks  []byte // before every lower bound
	depth   int
}

func newCounter(name string, entries []byte, depth int) *counter {
	return &counter{name: name, entries: entries, blocks: space(spaceRank, name), depth: depth}
}

// slots number the counters of a store, so that a state is a slice of ranks.
type slots struct {
	numbers sync.Map // name to int
	mu      sync.Mutex
	used    int
}

func (s *slots) number(name string) int {
	if n, ok := s.numbers.Load(name); ok {
		return n.(int)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.numbers.Load(name); ok {
		return n.(int)
	}
	n := s.used
	s.used++
	s.numbers.Store(name, n)
	return n
}

// loadRanks reads the counts of every counter.
func (db *DB) loadRanks(txn *badger.Txn) ([]*rank, error) {
	o := badger.DefaultIteratorOptions
	o.Prefix, o.PrefetchValues = []byte{spaceRank}, false
	it := txn.NewIterator(o)
	defer it.Close()
	var (
		ranks  []*rank
		blocks []block
		name   []byte
	)
	finish := func() {
		if len(blocks) > 0 {
			place(&ranks, db.slots.number(Key(name).Parts()[0]), build(blocks))
		}
		blocks = nil
	}
	for it.Rewind(); it.Valid(); it.Next() {
		key := it.Item().Key()[1:]
		of, ok := firstParts(key, 1)
		if !ok {
			return nil, fmt.Errorf("%w: count at %q", ErrCorrupt, key)
		}
		if !bytes.Equal(of, name) {
			finish()
			name = bytes.Clone(of)
		}
		n := 0
		if err := it.Item().Value(func(v []byte) (err error) { n, err = decodeCount(v); return err }); err != nil {
			return nil, fmt.Errorf("kv: count at %q: %w", key, err)
		}
		blocks = append(blocks, block{string(key[len(of):]), n})
	}
	finish()
	return ranks, nil
}

func place(ranks *[]*rank, at int, r *rank) {
	for len(*ranks) <= at {
		*ranks = append(*ranks, nil)
	}
	(*ranks)[at] = r
}

func encodeCount(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

func decodeCount(v []byte) (int, error) {
	n, size := binary.Uvarint(v)
	if size != len(v) || n == 0 || n > blockMax {
		return 0, fmt.Errorf("%w: count of %x", ErrCorrupt, v)
	}
	return int(n), nil
}

func (tx *Tx) rank(c *counter) *rank {
	if n := tx.db.slots.number(c.name); n < len(tx.ranks) {
		return tx.ranks[n]
	}
	return nil
}

// setBlock changes the count of one block, in memory and in the store.
func (tx *Tx) setBlock(c *counter, low string, n int) error {
	if !tx.owned {
		tx.ranks, tx.owned = slices.Clone(tx.ranks), true
	}
	place(&tx.ranks, tx.db.slots.number(c.name), tx.rank(c).set(low, n))
	key := join(c.blocks, asBytes(low))
	if n == 0 {
		return tx.del(key)
	}
	return tx.set(key, encodeCount(n))
}

// added counts a new entry that is already written. group is the part of key that no block may
// span.
func (tx *Tx) added(c *counter, key, group []byte) error {
	b, _, ok := tx.rank(c).floor(asText(key))
	if !ok || !bytes.HasPrefix(asBytes(b.low), group) {
		b = block{low: string(group)}
	}
	if b.n < blockMax {
		return tx.setBlock(c, b.low, b.n+1)
	}
	return tx.split(c, b, key)
}

// split divides a full block that receives another entry.
func (tx *Tx) split(c *counter, b block, key []byte) error {
	at, low, err := tx.half(c, b, key)
	if err != nil {
		return err
	}
	if err := tx.setBlock(c, b.low, at); err != nil {
		return err
	}
	return tx.setBlock(c, low, b.n+1-at)
}

// nearEnd is how far from the end of a full block a new entry may be for the block to be divided
// there, so that inserts that ascend, more or less, leave full blocks.
const nearEnd = blockMax / 8

// half returns where to divide a full block: the number of entries that stay, and the first of
// the others.
func (tx *Tx) half(c *counter, b block, key []byte) (at int, low string, err error) {
	scan, err := tx.scan(c.entries, false)
	if err != nil {
		return 0, "", err
	}
	defer scan.close()
	end, bounded := tx.rank(c).next(b.low)
	inBlock := func() bool {
		return scan.valid() && !(bounded && string(scan.key()[len(c.entries):]) >= end.low)
	}
	n := 0
	for scan.seek(join(c.entries, key)); n <= nearEnd && inBlock(); scan.next() {
		n++
	}
	if n <= nearEnd {
		return b.n + 1 - n, string(key), nil
	}
	n, at = 0, (b.n+1)/2
	for scan.seek(join(c.entries, asBytes(b.low))); inBlock(); scan.next() {
		entry := scan.key()[len(c.entries):]
		if n == 0 && bytes.Equal(entry, key) {
			at = 1 // descending
		}
		if n == at {
			low = string(entry)
		}
		n++
	}
	if n != b.n+1 {
		return 0, "", fmt.Errorf("%w: block of %s at %q has %d entries, not %d", ErrCorrupt, c.name, b.low, n-1, b.n)
	}
	return at, low, nil
}

// removed uncounts an entry, and merges blocks that have become small.
func (tx *Tx) removed(c *counter, key, group []byte) error {
	r := tx.rank(c)
	b, _, ok := r.floor(asText(key))
	if !ok || !bytes.HasPrefix(asBytes(b.low), group) {
		return fmt.Errorf("%w: %s has no block for %q", ErrCorrupt, c.name, key)
	}
	b.n--
	if b.n == 0 || b.n >= blockMin {
		return tx.setBlock(c, b.low, b.n)
	}
	next, ok := r.next(b.low)
	if ok && bytes.HasPrefix(asBytes(next.low), group) && b.n+next.n <= blockMax-blockMin {
		if err := tx.setBlock(c, next.low, 0); err != nil {
			return err
		}
		b.n += next.n
	}
	return tx.setBlock(c, b.low, b.n)
}

// before returns the number of entries whose key is less than key. Only when
// key lies inside a group part of one block has to be read.
func (tx *Tx) before(c *counter, key []byte) (int, error) {
	r := tx.rank(c)
	b, n, ok := r.floor(asText(key))
	if !ok {
		return 0, nil
	}
	if b.low == string(key) {
		return n, nil
	}
	group, ok := firstParts([]byte(b.low), c.depth)
	if !ok {
		return 0, fmt.Errorf("%w: block of %s at %q", ErrCorrupt, c.name, b.low)
	}
	if !bytes.HasPrefix(key, group) {
		return n + b.n, nil
	}
	scan, err := tx.scan(c.entries, false)
	if err != nil {
		return 0, err
	}
	defer scan.close()
	end := join(c.entries, key)
	for scan.seek(append(slices.Clip(c.entries), b.low...)); scan.valid() && bytes.Compare(scan.key(), end) < 0; scan.next() {
		n++
	}
	return n, nil
}

// span returns the rank of the first entry that begins with prefix, and the
// number of them.
func (tx *Tx) span(c *counter, prefix []byte) (first, total int, err error) {
	if first, err = tx.before(c, prefix); err != nil {
		return 0, 0, err
	}
	end := tx.rank(c).total()
	if bound := after(prefix); bound != nil {
		end, err = tx.before(c, bound)
	}
	return first, end - first, err
}
