package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// From the first backup on, the store records which keys each commit deletes, so that an
// incremental backup need not name every key that still exists. The records are part of the
// commit:
//
//	version of the commit, part → total, then for each key: shared, rest
//
// with shared and rest as in a backup, and total the number of bytes recorded so far. They are
// no part of backups.
const (
	deletionsPart  = 32 << 10 // size at which a record is continued in the next part
	deletionsLeast = 16 << 20 // bytes that may always be kept
	deletionsShare = 8        // more may be kept up to this part of the stored data
	deletionsPrune = 4        // commits whose records one commit removes at most
)

var (
	// floorKey holds a version: the deletions of every later commit are recorded.
	floorKey   = space(spaceMeta, "deletions")
	floorName  = string(floorKey)
	gonePrefix = []byte{spaceGone}
)

// deletions summarizes the recorded deletions for the committer.
type deletions struct {
	floor uint64 // see floorKey; 0: nothing is recorded
	total uint64 // bytes recorded so far
	gone  uint64 // bytes removed again
}

func goneKey(version uint64, part int) []byte {
	k := append(bytes.Clone(gonePrefix), number(version)...)
	return binary.BigEndian.AppendUint16(k, uint16(part))
}

// goneVersion returns the version of the commit that a record belongs to.
func goneVersion(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(gonePrefix):]) }

// isUpkeep reports whether a key is the store's own record of deletions, which is in no backup.
func isUpkeep(key []byte) bool {
	return bytes.HasPrefix(key, gonePrefix) || bytes.Equal(key, floorKey)
}

// KeepDeletions declares that no backup will continue one from before the given number, so that
// older records of deletions may be removed.
func KeepDeletions(db *DB, since uint64) { db.deletionsFrom.Store(since) }

// recordDeletions starts recording, unless it has begun.
func recordDeletions(db *DB) error {
	return db.Update(func(tx *Tx) error {
		began, err := tx.has(floorKey)
		if err != nil || began {
			return err
		}
		return tx.set(floorKey, nothing) // the committer knows the version
	})
}

// forgetDeletions ends recording, and removes what was recorded.
func forgetDeletions(db *DB) error {
	if err := db.drop(gonePrefix); err != nil {
		return err
	}
	return db.Update(func(tx *Tx) error { return tx.del(floorKey) })
}

// after returns the state after a commit, and what that writes besides its own keys.
func (d deletions) after(db *DB, l *layer, ts uint64) (next deletions, writes map[string][]byte, err error) {
	next = d
	if floor, changes := l.writes[floorName]; changes {
		if floor == nil {
			return deletions{}, nil, nil
		}
		return deletions{floor: ts}, map[string][]byte{floorName: number(ts)}, nil
	}
	keys := deleted(l)
	if next.floor == 0 || len(keys) == 0 {
		return next, nil, nil
	}
	writes, size := recordsOf(keys, ts, next.total)
	if l.size+size > callBytes { // the next increment names every key instead
		next.floor = ts
		return next, map[string][]byte{floorName: number(ts)}, nil
	}
	next.total += uint64(size)
	err = next.prune(db, writes)
	return next, writes, err
}

