// Package search is a full-text index of flat documents over Bleve's scorch.
//
// A caller may rely on this: any text is a valid query; every word of it must begin some word
// of the document; totals are exact; the index stores its [Index.Place] in the caller's log in
// the same write as the documents, so both move together; and a missing or damaged folder is
// treated as an empty index with place 0, which the caller fills again. The index is never the
// only copy of anything, so writes are not synced individually: after a kill the place may have
// moved back, but is never ahead of the documents.
package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	// ErrClosed reports that the index was closed.
	ErrClosed = errors.New("search: index is closed")

	// ErrEmptied reports that the index was emptied, by Reset or because of damage, so the
	// batch does not continue it. Read Place again and continue from there.
	ErrEmptied = errors.New("search: index was emptied, read its place again")

	// ErrBehind reports that the index cannot be written to disk, and that too much waits in
	// memory to accept more. Try again later.
	ErrBehind = errors.New("search: index cannot be written to disk")

	// ErrPlace reports that a batch would move the place backwards.
	ErrPlace = errors.New("search: place would move backwards")

	// errDamaged reports that the files of the index are damaged.
	errDamaged = errors.New("search: index is damaged")
)

// Options configure an Index. The zero value describes an index that is removed when closed.
type Options struct {
	// Dir is the folder, created if needed. Empty means a temporary one,
	// removed by Close.
	Dir string

	// Unwritten is the number of bytes of text that may wait in memory to be written; 0 means
	// 32 MiB. Beyond it Apply waits, or returns ErrBehind while writes to disk fail.
	Unwritten int64

	// Log receives damage, rebuilds and failed writes. By default they are discarded.
	Log *slog.Logger
}

// Index is an open index. Its methods are safe for concurrent use.
type Index struct {
	dir       string // used by this index alone
	temporary string // removed by Close; empty for a permanent index
	unwritten int64
	log       *slog.Logger

	// mu is held for reading by everything that uses core, and for writing to replace it.
	mu     sync.RWMutex
	core   *core // nil when closed, or when emptying failed halfway
	closed bool

	applying sync.Mutex    // one batch at a time
	slots    chan struct{} // one token per running query

	place    atomic.Uint64
	emptied  atomic.Bool // batches are refused until Place has been read
	rebuilds atomic.Uint64
	waits    *waits
}

// Open opens the index, or creates an empty one if it is missing or damaged. It fails only if
// the folder cannot be used at all.
func Open(o Options) (*Index, error) {
	x := &Index{
		log:       o.Log,
		unwritten: o.Unwritten,
		slots:     make(chan struct{}, 2*runtime.GOMAXPROCS(0)),
		waits:     newWaits(),
	}
	if x.unwritten <= 0 {
		x.unwritten = maxUnwritten
	}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	if o.Dir == "" {
		temporary, err := os.MkdirTemp("", "search-*")
		if err != nil {
			return nil, fmt.Errorf("search: open: %w", err)
		}
		o.Dir, x.temporary = temporary, temporary
	}
	// Use a subfolder, so that nothing else is ever removed.
	x.dir = filepath.Join(o.Dir, "index")
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("search: open: %w", err)
	}
	if err := x.openOrEmpty(); err != nil {
		return nil, errors.Join(fmt.Errorf("search: open %s: %w", o.Dir, err), x.removeTemporary())
	}
	return x, nil
}

func (x *Index) openOrEmpty() error {
	core, place, err := openCore(x.dir, x.log)
	if errors.Is(err, errInUse) {
		return err
	}
	if err != nil {
		x.log.Warn("search: index is damaged, rebuilding", "dir", x.dir, "error", err)
		x.rebuilds.Add(1)
		if core, place, err = newCore(x.dir, x.log); err != nil {
			return err
		}
	}
	x.core = core
	x.place.Store(place)
	return nil
}

// Close stops running queries, writes out pending documents, and closes the files.
func (x *Index) Close() error {
	x.applying.Lock()
	defer x.applying.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	x.waits.close()
	var err error
	if x.core != nil {
		err = x.closeCore()
	}
	return errors.Join(err, x.removeTemporary())
}

// closeCore leaves a permanent index complete and sealed.
func (x *Index) closeCore() error {
	c := x.core
	x.core = nil
	if x.temporary != "" {
		return c.close()
	}
	c.flush()
	if err := c.close(); err != nil {
		return err
	}
	if c.health() != nil {
		return nil // already logged; the next Open detects it again
	}
	return sealBolt(c.dir)
}

func (x *Index) removeTemporary() error {
	if x.temporary == "" {
		return nil
	}
	return os.RemoveAll(x.temporary)
}

// Reset empties the index and sets its place to 0. Batches are refused with
// ErrEmptied until Place has been read.
func (x *Index) Reset() error {
	x.applying.Lock()
	defer x.applying.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.empty()
}

// rebuild empties the index because of damage in the given core, unless another caller has
// already done so.
func (x *Index) rebuild(damaged *core, cause error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.core != damaged {
		return nil
	}
	x.log.Error("search: index is damaged, rebuilding", "dir", x.dir, "error", cause)
	x.rebuilds.Add(1)
	return x.empty()
}

// empty replaces the core. x.mu is held for writing.
func (x *Index) empty() error {
	if x.closed {
		return ErrClosed
	}
	x.emptied.Store(true)
	if x.core != nil {
		if err := x.core.close(); err != nil {
			x.log.Warn("search: close before emptying failed", "dir", x.dir, "error", err)
		}
		x.core = nil
	}
	core, place, err := newCore(x.dir, x.log)
	if err != nil {
		return fmt.Errorf("search: empty: %w", err)
	}
	x.core = core
	x.place.Store(place)
	x.waits.moved()
	return nil
}

// use calls fn with the core. If the core turns out to be damaged, the index is emptied and fn
// is called again, so that a search still returns an answer.
func (x *Index) use(fn func(*core) error) error {
	for attempt := 0; ; attempt++ {
		used, err := x.try(fn)
		if !errors.Is(err, errDamaged) || attempt > 0 {
			return err
		}
		if err := x.rebuild(used, err); err != nil {
			return err
		}
	}
}

func (x *Index) try(fn func(*core) error) (*core, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	switch {
	case x.closed:
		return nil, ErrClosed
	case x.core == nil:
		return nil, fmt.Errorf("%w: index is not open", errDamaged)
	}
	if err := x.core.health(); err != nil {
		return x.core, err
	}
	return x.core, guard(func() error { return fn(x.core) })
}

// Stats are figures for metrics and status pages.
type Stats struct {
	Documents uint64 // in the index
	Place     uint64 // in the caller's log
	Segments  int    // parts that a query searches
	DiskBytes int64  // size of the files
	Unwritten int64  // bytes of text waiting in memory to be written
	Rebuilds  uint64 // number of times the index was found damaged since Open
}

// Stats returns the current figures.
func (x *Index) Stats() (Stats, error) {
	s := Stats{Place: x.place.Load(), Rebuilds: x.rebuilds.Load()}
	err := x.use(func(c *core) error { return c.stats(&s) })
	return s, err
}

// acquire takes a query slot, or fails when ctx ends.
func (x *Index) acquire(ctx context.Context) error {
	select {
	case x.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (x *Index) release() { <-x.slots }
