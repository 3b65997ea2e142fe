package app

import (
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/signing/store"
	"paraph/kv"
)

// Clock provides the time for the whole appliance. In a test double it can be frozen and moved;
// otherwise it follows the machine's.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
	frozen *time.Time
}

// NewClock returns a clock that follows the machine's time.
func NewClock() *Clock { return &Clock{} }

// Now returns the time, UTC with milliseconds.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen != nil {
		return *c.frozen
	}
	return time.Now().Add(c.offset).UTC().Truncate(time.Millisecond)
}

// Freeze stops the clock at a time.
func (c *Clock) Freeze(at time.Time) {
	at = at.UTC().Truncate(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = &at
}

// Advance moves the clock, frozen or not.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen != nil {
		at := c.frozen.Add(d)
		c.frozen = &at
		return
	}
	c.offset += d
}

// Set moves the clock to a time, from which it keeps running.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = nil
	c.offset = time.Until(at)
}

// Reset returns the clock to the machine's time.
func (c *Clock) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.offset = nil, 0
}

// IsFrozen reports whether the clock is frozen.
func (c *Clock) IsFrozen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frozen != nil
}

// ids generates identifiers that grow, even when the clock is set back.
type ids struct {
	mu      sync.Mutex
	now     func() time.Time
	entropy *ulid.MonotonicEntropy
	last    uint64
}

func newIDs(now func() time.Time) *ids {
	return &ids{now: now, entropy: ulid.Monotonic(rand.Reader, 0)}
}

// follow makes all further identifiers greater than one that an earlier process generated.
func (g *ids) follow(id string) error {
	before, err := ulid.ParseStrict(id)
	if err != nil {
		return fmt.Errorf("identifier %q: %w", id, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, before.Time()+1)
	return nil
}

// New returns the next identifier.
func (g *ids) New() ulid.ULID {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, ulid.Timestamp(g.now()))
	id, err := ulid.New(g.last, g.entropy)
	if err != nil {
		// The random part of this millisecond is exhausted, after some 2^79 identifiers: use
		// the next millisecond.
		g.last++
		id = ulid.MustNew(g.last, io.Reader(g.entropy))
	}
	return id
}

// continuedIDs returns the source of identifiers. They continue those of the journal, in case
// the clock was set back while the server was stopped.
func continuedIDs(db *kv.DB, now func() time.Time) (*ids, error) {
	g := newIDs(now)
	return g, db.View(func(tx *kv.Tx) error {
		seq, _, err := store.Events.Head(tx)
		if err != nil || seq == 0 {
			return err
		}
		entries, err := store.Events.Next(tx, seq-1, 1)
		if err != nil || len(entries) == 0 {
			return err
		}
		return g.follow(entries[0].ID)
	})
}
