package kv

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/dgraph-io/badger/v4"
)

// A backup is a stream: a line naming the format; since, upto and the store's ID; then every
// key in order, each as
//
//	shared  number of leading bytes shared with the previous key
//	rest    length and bytes of the rest
//	value   0 if unchanged since; else length + 1 and bytes
//
// with numbers as uvarint, then an impossible shared length and the SHA-256 of everything
// before it. A restore deletes the keys that are missing.
//
// A backup with changesMagic holds, in no particular order, only the keys that have changed since:
// value is 0 for a deleted one. It requires that the deletions since are on record (see
// deletions.go). Without that, an increment names every key but holds few values.
const (
	backupMagic  = "paraph kv backup 1\n"
	changesMagic = "paraph kv backup 2\n"
	backupEnd    = 1 << 20 // longer than any key
)

// Span is what a backup says of itself at its beginning.
type Span struct {
	ID    string // of the history
	Since uint64 // 0 for a full backup
	Upto  uint64
}

// ReadSpan reads the beginning of a backup.
func ReadSpan(r io.Reader) (Span, error) {
	b := newBackupReader(r)
	since, upto, id := b.header()
	return Span{string(id), since, upto}, b.err
}

// ErrBackup reports a backup that is damaged or does not follow the stored data.
var ErrBackup = errors.New("kv: not a backup that can be restored here")

// Backup writes everything stored, as of one moment, while the store stays in use. With since,
// returned by an earlier Backup, it writes only what has changed after that. It returns the
// number to use as the next since. also are called at the end, for the same moment.
func (db *DB) Backup(w io.Writer, since uint64, also ...func(tx *Tx) error) (uint64, error) {
	h, err := db.History()
	if err != nil {
		return 0, err
	}
	if err := recordDeletions(db); err != nil {
		return 0, err
	}
	upto := uint64(0)
	err = db.View(func(tx *Tx) error {
		upto = tx.base.ReadTs()
		if since > upto {
			return fmt.Errorf("%w: no state %d was ever saved", ErrBackup, since)
		}
		floor, err := deletionsFloor(tx.base)
		if err != nil {
			return err
		}
		b := newBackupWriter(w)
		magic, write := backupMagic, b.entries
		if since > 0 && floor > 0 && since >= floor {
			magic, write = changesMagic, b.changes
		}
		b.header(magic, since, upto, []byte(h.ID))
		err = errors.Join(write(tx.base, since), b.finish())
		for i := 0; i < len(also) && err == nil; i++ {
			err = also[i](tx)
		}
		return err
	})
	return upto, err
}

// Moment returns the number that a Backup started now would return. It grows with every change.
func (db *DB) Moment() uint64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.cur.ts
}

type backupWriter struct {
	w    *bufio.Writer
	sum  hash.Hash
	err  error
	tmp  []byte
	last []byte // the previous key
}

func newBackupWriter(w io.Writer) *backupWriter {
	return &backupWriter{w: bufio.NewWriterSize(w, 1<<16), sum: sha256.New()}
}

func (b *backupWriter) write(p []byte) {
	if b.err == nil {
		b.sum.Write(p)
		_, b.err = b.w.Write(p)
	}
}

func (b *backupWriter) number(n uint64) {
	b.tmp = binary.AppendUvarint(b.tmp[:0], n)
	b.write(b.tmp)
}

func (b *backupWriter) bytes(p []byte) {
	b.number(uint64(len(p)))
	b.write(p)
}

func (b *backupWriter) header(magic string, since, upto uint64, id []byte) {
	b.write([]byte(magic))
	b.number(since)
	b.number(upto)
	b.bytes(id)
}

func (b *backupWriter) entries(txn *badger.Txn, since uint64) error {
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	for it.Rewind(); it.Valid() && b.err == nil; it.Next() {
		item := it.Item()
		if isUpkeep(item.Key()) {
			continue
		}
		b.key(item.Key())
		if item.Version() <= since {
			b.number(0)
		} else if err := b.value(item); err != nil {
			return err
		}
	}
	return b.err
}

// changes writes what was deleted and what was written since.
func (b *backupWriter) changes(txn *badger.Txn, since uint64) error {
	err := eachDeleted(txn, since, func(key []byte) error {
		_, err := txn.Get(key)
		if errors.Is(err, badger.ErrKeyNotFound) {
			b.key(key)
			b.number(0)
			return b.err
		}
		return err // it exists again
	})
	if err != nil {
		return err
	}
	it := txn.NewIterator(badger.IteratorOptions{SinceTs: since})
	defer it.Close()
	for it.Rewind(); it.Valid() && b.err == nil; it.Next() {
		if isUpkeep(it.Item().Key()) {
			continue
		}
		b.key(it.Item().Key())
		if err := b.value(it.Item()); err != nil {
			return err
		}
	}
	return b.err
}

func (b *backupWriter) key(key []byte) {
	shared := commonPrefix(b.last, key)
	b.number(uint64(shared))
	b.bytes(key[shared:])
	b.last = append(b.last[:0], key...)
}

func (b *backupWriter) value(item *badger.Item) error {
	v, err := content(item)
	if err != nil {
		return fmt.Errorf("kv: backup: %w", err)
	}
	b.number(uint64(len(v)) + 1)
	b.write(v)
	return nil
}

func (b *backupWriter) finish() error {
	b.number(backupEnd)
	if b.err == nil {
		_, b.err = b.w.Write(b.sum.Sum(nil))
	}
	if b.err == nil {
		b.err = b.w.Flush()
	}
	return b.err
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
