package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Changed returns a channel that is closed at the next commit, and when the store is closed,
// restored or reset. Get it before reading, so that no commit is missed.
func (db *DB) Changed() <-chan struct{} {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.changed
}

// Wake makes followers look again, after something outside the store has changed.
func (db *DB) Wake() {
	db.mu.Lock()
	defer db.mu.Unlock()
	close(db.changed)
	db.changed = make(chan struct{})
}

// Follow calls fn until ctx ends: again immediately when fn reports that there is more,
// otherwise after the next commit. An error or a panic of fn is logged under name, and fn is
// called again after a pause that grows to ten seconds. Follow returns nil when ctx ends,
// [ErrClosed] when the store closes.
//
// To work through a log, use a [Follower] or a [Mirror].
func (db *DB) Follow(ctx context.Context, name string, fn func(ctx context.Context) (more bool, err error)) error {
	return db.follow(ctx, name, func(context.Context) {}, fn)
}

// follow is Follow with a function called after each commit that wakes it.
func (db *DB) follow(ctx context.Context, name string, woken func(context.Context),
	fn func(ctx context.Context) (more bool, err error)) error {
	retry := backoff{}
	for ctx.Err() == nil {
		changed := db.Changed()
		more, err := guarded(func() (bool, error) { return fn(ctx) })
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrClosed):
			return err
		case err != nil:
			pause := retry.next()
			db.log.Error("kv: follower failed, retrying", "follower", name, "error", err, "pause", pause)
			wait(ctx, pause)
		case more:
			retry = backoff{}
		default:
			retry = backoff{}
			select {
			case <-changed:
				woken(ctx)
			case <-ctx.Done():
			}
		}
	}
	return nil
}

// backoff returns the pauses between retries of a failing step, doubling from a tenth of a
// second to ten seconds.
type backoff struct{ last time.Duration }

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, 100*time.Millisecond), 10*time.Second)
	return b.last
}

