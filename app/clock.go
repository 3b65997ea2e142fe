package app

import (
	"crypto/rand"
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Clock tells the time of the whole appliance. In a test double it can be
// frozen and moved; otherwise it is the machine's.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
	frozen *time.Time
}

// NewClock is the machine's clock.
func NewClock() *Clock { return &Clock{} }

// Now is the time, UTC with milliseconds.
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

// Set makes the clock show a time and go on from there.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen = nil
	c.offset = time.Until(at)
}

// Reset makes it the machine's clock again.
func (c *Clock) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.offset = nil, 0
}

// IsFrozen says whether the clock stands still.
func (c *Clock) IsFrozen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frozen != nil
}

// ids makes identifiers that grow within the process, even when the clock is
// set back.
type ids struct {
	mu      sync.Mutex
	now     func() time.Time
	entropy *ulid.MonotonicEntropy
	last    uint64
}

func newIDs(now func() time.Time) *ids {
	return &ids{now: now, entropy: ulid.Monotonic(rand.Reader, 0)}
}

// New returns the next identifier.
func (g *ids) New() ulid.ULID {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = max(g.last, ulid.Timestamp(g.now()))
	id, err := ulid.New(g.last, g.entropy)
	if err != nil {
		// The random part of this millisecond is used up, after some 2^79
		// identifiers: the next one has room.
		g.last++
		id = ulid.MustNew(g.last, io.Reader(g.entropy))
	}
	return id
}
