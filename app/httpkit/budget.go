package httpkit

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/app/turns"
)

// patience is how long a request waits for room in the budget.
const patience = 2 * time.Second

// The fractions of the budget that one company may hold at most, all strangers
// together, and a single stranger.
const (
	companyPart   = 2
	strangersPart = 4
	strangerPart  = 16
)

// Budget bounds the memory that requests in flight hold. Requests wait for room
// in turn, and nobody gets more than their share.
type Budget struct{ queue *turns.Queue }

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget {
	return &Budget{turns.New(turns.Options{Slots: size, Group: size / companyPart, Strangers: size / strangersPart,
		Stranger: size / strangerPart, Patience: patience})}
}

// CallerOf returns the caller's key in the budget: the holder of a link, and a
// caller without credentials, count by address, because neither has been
// authenticated yet.
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

// Open begins an empty hold.
func (b *Budget) Open(caller turns.Key) *Hold { return &Hold{queue: b.queue, key: caller} }

// Take adds n bytes to the hold. It waits briefly for room; after that the error
// says when to retry. A request that needs more than a whole share gets the
// share, so that it can run, alone.
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

// Close returns everything.
func (h *Hold) Close() {
	if h.held > 0 {
		h.queue.Release(h.key, h.held)
		h.held = 0
	}
}
