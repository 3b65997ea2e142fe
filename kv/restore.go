package kv

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"

	"paraph/kv/internal/badgerguard"
)

// Restore replaces the content of the store with that of a backup. An incremental backup needs
// the previous one restored and nothing written since; otherwise Restore returns [ErrBackup]
// and changes nothing. Other calls wait while it runs.
//
// A seekable r is read twice, so that damage is found before anything is changed. With any
// other r, damage, like a full disk, leaves the store empty: it refuses writes, and its folder
// cannot be opened ([ErrInterrupted]), until a full backup has been restored or the folder is
// emptied.
//
// A copy (see [Options]) also takes an increment that begins before what it has and ends after it,
// since what both have in common is the same. One that is interrupted can be repeated.
func (db *DB) Restore(r io.Reader) error {
	if err := verify(r); err != nil {
		return err
	}
	b := newBackupReader(r)
	since, upto, id := b.header()
	if b.err != nil {
		return b.err
	}
	return db.quiet(func() error {
		if err := db.mayRestore(since, upto, id); err != nil {
			return err
		}
		return db.restore(b, since, upto)
	})
}

// verify reads a backup to its end and seeks back to its start.
func verify(r io.Reader) error {
	s, ok := r.(io.ReadSeeker)
	if !ok {
		return nil
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil // a pipe
	}
	b := newBackupReader(s)
	b.header()
	for b.next() {
		continue
	}
	if b.err != nil {
		return b.err
	}
	if _, err = s.Seek(start, io.SeekStart); err != nil {
		return fmt.Errorf("kv: restore: %w", err)
	}
	return nil
}

// mayRestore checks that an incremental backup follows the current content.
func (db *DB) mayRestore(since, upto uint64, id []byte) error {
	if since == 0 {
		return nil
	}
	if db.halfway && (db.half.Since == 0 || since > db.half.Since || upto < db.half.Upto) {
		return fmt.Errorf("%w: it does not cover the one that was interrupted", ErrBackup)
	}
	item, err := db.base.Get(idKey)
	if err != nil {
		return fmt.Errorf("%w: restore the previous backup first", ErrBackup)
	}
	own, err := item.ValueCopy(nil)
	if err != nil {
		return fmt.Errorf("kv: restore: %w", err)
	}
	follows := db.cur.ts == since || db.copy && since < db.cur.ts && db.cur.ts <= upto
	if !bytes.Equal(own, id) || !follows {
		return fmt.Errorf("%w: it continues %d of store %s, this is %d of %s", ErrBackup, since, id, db.cur.ts, own)
	}
	return nil
}

// restore writes a backup. A marker file exists meanwhile, so that a half-finished restore is
// never mistaken for a store.
func (db *DB) restore(b *backupReader, since, upto uint64) error {
	db.half = Span{Since: since, Upto: upto}
	if err := db.markRestore(); err != nil {
		return err
	}
	db.halfway = true
	err := db.overwrite(b, since, max(upto, 1))
	if err != nil && db.copy && since > 0 {
		return errors.Join(err, db.load(db.badger))
	}
	if err != nil {
		return errors.Join(err, badgerguard.DiskError(db.badger.DropAll()), db.load(db.badger))
	}
	if err := db.load(db.badger); err != nil {
		return err
	}
	if err := db.unmarkRestore(); err != nil {
		return err
	}
	db.halfway = false
	return nil
}

func (db *DB) overwrite(b *backupReader, since, ts uint64) error {
	if since == 0 {
		if err := db.badger.DropAll(); err != nil {
			return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
		}
	}
	batch := db.badger.NewWriteBatchAt(ts)
	defer batch.Cancel()
	replay := (*DB).replay
	if b.partial {
		replay = replayChanges
	}
	if err := replay(db, b, batch); err != nil {
		return err
	}
	if err := batch.Flush(); err != nil {
		return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
	}
	return nil
}

// restoreMark is the file that exists during a restore.
func (db *DB) restoreMark() string { return filepath.Join(db.dir, "RESTORING") }

func (db *DB) markRestore() error {
	if db.inMemory {
		return nil
	}
	f, err := os.Create(db.restoreMark())
	if err != nil {
		return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
	}
	_, err = fmt.Fprintln(f, db.half.Since, db.half.Upto)
	if err := errors.Join(err, f.Sync(), f.Close(), syncFolder(db.dir)); err != nil {
		return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
	}
	return nil
}