// deleted returns the keys that a layer deletes, in order.
func deleted(l *layer) (keys []string) {
	for key, value := range l.writes {
		if value == nil && !isUpkeep([]byte(key)) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// recordsOf returns the records of deleted keys, and their size.
func recordsOf(keys []string, version, total uint64) (records map[string][]byte, size int) {
	records = map[string][]byte{}
	for part := 0; len(keys) > 0; part++ {
		var body, last []byte
		for len(keys) > 0 && len(body) < deletionsPart {
			key := []byte(keys[0])
			shared := commonPrefix(last, key)
			body = binary.AppendUvarint(body, uint64(shared))
			body = binary.AppendUvarint(body, uint64(len(key)-shared))
			body = append(body, key[shared:]...)
			last, keys = key, keys[1:]
		}
		name := goneKey(version, part)
		own := len(name) + binary.MaxVarintLen64 + len(body)
		size += own
		records[string(name)] = append(binary.AppendUvarint(nil, total+uint64(size)), body...)
	}
	return records, size
}

// prune adds the removal of the oldest records, if they are not needed or take too much space.
func (d *deletions) prune(db *DB, writes map[string][]byte) error {
	lsm, _ := db.badger.Size()
	limit := uint64(max(db.deletionsLeast, lsm/deletionsShare))
	from := db.deletionsFrom.Load()
	if d.floor >= from && d.total-d.gone <= limit {
		return nil
	}
	txn := db.badger.NewTransactionAt(db.cur.ts, false)
	defer txn.Discard()
	it := txn.NewIterator(badger.IteratorOptions{Prefix: gonePrefix})
	defer it.Close()
	commits, floor := 0, d.floor
	for it.Seek(goneKey(d.floor+1, 0)); it.Valid(); it.Next() {
		key := it.Item().KeyCopy(nil)
		if v := goneVersion(key); v != floor {
			if commits++; commits > deletionsPrune || v > from && d.total-d.gone <= limit {
				break
			}
			floor = v
		}
		total, err := goneTotal(it.Item())
		if err != nil {
			return err
		}
		d.gone = total
		writes[string(key)] = nil
	}
	if floor != d.floor {
		d.floor = floor
		writes[floorName] = number(floor)
	}
	return nil
}

func goneTotal(item *badger.Item) (uint64, error) {
	v, err := content(item)
	if err != nil {
		return 0, fmt.Errorf("kv: deletions: %w", err)
	}
	total, n := binary.Uvarint(v)
	if n <= 0 {
		return 0, fmt.Errorf("%w: deletions of version %d", ErrCorrupt, goneVersion(item.Key()))
	}
	return total, nil
}

// loadDeletions reads the state of the records.
func loadDeletions(txn *badger.Txn) (d deletions, err error) {
	if d.floor, err = deletionsFloor(txn); err != nil || d.floor == 0 {
		return d, err
	}
	it := txn.NewIterator(badger.IteratorOptions{Prefix: gonePrefix})
	defer it.Close()
	if it.Seek(goneKey(d.floor+1, 0)); !it.Valid() {
		return d, nil
	}
	first, err := goneTotal(it.Item())
	if err != nil {
		return d, err
	}
	d.gone = first - min(first, uint64(it.Item().EstimatedSize()))
	back := txn.NewIterator(badger.IteratorOptions{Prefix: gonePrefix, Reverse: true})
	defer back.Close()
	if back.Seek(append(bytes.Clone(gonePrefix), bytes.Repeat([]byte{0xFF}, 10)...)); back.Valid() {
		d.total, err = goneTotal(back.Item())
	}
	return d, err
}

func deletionsFloor(txn *badger.Txn) (uint64, error) {
	item, err := txn.Get(floorKey)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("kv: deletions: %w", err)
	}
	v, err := content(item)
	if err != nil || len(v) != 8 {
		return 0, fmt.Errorf("%w: deletions: %x %w", ErrCorrupt, v, err)
	}
	return binary.BigEndian.Uint64(v), nil
}

// eachDeleted calls fn for every key deleted after a version. A key may occur several times, and
// may exist again.
func eachDeleted(txn *badger.Txn, since uint64, fn func(key []byte) error) error {
	it := txn.NewIterator(badger.IteratorOptions{Prefix: gonePrefix})
	defer it.Close()
	for it.Seek(goneKey(since+1, 0)); it.Valid(); it.Next() {
		v, err := content(it.Item())
		if err != nil {
			return fmt.Errorf("kv: deletions: %w", err)
		}
		if err := goneKeys(v, fn); err != nil {
			return fmt.Errorf("%w of version %d", err, goneVersion(it.Item().Key()))
		}
	}
	return nil
}

// goneKeys reads the keys of a record.
func goneKeys(record []byte, fn func(key []byte) error) error {
	bad := fmt.Errorf("%w: deletions", ErrCorrupt)
	_, n := binary.Uvarint(record)
	if n <= 0 {
		return bad
	}
	var key []byte
	for rest := record[n:]; len(rest) > 0; {
		shared, n := binary.Uvarint(rest)
		if n <= 0 || shared > uint64(len(key)) {
			return bad
		}
		rest = rest[n:]
		length, n := binary.Uvarint(rest)
		if n <= 0 || length > uint64(len(rest)-n) {
			return bad
		}
		key = append(key[:shared], rest[n:n+int(length)]...)
		if err := fn(key); err != nil {
			return err
		}
		rest = rest[n+int(length):]
	}
	return nil
}

// with returns the writes of a layer together with others.
func (l *layer) with(others map[string][]byte) map[string][]byte {
	if len(others) == 0 {
		return l.writes
	}
	all := maps.Clone(l.writes)
	maps.Copy(all, others)
	return all
}
