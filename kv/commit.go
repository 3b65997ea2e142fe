package kv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"paraph/app/turns"
	"paraph/kv/internal/badgerguard"
)

// Limits of a group. A group of this size takes a fraction of a millisecond to write, so the
// wait goes unnoticed.
const (
	groupCalls = 256
	groupBytes = 1 << 20
	groupKeys  = 8000
	groupQueue = 2 // groups waiting behind the one being written
)

// group is a set of calls that become durable together.
type group struct {
	layer *layer
	ranks []*rank
	hooks []func()
	calls int
	taken bool // being written to disk: no further call may join
	done  chan struct{}
	err   error
}

// PanicError is returned by Update when fn panicked.
type PanicError struct {
	Value any
	Stack []byte
}

// Error describes the value fn panicked with.
func (e *PanicError) Error() string { return fmt.Sprintf("kv: panic in update: %v", e.Value) }

// Unwrap returns the error fn panicked with, if it was one.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Update runs fn once and makes its writes durable before it returns. fn runs alone, in the
// caller's goroutine; it sees every write of earlier calls. If fn returns an error or panics
// ([PanicError]), none of its writes are kept. Update returns once every write that fn may have
// read is durable, also if fn failed because of one. If such a write can't be made durable, Update
// returns why, whatever fn returned.
//
// fn must be quick, must touch nothing but its transaction, and must not call Update itself:
// that would deadlock.
func (db *DB) Update(fn func(tx *Tx) error) error { return db.For("").Update(fn) }

// writePatience is how long a call waits for its turn to write.
const writePatience = 2 * time.Minute

// Writer writes for one scope, such as a company. Scopes take turns writing: a thousand calls of
// one delay the only call of another by one call.
type Writer struct {
	db    *DB
	scope string
	key   turns.Key
}

// For returns the writer of a scope.
func (db *DB) For(scope string) Writer { return Writer{db, scope, turns.Member(scope, "")} }

// Update is [DB.Update], run when it is the scope's turn. If that does not come for minutes, fn is
// not run, and Update returns the refusal "busy" of package turns.
func (w Writer) Update(fn func(tx *Tx) error) error {
	g, err := w.call(fn)
	if g == nil {
		return err
	}
	<-g.done
	return cmp.Or(g.err, err)
}

// call runs fn and puts its writes into a group. It returns the last group that fn may have read
// from if there are no writes, or with an error of fn.
func (w Writer) call(fn func(tx *Tx) error) (*group, error) {
	db := w.db
	leave, err := db.writing.Enter(context.Background(), w.key)
	if err != nil {
		return nil, err
	}
	defer leave()
	db.turn.Lock()
	defer db.turn.Unlock()
	for len(db.pending) > groupQueue && !db.closing {
		db.work.Wait()
	}
	if db.closing {
		return nil, ErrClosed
	}
	if db.halfway {
		return nil, ErrInterrupted
	}
	if err := db.repair(); err != nil {
		return nil, err
	}
	tx := db.transaction(w.scope)
	defer tx.end()
	err = db.guard(tx, fn)
	switch {
	case err != nil:
		tx.own.drop()
		return db.last(), err
	case tx.err != nil: // fn must not hide that its writes are incomplete
		return nil, tx.err
	case !tx.own.fitsTable():
		return nil, ErrTooLarge
	case db.full != nil && len(tx.own.writes) > 0 && db.full(w.scope):
		tx.own.drop()
		return nil, fmt.Errorf("%w, as a test asked for", ErrDiskFull)
	}
	return db.enter(tx), nil
}

func (db *DB) transaction(scope string) *Tx {
	under := make([]*layer, 0, len(db.pending))
	for i := len(db.pending) - 1; i >= 0; i-- {
		under = append(under, db.pending[i].layer)
	}
	return &Tx{Now: db.moment(scope), scope: scope, db: db, base: db.base, under: under, own: callLayers.get(), ranks: db.ranks}
}

