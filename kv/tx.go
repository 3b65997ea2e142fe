package kv

import (
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// Tx is a transaction. It may be used only by the function it was passed to, in
// that function's goroutine, and not after it returns.
type Tx struct {
	// Now is the time at which the transaction began, by the clock of its scope and the same for
	// every record it touches: UTC, in milliseconds.
	Now time.Time

	db    *DB
	scope string
	base  *badger.Txn
	under []*layer // of earlier calls that are not in base, newest first
	own   *layer   // nil when reading
	ranks []*rank
	owned bool // ranks is a copy of this transaction
	hooks []func()
	rest  func()            // called while walking, to slow that down; nil: not at all
	seen  map[string]stored // records read, by their keys, unless written since
	err   error             // why nothing of this call may be kept

	steps     []scopedStep // what was changed
	goingBack bool         // steps are not remembered
}

// View runs fn on the store as of one committed moment. Keep fn short: data replaced meanwhile
// takes up space until it returns.
func (db *DB) View(fn func(tx *Tx) error) error {
	s, err := db.acquire()
	if err != nil {
		return err
	}
	defer db.release(s)
	tx := &Tx{Now: db.moment(""), db: db, ranks: s.ranks, base: db.badger.NewTransactionAt(s.ts, false)}
	defer tx.end()
	return fn(tx)
}

// ViewSlowly is a View for long walks over the store, which calls rest between two keys, again and again, so
// that rest can slow it down. It does not while somebody waits for the end of all views.
func ViewSlowly(db *DB, rest func(), fn func(tx *Tx) error) error {
	return db.View(func(tx *Tx) error {
		tx.rest = func() {
			if db.awaited.Load() == 0 {
				rest()
			}
		}
		return fn(tx)
	})
}

// OnCommit runs fn after the commit is durable, in commit order, before Update
// returns. fn must be short, must not call Update, and is not run when the call
// fails. In a View it does nothing.
func (tx *Tx) OnCommit(fn func()) {
	if tx.own != nil {
		tx.hooks = append(tx.hooks, fn)
	}
}

func (tx *Tx) end() { tx.base, tx.seen = nil, nil }

// NowIn returns the time by the clock of a scope, for a reader that learns the scope as it reads.
func (tx *Tx) NowIn(scope string) time.Time {
	if scope == tx.scope || !tx.db.scoped {
		return tx.Now
	}
	return tx.db.moment(scope)
}

// enter makes the rest of a transaction work for another scope, by its clock.
func (tx *Tx) enter(scope string) {
	if tx.db.scoped && scope != tx.scope {
		tx.Now, tx.scope = tx.db.moment(scope), scope
	}
}

// moment returns the time by the clock of a scope, "" for that of the store.
func (db *DB) moment(scope string) time.Time {
	at := db.now
	if scope != "" && db.scoped {
		at = func() time.Time { return db.nowIn(scope) }
	}
	return at().UTC().Truncate(time.Millisecond)
}

// acquire returns the current state, which is kept until released.
func (db *DB) acquire() (*state, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for db.exclusive {
		db.idle.Wait()
	}
	if db.closed {
		return nil, ErrClosed
	}
	db.readers++
	db.cur.refs++
	return db.cur, nil
}

func (db *DB) release(s *state) {
	db.mu.Lock()
	defer db.mu.Unlock()
	s.refs--
	db.forget(s)
	if db.readers--; db.readers == 0 {
		db.idle.Broadcast()
	}
}

// forget removes a state without readers from the list. db.mu is held.
func (db *DB) forget(s *state) {
	if s.refs > 0 || s == db.cur {
		return
	}
	if s.prev != nil {
		s.prev.next = s.next
	} else if db.oldest == s {
		db.oldest = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
}

// pending looks a key up among the writes that are not in Badger.
func (tx *Tx) pending(key []byte) (value []byte, ok bool) {
	if tx.own != nil {
		if value, ok = tx.own.writes[string(key)]; ok {
			return value, true
		}
	}
	for _, l := range tx.under {
		if value, ok = l.writes[string(key)]; ok {
			return value, true
		}
	}
	return nil, false
}

// get returns the value of a key; the caller may keep and change it.
func (tx *Tx) get(key []byte) ([]byte, error) {
	if tx.base == nil {
		return nil, ErrClosed
	}
	if value, ok := tx.pending(key); ok {
		if value == nil {
			return nil, ErrNotFound
		}
		return append([]byte{}, value...), nil
	}
	item, err := tx.base.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("kv: read: %w", err)
	}
	value, err := content(item)
	if err != nil {
		return nil, fmt.Errorf("kv: read: %w", err)
	}
	return value, nil
}

// read calls fn with the value of a key, which belongs to the store.
func (tx *Tx) read(key []byte, fn func(value []byte) error) error {
	if tx.base == nil {
		return ErrClosed
	}
	if value, ok := tx.pending(key); ok {
		if value == nil {
			return ErrNotFound
		}
		return fn(value)
	}
	item, err := tx.base.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("kv: read: %w", err)
	}
	var failed error
	err = visit(item, func(value []byte) error {
		failed = fn(value)
		return nil
	})
	if err != nil {
		return fmt.Errorf("kv: read: %w", err)
	}
	return failed
}

// maxSeen is how many records a transaction remembers. Few read more before they replace one.
const maxSeen = 32

// remember keeps a record that was read, because it is likely to be replaced.
func (tx *Tx) remember(key []byte, s stored) {
	if tx.seen == nil || len(tx.seen) >= maxSeen {
		tx.seen = map[string]stored{}
	}
	tx.seen[string(key)] = s
}

func (tx *Tx) has(key []byte) (bool, error) {
	if tx.base == nil {
		return false, ErrClosed
	}
	if value, ok := tx.pending(key); ok {
		return value != nil, nil
	}
	_, err := tx.base.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("kv: read: %w", err)
	}
	return true, nil
}

// nothing is stored where only the key matters, since nil is a deletion.
var nothing = []byte{1}

// set writes a key. Both slices are retained: the caller must not change them.
func (tx *Tx) set(key, value []byte) error {
	switch {
	case tx.own == nil:
		return ErrReadOnly
	case tx.base == nil:
		return ErrClosed
	case tx.err != nil:
		return tx.err
	}
	if value != nil && len(value) == 0 {
		value = nothing[:0]
	}
	tx.own.put(asText(key), value)
	delete(tx.seen, string(key))
	if tx.own.size > MaxUpdateBytes || len(tx.own.writes) > MaxUpdateKeys || len(key) > maxKey {
		tx.err = ErrTooLarge
	}
	return tx.err
}

// maxKey is the length of the longest key that Badger accepts, less its internal marks.
const maxKey = 64000

func (tx *Tx) del(key []byte) error { return tx.set(key, nil) }