func (db *DB) unmarkRestore() error {
	if db.inMemory {
		return nil
	}
	if err := errors.Join(os.Remove(db.restoreMark()), syncFolder(db.dir)); err != nil {
		return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
	}
	return nil
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// freeSpaceEvery is the number of keys after which a restore checks the free space.
const freeSpaceEvery = 256

// replay walks the keys of the backup and of the store side by side.
func (db *DB) replay(b *backupReader, batch *badger.WriteBatch) error {
	txn := db.badger.NewTransactionAt(math.MaxUint64, false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	it.Rewind()
	drop := func(until []byte) error {
		for ; it.Valid() && (until == nil || bytes.Compare(it.Item().Key(), until) < 0); it.Next() {
			if err := batch.Delete(it.Item().KeyCopy(nil)); err != nil {
				return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
			}
		}
		return nil
	}
	for n := 0; b.next(); n++ {
		if n%freeSpaceEvery == 0 {
			if err := db.badger.CheckSpace(); err != nil {
				return err
			}
		}
		if err := drop(b.key); err != nil {
			return err
		}
		if it.Valid() && bytes.Equal(it.Item().Key(), b.key) {
			it.Next()
		}
		if !b.changed {
			continue
		}
		if err := batch.SetEntry(entry(bytes.Clone(b.key), b.value)); err != nil {
			return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
		}
	}
	if b.err != nil {
		return b.err
	}
	return drop(nil)
}

// replayChanges applies a backup that holds only what has changed.
func replayChanges(db *DB, b *backupReader, batch *badger.WriteBatch) (err error) {
	for n := 0; b.next(); n++ {
		if n%freeSpaceEvery == 0 {
			if err := db.badger.CheckSpace(); err != nil {
				return err
			}
		}
		if b.changed {
			err = batch.SetEntry(entry(bytes.Clone(b.key), b.value))
		} else {
			err = batch.Delete(bytes.Clone(b.key))
		}
		if err != nil {
			return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
		}
	}
	if b.err != nil {
		return b.err
	}
	return dropUpkeep(db, batch)
}

// dropUpkeep removes the records of deletions, which are those of another history.
func dropUpkeep(db *DB, batch *badger.WriteBatch) error {
	txn := db.badger.NewTransactionAt(math.MaxUint64, false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{Prefix: gonePrefix})
	defer it.Close()
	err := batch.Delete(floorKey)
	for it.Rewind(); it.Valid() && err == nil; it.Next() {
		err = batch.Delete(it.Item().KeyCopy(nil))
	}
	if err != nil {
		return fmt.Errorf("kv: restore: %w", badgerguard.DiskError(err))
	}
	return nil
}

// quiet runs fn while there are no readers or writers.
func (db *DB) quiet(fn func() error) error {
	if db.still {
		return ErrReadOnly
	}
	db.turn.Lock()
	defer db.turn.Unlock()
	for len(db.pending) > 0 {
		db.work.Wait()
	}
	if db.closing {
		return ErrClosed
	}
	defer db.epoch.Add(1)
	return db.alone(fn)
}

// Reset empties the store, as if it had just been created.
func (db *DB) Reset() error {
	return db.quiet(func() error {
		value, err := db.base.Get(formatKey)
		if err != nil {
			return fmt.Errorf("kv: reset: %w", err)
		}
		version, err := value.ValueCopy(nil)
		if err != nil {
			return fmt.Errorf("kv: reset: %w", err)
		}
		if err := db.badger.DropAll(); err != nil {
			return fmt.Errorf("kv: reset: %w", badgerguard.DiskError(err))
		}
		txn := db.badger.NewTransactionAt(1, true)
		defer txn.Discard()
		if err := errors.Join(txn.Set(formatKey, version), txn.CommitAt(1, nil)); err != nil {
			return fmt.Errorf("kv: reset: %w", badgerguard.DiskError(err))
		}
		return db.load(db.badger)
	})
}

type backupReader struct {
	r       *bufio.Reader
	sum     hash.Hash
	key     []byte
	value   []byte
	changed bool
	partial bool // it holds only what has changed
	err     error
}

func newBackupReader(r io.Reader) *backupReader {
	return &backupReader{r: bufio.NewReaderSize(r, 1<<16), sum: sha256.New()}
}

func (b *backupReader) fail(err error) {
	if b.err != nil || err == nil {
		return
	}
	b.err = fmt.Errorf("%w: %w", ErrBackup, err)
}

// ReadByte reads one byte for binary.ReadUvarint.
func (b *backupReader) ReadByte() (byte, error) {
	c, err := b.r.ReadByte()
	if err == nil {
		b.sum.Write([]byte{c})
	}
	return c, err
}

func (b *backupReader) number() uint64 {
	if b.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(b)
	b.fail(err)
	return n
}

var errDamaged = errors.New("backup is damaged")

// bytes reads n bytes; limit keeps a damaged length from exhausting memory.
func (b *backupReader) bytes(n, limit uint64) []byte {
	if n > limit {
		b.fail(errDamaged)
	}
	if b.err != nil {
		return nil
	}
	p := make([]byte, n)
	_, err := io.ReadFull(b.r, p)
	b.fail(err)
	b.sum.Write(p)
	return p
}

func (b *backupReader) header() (since, upto uint64, id []byte) {
	magic := string(b.bytes(uint64(len(backupMagic)), 64))
	b.partial = magic == changesMagic
	if !b.partial && magic != backupMagic {
		b.fail(errDamaged)
	}
	since, upto = b.number(), b.number()
	if id = b.bytes(b.number(), 64); b.partial && since == 0 {
		b.fail(errDamaged)
	}
	return since, upto, id
}

// next reads an entry; it returns false at the end and after an error.
func (b *backupReader) next() bool {
	shared := b.number()
	if b.err == nil && shared == backupEnd {
		b.end()
		return false
	}
	if shared > uint64(len(b.key)) {
		b.fail(errDamaged)
	}
	rest := b.bytes(b.number(), maxKey)
	if b.err != nil {
		return false
	}
	b.key = append(b.key[:shared], rest...)
	n := b.number()
	if b.changed = n > 0; b.changed {
		b.value = b.bytes(n-1, MaxUpdateBytes)
	}
	return b.err == nil
}

func (b *backupReader) end() {
	want := b.sum.Sum(nil)
	got := make([]byte, len(want))
	_, err := io.ReadFull(b.r, got)
	b.fail(err)
	if b.err == nil && !bytes.Equal(got, want) {
		b.fail(errDamaged)
	}
}