func (db *DB) guard(tx *Tx, fn func(tx *Tx) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
			db.log.Error("kv: panic in update", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	return fn(tx)
}

// enter assigns a call to a group. A call without writes still waits for any pending writes it
// may have read.
func (db *DB) enter(tx *Tx) *group {
	defer tx.own.drop()
	g := db.last()
	if len(tx.own.writes) == 0 && len(tx.hooks) == 0 {
		return g
	}
	if g == nil || !g.fits(tx.own) {
		g = &group{layer: groupLayers.get(), done: make(chan struct{})}
		db.pending = append(db.pending, g)
		db.work.Broadcast()
	}
	db.trails.add(tx.steps)
	g.layer.merge(tx.own)
	g.hooks = append(g.hooks, tx.hooks...)
	g.calls++
	g.ranks, db.ranks = tx.ranks, tx.ranks
	return g
}

// last returns the newest group that is not durable yet, or nil. db.turn is held.
func (db *DB) last() *group {
	if n := len(db.pending); n > 0 {
		return db.pending[n-1]
	}
	return nil
}

func (g *group) fits(l *layer) bool {
	return !g.taken && g.calls < groupCalls &&
		g.layer.size+l.size <= groupBytes && len(g.layer.writes)+len(l.writes) <= groupKeys
}

// commit writes group after group until the store closes and no group is left.
func (db *DB) commit() {
	for {
		db.turn.Lock()
		for len(db.pending) == 0 && !db.closing {
			db.work.Wait()
		}
		if len(db.pending) == 0 {
			db.turn.Unlock()
			return
		}
		g := db.pending[0]
		g.taken = true
		db.turn.Unlock()

		failed := db.settle(g, db.write(g))
		if len(failed) == 0 {
			db.announce(g)
			g.layer.drop()
		}
		for _, f := range failed {
			close(f.done)
		}
	}
}

// write makes a group durable, one version after the current one.
func (db *DB) write(g *group) error {
	if len(g.layer.writes) == 0 {
		return nil
	}
	ts := db.cur.ts + 1 // only the committer changes cur
	after, upkeep, err := db.deletions.after(db, g.layer, ts)
	if err != nil {
		return err
	}
	size := g.layer.size
	for key, value := range upkeep {
		size += len(key) + len(value) + entryOverhead
	}
	if err := db.badger.MakeRoom(len(g.layer.writes)+len(upkeep), size); err != nil {
		return err
	}
	txn := db.badger.NewTransactionAt(ts, true)
	for key, value := range g.layer.with(upkeep) {
		var err error
		if value == nil {
			err = txn.Delete(asBytes(key)) // Badger copies it
		} else {
			err = txn.SetEntry(entry(asBytes(key), value))
		}
		if err != nil {
			txn.Discard()
			return fmt.Errorf("kv: commit: %w", err)
		}
	}
	if err := txn.CommitAt(ts, nil); err != nil {
		return &writeError{fmt.Errorf("kv: commit: %w", badgerguard.DiskError(err))}
	}
	db.deletions = after
	return nil
}

// writeError marks a failure after which the state of Badger is unknown.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

// settle makes a written group the current state. If the write failed, all groups behind it
// fail as well, since they may have read from it.
func (db *DB) settle(g *group, err error) (failed []*group) {
	db.turn.Lock()
	defer db.turn.Unlock()
	defer db.work.Broadcast()
	if err == nil {
		db.publish(g)
		db.pending = db.pending[1:]
		return nil
	}
	failed, db.pending = db.pending, nil
	for _, f := range failed {
		f.err = err
	}
	db.ranks = db.cur.ranks
	if unknown := (*writeError)(nil); errors.As(err, &unknown) {
		db.fault = err
	}
	db.log.Error("kv: commit failed", "error", err)
	return failed
}

func (db *DB) publish(g *group) {
	if len(g.layer.writes) == 0 {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	old := db.cur
	s := &state{ts: old.ts + 1, ranks: g.ranks, prev: old}
	old.next, db.cur = s, s
	db.forget(old)
	db.badger.SetDiscardTs(db.oldest.ts)
	db.base = db.badger.NewTransactionAt(s.ts, false)
	db.counters.commits++
	db.counters.calls += uint64(g.calls)
}

// announce wakes the calls that wait for a group to become durable.
func (db *DB) announce(g *group) {
	for _, hook := range g.hooks {
		db.runHook(hook)
	}
	db.mu.Lock()
	close(db.changed)
	db.changed = make(chan struct{})
	db.mu.Unlock()
	close(g.done)
}

func (db *DB) runHook(hook func()) {
	defer func() {
		if v := recover(); v != nil {
			db.log.Error("kv: panic after commit", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	hook()
}

// repair reopens Badger after a write with unknown result, so that the state on disk is
// authoritative. db.turn is held.
func (db *DB) repair() error {
	if db.fault == nil {
		return nil
	}
	if db.inMemory {
		return db.fault
	}
	if err := db.badger.CheckSpace(); err != nil {
		return err
	}
	return db.alone(func() error {
		err := db.badger.Close()
		if errors.Is(err, badgerguard.ErrStillOpen) {
			return err
		}
		if err != nil {
			db.log.Error("kv: close before repair failed", "error", err)
		}
		err = db.start()
		if err == nil {
			db.fault = nil
		}
		db.closed = err != nil
		return err
	})
}
