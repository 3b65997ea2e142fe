package kv

import (
	"time"

	"github.com/dgraph-io/badger/v4"
)

// OpenOnDisk is Open with the disk measured by gauge.
func OpenOnDisk(o Options, gauge func(dir string) (free, total int64, err error)) (*DB, error) {
	return open(o, gauge)
}

// Keys returns the stored keys in a space, for tests that damage them.
func (tx *Tx) Keys(space byte) (keys [][]byte, err error) {
	scan, err := tx.scan([]byte{space}, false)
	if err != nil {
		return nil, err
	}
	defer scan.close()
	for scan.begin(); scan.valid(); scan.next() {
		keys = append(keys, append([]byte{}, scan.key()...))
	}
	return keys, nil
}

// Raw returns a value.
func (tx *Tx) Raw(key []byte) ([]byte, error) { return tx.get(key) }

// SetRaw changes a value; nil deletes it.
func (tx *Tx) SetRaw(key, value []byte) error { return tx.set(key, value) }

// Put stores a job unchanged.
func (j *Jobs) Put(tx *Tx, job Job) error { return j.all.Put(tx, job.ID, job) }

// Settings of followers.
const (
	FollowBatch  = followBatch
	FollowStride = followStride
	FollowTries  = followTries
)

// Pauses returns the pauses after the first n consecutive failures.
func Pauses(n int) (all []time.Duration) {
	var b backoff
	for range n {
		all = append(all, b.next())
	}
	return all
}

// StoredPlace returns the place from which a follower would continue after a restart.
func StoredPlace(tx *Tx, follower string) (seq uint64, part int, err error) {
	p, err := getPlace(tx, follower)
	return p.seq, p.part, err
}

// Step runs one step of a mirror.
func Step[T any](m *Mirror[T]) (more bool, err error) { return m.step() }

// FollowerStep runs one step of a follower.
func FollowerStep[T any](f *Follower[T]) (more bool, err error) { return f.step() }

// Waiting returns how many updates wait for their turn.
func (db *DB) Waiting() int { return int(db.writing.Load().Waiting) }

// KeepDeletionBytes sets how many bytes of recorded deletions are always kept.
func KeepDeletionBytes(db *DB, n int64) {
	db.turn.Lock()
	defer db.turn.Unlock()
	db.deletionsLeast = n
}

// Everything returns all keys and values that belong to backups.
func (tx *Tx) Everything() (map[string]string, error) {
	all := map[string]string{}
	it := tx.base.NewIterator(badger.IteratorOptions{})
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		if isUpkeep(it.Item().Key()) {
			continue
		}
		v, err := content(it.Item())
		if err != nil {
			return nil, err
		}
		all[string(it.Item().Key())] = string(v)
	}
	return all, nil
}

// Recorded returns the number of records of deletions.
func (tx *Tx) Recorded() (n int, err error) {
	keys, err := tx.Keys(spaceGone)
	return len(keys), err
}
