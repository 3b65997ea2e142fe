package search

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	index "github.com/blevesearch/bleve_index_api"
)

// Document is one indexed item.
type Document struct {
	// ID identifies the document in results. Results are sorted by it unless the query says
	// otherwise, so it should be a ULID: the newest sorts last.
	ID string

	// Scope and Kind separate documents:
	Scope, Kind string

	// Title, Texts and Body are searched alike. The first MiB of all three together is indexed.
	Title string
	Texts []string
	Body  string

	// Filters are exact terms for Query.Filters, such as "status:5".
	Filters []string

	// Sort holds the values for Query.Sort, compared byte by byte; only the first 256 bytes
	// count.
	Sort map[string]string
}

// Batch is an atomic change of the index.
type Batch struct {
	Put    []Document // replaces a document with the same ID; the last of several in a batch counts
	Delete []string   // IDs to delete; those also in Put stay
	Place  uint64     // place of the index afterwards; 0 leaves it unchanged
}

// maxUnwritten is the default of Options.Unwritten.
const maxUnwritten = 32 << 20

// Apply changes the index. When it returns, searches see the change; a little later it is on
// disk, together with its place. After an error nothing has changed, and Place says where to
// continue.
func (x *Index) Apply(b Batch) error {
	x.applying.Lock()
	defer x.applying.Unlock()
	if x.emptied.Load() {
		return ErrEmptied
	}
	if b.Place != 0 && b.Place < x.place.Load() {
		return fmt.Errorf("%w: %d before %d", ErrPlace, b.Place, x.place.Load())
	}
	batch, size, err := newBatch(b)
	if err != nil {
		return err
	}
	used, err := x.try(func(c *core) error { return c.apply(batch, size, x.unwritten) })
	if errors.Is(err, errDamaged) {
		return errors.Join(ErrEmptied, x.rebuild(used, err))
	}
	if err != nil {
		return err
	}
	if b.Place != 0 {
		x.place.Store(b.Place)
		x.waits.moved()
	}
	return nil
}

func newBatch(b Batch) (*index.Batch, int64, error) {
	batch := index.NewBatch()
	for _, id := range b.Delete {
		if id == "" {
			return nil, 0, errors.New("search: deletion without an ID")
		}
		batch.Delete(id)
	}
	records := make([]*record, len(b.Put))
	for i := range b.Put {
		if b.Put[i].ID == "" {
			return nil, 0, errors.New("search: document without an ID")
		}
	}
	analyse(b.Put, records)
	size := int64(batchOverhead)
	for _, r := range records {
		batch.Update(r)
		size += int64(r.Size())
	}
	if b.Place != 0 {
		batch.SetInternal([]byte(placeKey), encodePlace(b.Place))
	}
	return batch, size, nil
}

// batchOverhead is counted for each batch in addition to its documents.
const batchOverhead = 1 << 10

// analyse creates the records, on all processors when there are many.
func analyse(docs []Document, records []*record) {
	workers := min(runtime.GOMAXPROCS(0), (len(docs)+7)/8)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(docs); i += workers {
				records[i] = newRecord(docs[i])
			}
		})
	}
	wg.Wait()
}

func (c *core) apply(batch *index.Batch, size, unwritten int64) error {
	if err := c.awaitBacklog(unwritten); err != nil {
		return err
	}
	c.backlog.add(size)
	batch.SetPersistedCallback(func(error) { c.onPersisted(size) })
	done := make(chan error, 1)
	go func() { done <- guard(func() error { return c.scorch.Batch(batch) }) }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		return nil
	case <-c.stopped: // nothing is left to take the batch
		return c.health()
	}
}

// awaitBacklog waits until there is room in memory. While writes to disk fail it returns
// ErrBehind instead.
func (c *core) awaitBacklog(most int64) error {
	for c.backlog.size() > most {
		if why := c.failing.Load(); why != nil {
			return fmt.Errorf("%w: %s", ErrBehind, *why)
		}
		if err := c.health(); err != nil {
			return err
		}
		select {
		case <-c.backlog.changed():
		case <-time.After(napMillis * time.Millisecond): // check failing again
		}
	}
	return nil
}

// backlog counts the bytes waiting to be written.
type backlog struct {
	mu   sync.Mutex
	n    int64
	wake chan struct{} // closed when n changes
}

func newBacklog() *backlog { return &backlog{wake: make(chan struct{})} }

func (b *backlog) add(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n += n
	close(b.wake)
	b.wake = make(chan struct{})
}

func (b *backlog) size() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

func (b *backlog) changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wake
}
