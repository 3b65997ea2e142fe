package httpkit

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/app/turns"
)

// patience is how long a request waits for memory.
const patience = 2 * time.Second

// Divisors of the budget: the maximum shares of one company, of all unauthenticated
// callers together, and of one of these.
const (
	companyPart   = 2
	strangersPart = 4
	strangerPart  = 16
)

// Budget bounds the memory held by requests in flight. Requests wait for memory in
// turn, and no caller gets more than their share.
type Budget struct{ queue *turns.Queue }

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget {
	return &Budget{turns.New(turns.Options{Slots: size, Group: size / companyPart, Strangers: size / strangersPart,
		Stranger: size / strangerPart, Patience: patience})}
}

// CallerOf returns the caller's key in the budget. Callers without credentials and
// holders of a link count by address, because they aren't authenticated yet.
func CallerOf(who account.Actor, address string) turns.Key {
	if who.CompanyID == "" || who.IsSignatory() {
		return turns.Stranger(address)
	}
	return who.Turn()
}

// Hold is the part of the budget that one request holds. It is used by one goroutine.
type Hold struct {
	queue *turns.Queue
	key   turns.Key
	held  int64
}

// Open returns an empty hold.
func (b *Budget) Open(caller turns.Key) *Hold { return &Hold{queue: b.queue, key: caller} }

// Take adds n bytes to the hold. It waits briefly for memory, and then returns an
// error that says when to retry. A request that needs more than the caller's share
// gets the whole share, so that it can run, but alone.
func (h *Hold) Take(ctx context.Context, n int64) error {
	n = min(n, h.queue.Most(h.key)-h.held)
	if n <= 0 {
		return nil
	}
	if err := h.queue.Take(ctx, h.key, n); err != nil {
		return err
	}
	h.held += n
	return nil
}

// Close releases the hold.
func (h *Hold) Close() {
	if h.held > 0 {
		h.queue.Release(h.key, h.held)
		h.held = 0
	}
}
