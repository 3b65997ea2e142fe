package kv

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// Trees are the Merkle trees of a log, one for each scope (RFC 6962, as in the
// package tlog). The leaves are the hashes of the scope's entries in the order of
// the log; they don't depend on where the entries are, so a scope whose entries
// another log adopts keeps its tree. A tree grows in the transaction that appends
// the entry, by one record that holds the hashes which the leaf completes.
type Trees struct {
	log    string
	leaves []byte // scope, number of the leaf: the hash of the leaf, then of the subtrees it completes, lowest first
	sizes  []byte // scope: number of leaves
}

// Trees returns the trees over the log's scopes.
func (l *Log[T]) Trees() *Trees { return l.trees }

func newTrees(log string) *Trees {
	return &Trees{log: log, leaves: space(spaceLog, log, "tree"), sizes: space(spaceLog, log, "tree size")}
}

// Size returns the number of leaves of a scope's tree.
func (t *Trees) Size(tx *Tx, scope string) (int64, error) {
	b, err := tx.get(append(join(t.sizes), scope...))
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if len(b) != 8 || b[0] > 127 {
		return 0, fmt.Errorf("%w: size of a tree of log %s is %x", ErrCorrupt, t.log, b)
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// Reader returns the hashes of a scope's tree, for the functions of package tlog.
// It is valid as long as the transaction.
func (t *Trees) Reader(tx *Tx, scope string) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			level, n := tlog.SplitStoredHashIndex(index)
			completed := (n+1)<<level - 1
			b, err := tx.get(t.leaf(scope, completed))
			if err != nil {
				return nil, fmt.Errorf("kv: tree of log %s, leaf %d: %w", t.log, completed, dangling(err))
			}
			if len(b) < (level+1)*tlog.HashSize {
				return nil, fmt.Errorf("%w: leaf %d of a tree of log %s is %x", ErrCorrupt, completed, t.log, b)
			}
			out[i] = tlog.Hash(b[level*tlog.HashSize:])
		}
		return out, nil
	})
}

func (t *Trees) leaf(scope string, n int64) []byte {
	return join(t.leaves, K(scope), number(uint64(n)))
}

// Leaf returns the leaf of an entry's hash.
func Leaf(entry [32]byte) tlog.Hash { return tlog.RecordHash(entry[:]) }

// record returns the record stored for the n-th leaf.
func (t *Trees) record(tx *Tx, scope string, n int64, entry [32]byte) ([]byte, error) {
	hashes, err := tlog.StoredHashesForRecordHash(n, Leaf(entry), t.Reader(tx, scope))
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return b, nil
}

// grow adds the leaf of an entry.
func (t *Trees) grow(tx *Tx, scope string, entry [32]byte) error {
	n, err := t.Size(tx, scope)
	if err != nil {
		return err
	}
	b, err := t.record(tx, scope, n, entry)
	if err != nil {
		return err
	}
	if err := tx.set(t.leaf(scope, n), b); err != nil {
		return err
	}
	return tx.set(append(join(t.sizes), scope...), number(uint64(n)+1))
}

// check compares the leaf of an entry with what the tree holds.
func (t *Trees) check(tx *Tx, scope string, n int64, entry [32]byte) error {
	want, err := t.record(tx, scope, n, entry)
	if err != nil {
		return err
	}
	got, err := tx.get(t.leaf(scope, n))
	if err != nil || string(got) != string(want) {
		return fmt.Errorf("it is not the leaf %d of the tree of its scope", n)
	}
	return nil
}

// checkSize compares the size of a tree with the entries counted.
func (t *Trees) checkSize(tx *Tx, scope string, want int64) error {
	got, err := t.Size(tx, scope)
	if err == nil && got != want {
		err = fmt.Errorf("%w: the tree of scope %s of log %s has %d leaves, not %d", ErrCorrupt, scope, t.log, got, want)
	}
	return err
}

// Position returns the place of an entry among those of its scope, from 0: the
// number of its leaf.
func (l *Log[T]) Position(tx *Tx, e Entry[T]) (int64, error) {
	first, err := tx.before(l.scopes, K(e.Scope))
	if err != nil {
		return 0, err
	}
	n, err := tx.before(l.scopes, join(K(e.Scope), number(e.Seq)))
	return int64(n - first), err
}

// plantBatch is how many entries are added to the trees in one transaction.
const plantBatch = 500

// Plant builds the trees of a log that was written before there were any. What an
// interrupted call has built is kept.
func (l *Log[T]) Plant(db *DB) error {
	for after := uint64(0); ; {
		var last uint64
		err := db.Update(func(tx *Tx) error {
			entries, err := l.Next(tx, after, plantBatch)
			for _, e := range entries {
				last = e.Seq
				if err := l.plant(tx, e); err != nil {
					return err
				}
			}
			return err
		})
		if err != nil || last == 0 {
			return err
		}
		after = last
	}
}

// plant adds an entry's leaf unless the tree has it.
func (l *Log[T]) plant(tx *Tx, e Entry[T]) error {
	if e.Scope == "" {
		return nil
	}
	at, err := l.Position(tx, e)
	if err != nil {
		return err
	}
	if size, err := l.trees.Size(tx, e.Scope); err != nil || at < size {
		return err
	}
	return l.trees.grow(tx, e.Scope, e.Hash)
}