// guarded turns a panic of fn into an error.
func guarded[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

const (
	// followBatch is the number of entries a follower reads at a time.
	followBatch = 64
	// followBytes is roughly how much the entries of one transaction may write.
	followBytes = 256 << 10
	// followTime is roughly how long one transaction of a lane may take, since other writers wait
	// for it. A batch of several scopes has no such limit, which would change whose turn is next.
	followTime = 5 * time.Millisecond
	// followStride is the number of skipped entries after which the place is stored anyway:
	// rereading them after a restart is cheaper than a commit for each.
	followStride = 1000
	// followTries is the number of attempts before an entry is skipped; together they take
	// about 15 seconds.
	followTries = 8
)

// walk is shared by everything that works through a log.
type walk[T any] struct {
	db   *DB
	log  *Log[T]
	name string

	mu    sync.Mutex // one step at a time
	epoch int64      // of the content that the failures refer to
	failures
}

// failures remembers which entries failed.
type failures struct {
	alone uint64 // entries up to this one are processed separately, since one of them fails
	tries int    // failures of the next entry
}

// part is a batch of the next entries of a log.
type part[T any] struct {
	from    uint64 // number of the entry before the part
	last    uint64 // number of its last entry; from if it is empty
	head    uint64 // number of the last entry of the log
	entries []Entry[T]
}

// entryError is a failure to process the entries of a part, as opposed to a failure of the
// store.
type entryError struct {
	error
	last uint64 // of the part
}

func (e *entryError) Unwrap() error { return e.error }

// replaced reports whether the store was restored or reset since the last call.
func (w *walk[T]) replaced() bool {
	epoch := w.db.epoch.Load()
	if epoch == w.epoch {
		return false
	}
	w.epoch, w.failures = epoch, failures{}
	return true
}

// next reads the entries after a number.
func (w *walk[T]) next(tx *Tx, from uint64, limit int) (part[T], error) {
	p := part[T]{from: from, last: from}
	var err error
	if p.head, _, err = w.log.Head(tx); err != nil || p.head <= from {
		return p, err
	}
	if from < w.alone {
		limit = 1
	}
	p.last = min(from+uint64(limit), p.head)
	if p.entries, err = w.log.Next(tx, from, int(p.last-from)); err != nil {
		return p, &entryError{err, p.last}
	}
	return p, nil
}

// failed handles the failure of a step: the entries are processed separately to find the one at
// fault, and that one is skipped after several attempts. Failures of the store itself don't
// count against an entry.
func (w *walk[T]) failed(from uint64, err error, skip func(seq uint64) error) (more bool, _ error) {
	return w.handle(err, from+1, func(seq uint64) error {
		w.db.log.Error("kv: follower skips a failing entry", "follower", w.name, "entry", seq, "error", err)
		return skip(seq)
	})
}

// handle is failed for the entries from first on.
func (w *failures) handle(err error, first uint64, skip func(seq uint64) error) (more bool, _ error) {
	at, ok := errors.AsType[*entryError](err)
	if !ok || errors.Is(err, ErrClosed) || errors.Is(err, ErrDiskFull) {
		return false, err
	}
	if at.last > first {
		w.alone = at.last
		return true, nil
	}
	if w.tries++; w.tries < followTries {
		return false, err
	}
	if err := skip(first); err != nil {
		return false, err
	}
	w.tries = 0
	return true, nil
}

// FollowerOptions configure a [Follower].
type FollowerOptions[T any] struct {
	DB   *DB
	Log  *Log[T]
	Name string // key of the stored place

	// Idle reports that no entry matters at present, so that the follower moves to the end of
	// the log without reading. Nil: never.
	Idle func(tx *Tx) (bool, error)

	// Match reports whether to call Do for an entry. Other entries cost no commit. Nil: all.
	// Adopted entries are always left out: the followers of their original log have processed
	// them.
	Match func(tx *Tx, e Entry[T]) (bool, error)

	// InTurn makes scopes take turns: a scope with many entries in a row is set aside after a
	// few, and goes on behind the others. Entries of one scope stay in order.
	InTurn bool

	// Do processes an entry, in the transaction that moves the place past it. If that is too
	// much for one transaction it does a part: it starts at from, 0 at first, and returns where
	// to continue, 0 when done.
	Do func(tx *Tx, e Entry[T], from int) (next int, err error)
}

// Follower works through a log, entry by entry. Its place is stored in the same transaction as
// the result, so it neither omits nor repeats anything, wherever it is stopped.
//
// A step that fails or panics is retried after a growing pause. An entry that keeps failing is
// logged and skipped, so that it does not hold up those behind it; a full disk doesn't count
// against an entry.
type Follower[T any] struct {
	walk[T]
	o     FollowerOptions[T]
	seen  uint64 // entries up to here are processed or set aside, though the stored place may be earlier
	lanes *lanes // scopes that are set aside; nil until they are read
}

// NewFollower makes a follower. It does nothing until Run or CaughtUp is called.
func NewFollower[T any](o FollowerOptions[T]) *Follower[T] {
	if o.Idle == nil {
		o.Idle = func(*Tx) (bool, error) { return false, nil }
	}
	if o.Match == nil {
		o.Match = func(*Tx, Entry[T]) (bool, error) { return true, nil }
	}
	return &Follower[T]{walk: walk[T]{db: o.DB, log: o.Log, name: o.Name}, o: o}
}

// Run follows the log until ctx ends; see [DB.Follow] for what it returns.
func (f *Follower[T]) Run(ctx context.Context) error {
	return f.db.Follow(ctx, f.name, func(context.Context) (bool, error) { return f.step() })
}

// CaughtUp processes all entries so far, without waiting for Run.
func (f *Follower[T]) CaughtUp(ctx context.Context) error {
	for more := true; more; {
		var err error
		if more, err = f.step(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// position is a follower's place in the log.
type position struct {
	seq  uint64 // of the last processed entry
	part int    // where to continue in the next one
}

func (f *Follower[T]) step() (more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.replaced() {
		f.seen, f.lanes = 0, nil
	}
	var at position
	var p part[T]
	err = f.db.View(func(tx *Tx) error {
		if f.lanes == nil {
			if f.lanes, err = readLanes(tx, f.name); err != nil {
				return err
			}
		}
		if f.lanes.due() {
			return nil
		}
		if at, err = getPlace(tx, f.name); err != nil {
			return err
		}
		p, err = f.look(tx, max(at.seq, f.seen))
		return err
	})
	if err == nil && f.lanes.due() {
		return f.serve()
	}
	f.seen = max(f.seen, at.seq)
	if err == nil && p.last > p.from {
		err = f.deal(p, at)
	}
	if err != nil {
		return f.failed(p.from, err, f.move)
	}
	f.tries = 0
	return f.lanes.passed(f.seen >= p.head) || f.seen < p.head, nil
}

// look reads the next entries that pass Match.
func (f *Follower[T]) look(tx *Tx, from uint64) (part[T], error) {
	idle, err := f.o.Idle(tx)
	if err != nil {
		return part[T]{from: from, last: from}, err
	}
	if idle {
		head, _, err := f.log.Head(tx)
		return part[T]{from: from, last: max(from, head), head: head}, err
	}
	p, err := f.next(tx, from, followBatch)
	if err != nil {
		return p, err
	}
	wanted := p.entries[:0]
	for _, e := range p.entries {
		if e.Adopted() || f.lanes.have(e.Scope) {
			continue
		}
		ok, err := guarded(func() (bool, error) { return f.o.Match(tx, e) })
		if err != nil {
			return p, &entryError{err, p.last}
		}
		if ok {
			wanted = append(wanted, e)
		}
	}
	p.entries = wanted
	return p, nil
}

// deal processes the entries of a part and moves the place.
func (f *Follower[T]) deal(p part[T], at position) error {
	if len(p.entries) == 0 {
		if p.last-at.seq < followStride {
			f.seen = p.last
			return nil
		}
		return f.move(p.last)
	}
	var to position
	var aside map[string]uint64
	if f.o.InTurn {
		p.entries, aside = setAside(p.entries)
	}
	err := f.db.Update(func(tx *Tx) (err error) {
		if to, err = f.doAll(tx, p.entries, p.last, at, 0); err != nil {
			return &entryError{err, p.last}
		}
		return errors.Join(f.lanes.open(tx, aside, to.seq), setPlace(tx, f.name, to))
	})
	if errors.Is(err, ErrTooLarge) {
		return &entryError{err, p.last}
	}
	if err == nil {
		f.seen = to.seq
		f.lanes.opened(aside, to.seq)
	}
	return err
}

// doAll calls Do until the entries up to last are done, the transaction is full, or, unless it is
// 0, the time is up.
func (f *Follower[T]) doAll(tx *Tx, entries []Entry[T], last uint64, at position, limit time.Duration) (
	to position, err error) {
	began := time.Now()
	for i, e := range entries {
		if tx.own.size > followBytes || i > 0 && limit > 0 && time.Since(began) > limit {
			return position{seq: e.Seq - 1}, nil
		}
		from := 0
		if e.Seq == at.seq+1 {
			from = at.part
		}
		tx.enter(e.Scope)
		next, err := guarded(func() (int, error) { return f.o.Do(tx, e, from) })
		if err != nil {
			return to, err
		}
		if next > 0 {
			return position{e.Seq - 1, next}, nil
		}
	}
	return position{seq: last}, nil
}

// move stores a place without a result.
func (f *Follower[T]) move(seq uint64) error {
	err := f.db.Update(func(tx *Tx) error { return setPlace(tx, f.name, position{seq: seq}) })
	if err == nil {
		f.seen = seq
	}
	return err
}

func getPlace(tx *Tx, follower string) (position, error) {
	b, err := tx.get(space(spacePlace, follower))
	if errors.Is(err, ErrNotFound) {
		return position{}, nil
	}
	if err != nil {
		return position{}, err
	}
	switch len(b) {
	case 8:
		return position{seq: binary.BigEndian.Uint64(b)}, nil
	case 16:
		return position{binary.BigEndian.Uint64(b), int(binary.BigEndian.Uint64(b[8:]))}, nil
	}
	return position{}, fmt.Errorf("%w: place of %s is %x", ErrCorrupt, follower, b)
}

func setPlace(tx *Tx, follower string, p position) error {
	b := number(p.seq)
	if p.part > 0 {
		b = append(b, number(uint64(p.part))...)
	}
	return tx.set(space(spacePlace, follower), b)
}
