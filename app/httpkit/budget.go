package httpkit

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/app/turns"
)

// patience is how long a request waits for room in the budget.
const patience = 2 * time.Second

// Parts of the budget: what one company may hold at most, all strangers together,
// and one of them.
const (
	companyPart   = 2
	strangersPart = 4
	strangerPart  = 16
)

// Budget bounds the memory that requests in flight hold. Those who wait for room
// get it in turn, and nobody gets more than a share.
type Budget struct{ queue *turns.Queue }

// NewBudget is a budget of so many bytes.
func NewBudget(size int64) *Budget {
	return &Budget{turns.New(turns.Options{Slots: size, Group: size / companyPart, Strangers: size / strangersPart,
		Stranger: size / strangerPart, Patience: patience})}
}

// CallerOf is the caller as the budget sees it: somebody with a link, or with
// nothing, counts by address, for neither has been let in yet.
func CallerOf(who account.Actor, address string) turns.Key {
	if who.CompanyID == "" || who.IsSignatory() {
		return turns.Stranger(address)
	}
	return who.Turn()
}

// Hold is what one request has of the budget. It is used by one goroutine.
type Hold struct {
	queue *turns.Queue
	key   turns.Key
	held  int64
}

// Open begins an empty hold.
func (b *Budget) Open(caller turns.Key) *Hold { return &Hold{queue: b.queue, key: caller} }

// Take adds n bytes to the hold. It waits for a moment for room; then the refusal
// says when to come again. A request that needs more than a whole share gets the
// share: it can run, alone.
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
