package kv

import "context"

// MirrorOptions configure a [Mirror].
type MirrorOptions[T any] struct {
	DB   *DB
	Log  *Log[T]
	Name string // used in messages
	// Batch is the number of entries to read at a time.
	Batch int
	// Place returns the number of the last processed entry, 0 at first.
	Place func() uint64
	// Read converts entries for the external copy, and returns a function that saves the result
	// together with the new place. Without entries it saves only the place.
	Read func(tx *Tx, entries []Entry[T], place uint64) (keep func() error, err error)
	// Linger, if not nil, is called after a commit: it may wait a moment for more commits, so
	// that their entries are processed together.
	Linger func(ctx context.Context)
}

// Mirror keeps something outside the store, such as a search index, in step with a log. The
// copy stores its own place together with its content, so nothing is omitted. Failures are
// treated as by a [Follower]; only those of Read count against an entry.
type Mirror[T any] struct {
	walk[T]
	o MirrorOptions[T]
}

// NewMirror makes a mirror. It does nothing until Run is called.
func NewMirror[T any](o MirrorOptions[T]) *Mirror[T] {
	if o.Linger == nil {
		o.Linger = func(context.Context) {}
	}
	return &Mirror[T]{walk: walk[T]{db: o.DB, log: o.Log, name: o.Name}, o: o}
}

// Run follows the log until ctx ends; see [DB.Follow] for what it returns.
func (m *Mirror[T]) Run(ctx context.Context) error {
	return m.db.follow(ctx, m.name, m.o.Linger, func(context.Context) (bool, error) { return m.step() })
}

func (m *Mirror[T]) step() (more bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replaced()
	var p part[T]
	var keep func() error
	err = m.db.View(func(tx *Tx) error {
		if p, err = m.next(tx, m.o.Place(), m.o.Batch); err != nil || p.last == p.from {
			return err
		}
		keep, err = guarded(func() (func() error, error) { return m.o.Read(tx, p.entries, p.last) })
		if err != nil {
			return &entryError{err, p.last}
		}
		return nil
	})
	if err == nil && keep != nil {
		err = keep()
	}
	if err != nil {
		return m.failed(p.from, err, m.skip)
	}
	m.tries = 0
	return p.last < p.head, nil
}

// skip saves a place without entries.
func (m *Mirror[T]) skip(seq uint64) error {
	var keep func() error
	err := m.db.View(func(tx *Tx) (err error) {
		keep, err = m.o.Read(tx, nil, seq)
		return err
	})
	if err != nil {
		return err
	}
	return keep()
}
