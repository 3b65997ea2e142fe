package httpkit

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"paraph/app/account"
	"paraph/app/fault"
)

// patience is how long a request waits for room in the budget.
const patience = 2 * time.Second

// Parts of the budget: what one caller may hold at most, and all strangers
// together, so that neither takes everything.
const (
	callerPart   = 2
	strangerPart = 4
	addressPart  = 16
)

// Budget bounds the memory that requests in flight hold. Every caller has a share
// of its own and waits in its own queue, so that one who asks for too much waits
// for itself.
type Budget struct {
	size      int64
	all       *semaphore.Weighted
	strangers *semaphore.Weighted

	mu     sync.Mutex
	shares map[Caller]*callerShare
}

// callerShare is what one caller holds, as long as it holds anything.
type callerShare struct {
	*semaphore.Weighted
	users int
}

// NewBudget is a budget of so many bytes.
func NewBudget(size int64) *Budget {
	return &Budget{size: size, all: semaphore.NewWeighted(size), strangers: semaphore.NewWeighted(size / strangerPart),
		shares: map[Caller]*callerShare{}}
}

// Caller is whose share of the budget a request draws on.
type Caller struct {
	Key      string // the company, or the address of a stranger
	Stranger bool
}

// CallerOf is the caller as the budget sees it: a company's people and programs
// share; somebody with a link, or with nothing, counts by address.
func CallerOf(who account.Actor, address string) Caller {
	if who.CompanyID == "" || who.IsSignatory() {
		return Caller{Key: network(address), Stranger: true}
	}
	return Caller{Key: who.CompanyID}
}

// Hold is what one request has of the budget. It is used by one goroutine.
type Hold struct {
	budget *Budget
	caller Caller
	share  *callerShare
	limit  int64
	held   int64
}

// Open begins an empty hold.
func (b *Budget) Open(c Caller) *Hold {
	limit := b.size / callerPart
	if c.Stranger {
		limit = b.size / addressPart
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shares[c]
	if s == nil {
		s = &callerShare{Weighted: semaphore.NewWeighted(limit)}
		b.shares[c] = s
	}
	s.users++
	return &Hold{budget: b, caller: c, share: s, limit: limit}
}

// Take adds n bytes to the hold. It waits for a moment for room; then the refusal
// says when to come again. A request that needs more than a whole share gets the
// share: it can run, alone.
func (h *Hold) Take(ctx context.Context, n int64) error {
	n = min(n, h.limit-h.held)
	if n <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	taken := make([]*semaphore.Weighted, 0, 3)
	for _, s := range h.queues() {
		if err := s.Acquire(ctx, n); err != nil {
			for _, t := range taken {
				t.Release(n)
			}
			return noRoom(err)
		}
		taken = append(taken, s)
	}
	h.held += n
	return nil
}

// queues are what is to be taken from, the caller's own first.
func (h *Hold) queues() []*semaphore.Weighted {
	if h.caller.Stranger {
		return []*semaphore.Weighted{h.share.Weighted, h.budget.strangers, h.budget.all}
	}
	return []*semaphore.Weighted{h.share.Weighted, h.budget.all}
}

// Close returns everything.
func (h *Hold) Close() {
	for _, s := range h.queues() {
		s.Release(h.held)
	}
	h.held = 0
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	if h.share.users--; h.share.users == 0 {
		delete(h.budget.shares, h.caller)
	}
}

func noRoom(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	e := fault.Unavailable("busy").Because(err)
	e.RetryAfter = patience
	return e
}
