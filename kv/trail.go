package kv

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

// trails remember, in a store in memory, what the records of each scope were before it changed
// them, so that one scope can go back while the others go on.
type trails struct {
	mu sync.Mutex
	of map[string]*trail
}

// trail holds the changes of a scope in order: between two marks one for each record.
type trail struct {
	steps []step
	since map[string]bool // records changed after the last mark
}

// step is the first change of a record after a mark.
type step struct {
	in, id string
	remove func(tx *Tx) error // what is there now
	put    func(tx *Tx) error // what was there before; nil if there was nothing
}

func (s step) name() string { return s.in + "\x00" + s.id }

// scopedStep is a step of a transaction, whose scope may change in its course.
type scopedStep struct {
	scope string
	step
}

// tracks reports whether the changes of a scope are remembered in this transaction.
func (tx *Tx) tracks(scope string) bool { return tx.db.trails != nil && scope != "" && !tx.goingBack }

// track remembers a change, if the transaction is committed.
func (tx *Tx) track(scope string, s step) { tx.steps = append(tx.steps, scopedStep{scope, s}) }

// track remembers what a record was before it is changed to now, or with nil removed.
func (c *Collection[T]) track(tx *Tx, id string, was stored, now *T) error {
	if tx.db.trails == nil {
		return nil
	}
	scope := tx.scope
	if c.scope != nil {
		if now == nil {
			old, err := c.decode(id, was.raw)
			if err != nil {
				return err
			}
			now = &old
		}
		scope = c.scope(*now)
	}
	if !tx.tracks(scope) {
		return nil
	}
	s := step{in: c.name, id: id, remove: func(tx *Tx) error { return c.Delete(tx, id) }}
	if was.found {
		s.put = func(tx *Tx) error {
			old, err := c.decode(id, was.raw)
			if err != nil {
				return err
			}
			return c.Put(tx, id, old)
		}
	}
	tx.track(scope, s)
	return nil
}

// undoable returns the function that remembers how to take an entry, not written yet, off the lists of its
// scope and its chain. The log itself keeps it, because later entries of others are chained to it.
func (l *Log[T]) undoable(tx *Tx, id, scope, chain string) (func(Entry[T]), error) {
	if !tx.tracks(scope) {
		return func(Entry[T]) {}, nil
	}
	size, err := l.trees.Size(tx, scope)
	if err != nil {
		return nil, err
	}
	before, err := readHead(tx, l.chainHead(chain))
	if err != nil {
		return nil, err
	}
	return func(e Entry[T]) {
		tx.track(scope, step{in: l.name, id: id, remove: func(tx *Tx) error { return l.takeOff(tx, e, size, before) }})
	}, nil
}

// takeOff takes the last entry of a scope off its lists: size is that of its tree before, and before the head of
// its chain.
func (l *Log[T]) takeOff(tx *Tx, e Entry[T], size int64, before head) error {
	seq, scope := number(e.Seq), K(e.Scope)
	err := errors.Join(tx.del(append(join(l.ids), e.ID...)), tx.del(l.trees.leaf(e.Scope, size)),
		tx.set(append(join(l.trees.sizes), e.Scope...), number(uint64(size))),
		tx.del(join(l.scopes.entries, scope, seq)), tx.removed(l.scopes, join(scope, seq), scope))
	if e.Chain == "" {
		return err
	}
	err = errors.Join(err, tx.del(join(l.chains, K(e.Chain), seq)))
	if before.n == 0 {
		return errors.Join(err, tx.del(l.chainHead(e.Chain)))
	}
	return errors.Join(err, tx.set(l.chainHead(e.Chain), before.encode()))
}

// add adds the steps of a transaction.
func (t *trails) add(steps []scopedStep) {
	if t == nil || len(steps) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range steps {
		at := t.of[s.scope]
		if at == nil {
			at = &trail{since: map[string]bool{}}
			t.of[s.scope] = at
		}
		if name := s.name(); !at.since[name] {
			at.since[name] = true
			at.steps = append(at.steps, s.step)
		}
	}
}

func (t *trails) copied() map[string]*trail {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return copyOf(t.of)
}

func copyOf(all map[string]*trail) map[string]*trail {
	out := map[string]*trail{}
	for scope, at := range all {
		out[scope] = &trail{slices.Clone(at.steps), maps.Clone(at.since)}
	}
	return out
}

func (t *trails) replace(all map[string]*trail) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of = copyOf(all)
}

// Mark is a place to which a scope can go back. Later marks of the scope are greater, or equal if nothing
// changed in between.
type Mark int

// Mark marks the present state of a scope. Nothing may be writing in it.
func (db *DB) Mark(scope string) (Mark, error) {
	if db.trails == nil {
		return 0, errOnDisk
	}
	db.trails.mu.Lock()
	defer db.trails.mu.Unlock()
	at := db.trails.of[scope]
	if at == nil {
		return 0, nil
	}
	at.since = map[string]bool{}
	return Mark(len(at.steps)), nil
}

// undoBatch is how many records go back in one transaction.
const undoBatch = 200

// RewindScope makes a scope hold what it held at a mark, and ends its later marks. Records that other scopes
// wrote stay as they are. Nothing may be writing in it meanwhile. back is called in the transaction in which
// records have gone back.
func (db *DB) RewindScope(scope string, to Mark, back func(tx *Tx, collection, id string) error) error {
	if db.trails == nil {
		return errOnDisk
	}
	steps := db.trails.after(scope, to)
	undo := func(fn func(tx *Tx, s step) error) error {
		for part := range slices.Chunk(steps, undoBatch) {
			err := db.For(scope).Update(func(tx *Tx) error {
				tx.goingBack = true
				for _, s := range part {
					if err := fn(tx, s); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	// Everything goes before anything comes back, so that no unique key is taken.
	err := undo(func(tx *Tx, s step) error { return s.remove(tx) })
	if err != nil {
		return err
	}
	err = undo(func(tx *Tx, s step) error {
		if s.put != nil {
			if err := s.put(tx); err != nil {
				return err
			}
		}
		return back(tx, s.in, s.id)
	})
	if err != nil {
		return err
	}
	db.trails.cut(scope, to)
	return nil
}

// after returns the first change of every record after a mark, the latest first.
func (t *trails) after(scope string, to Mark) []step {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.of[scope]
	if at == nil || int(to) >= len(at.steps) {
		return nil
	}
	seen := map[string]bool{}
	var first []step
	for _, s := range at.steps[to:] {
		if name := s.name(); !seen[name] {
			seen[name] = true
			first = append(first, s)
		}
	}
	slices.Reverse(first)
	return first
}

func (t *trails) cut(scope string, to Mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.of[scope]; at != nil {
		at.steps, at.since = at.steps[:min(int(to), len(at.steps))], map[string]bool{}
	}
}
