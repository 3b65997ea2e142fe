package app

import (
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/signing/store"
	"paraph/kv"
)

// Clock provides the time for the whole appliance. In a test double it can be frozen and moved,
// for all companies or for one; otherwise it follows the machine's.
type Clock struct {
	mu        sync.Mutex
	offset    time.Duration
	frozen    *time.Time
	companies map[string]*Clock // those moved by themselves
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

// Of returns the clock of a company: this one, until a company's own was made.
func (c *Clock) Of(company string) *Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own := c.companies[company]; own != nil {
		return own
	}
	return c
}

// Own returns the clock of a company, which from now on moves by itself. An empty company has
// this one.
func (c *Clock) Own(company string) *Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	if company == "" {
		return c
	}
	own := c.companies[company]
	if own == nil {
		own = &Clock{offset: c.offset, frozen: c.frozen}
		if c.companies == nil {
			c.companies = map[string]*Clock{}
		}
		c.companies[company] = own
	}
	return own
}

// Rejoin makes a company have no clock of its own. For an empty one it is Reset.
func (c *Clock) Rejoin(company string) {
	if company == "" {
		c.Reset()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.companies, company)
}

// NowIn returns the time of a company.
func (c *Clock) NowIn(company string) time.Time { return c.Of(company).Now() }

// Latest returns the time of the clock that is furthest ahead.
func (c *Clock) Latest() time.Time {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.companies))
	c.mu.Unlock()
	latest := c.Now()
	for _, own := range all {
		if now := own.Now(); now.After(latest) {
			latest = now
		}
	}
	return latest
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

// Reset returns the clock to the machine's time, and those of all companies to this one.
func (c *Clock) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frozen, c.offset, c.companies = nil, 0, nil
}

// Keep returns a function that sets the clock of a company, or with "" all of them, as they are now.
func (c *Clock) Keep(company string) (restore func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if company == "" {
		offset, frozen, companies := c.offset, c.frozen, copies(c.companies)
		return func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.offset, c.frozen, c.companies = offset, frozen, copies(companies)
		}
	}
	own := c.companies[company]
	if own == nil {
		return func() { c.Rejoin(company) }
	}
	kept := copies(map[string]*Clock{company: own})
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.companies == nil {
			c.companies = map[string]*Clock{}
		}
		maps.Copy(c.companies, copies(kept))
	}
}

func copies(companies map[string]*Clock) map[string]*Clock {
	out := map[string]*Clock{}
	for company, own := range companies {
		own.mu.Lock()
		out[company] = &Clock{offset: own.offset, frozen: own.frozen}
		own.mu.Unlock()
	}
	return out
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
