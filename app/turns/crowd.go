package turns

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"
)

// Processors returns the queue for what takes processor time on behalf of companies. As long as
// only one of them works, it can use all of the machine. While others do, too, it gets as many
// turns at a time as there are processors, whatever the number of its requests, so that they find
// a processor soon.
func Processors() *Queue {
	return New(Options{Slots: math.MaxInt32, Crowded: int64(runtime.GOMAXPROCS(0)), Waiting: 1024})
}

// lately is how long ago a group was served if that still counts for [Options.Crowded].
const lately = time.Second

// crowd remembers the two groups that came last, which is enough to tell whether any other than
// a given one came lately.
type crowd [2]struct {
	name string
	at   time.Time
}

// came records that a group asks for a slot.
func (c *crowd) came(name string, now time.Time) {
	if c[0].name != name {
		c[0], c[1] = c[1], c[0]
		c[0].name = name
	}
	c[0].at = now
}

// others reports whether a group other than the named one came lately.
func (c *crowd) others(name string, now time.Time) bool {
	for _, g := range c {
		if g.name != name && now.Sub(g.at) < lately {
			return true
		}
	}
	return false
}

// Visit is a caller's turn that can be interrupted. Its methods are safe for concurrent use. A nil
// Visit needs no turns.
type Visit struct {
	q *Queue
	k Key

	mu    sync.Mutex
	leave func() // nil while there is no turn
}

// Visit returns a turn that has not begun.
func (q *Queue) Visit(k Key) *Visit { return &Visit{q: q, k: k} }

// Enter waits for the turn, unless it has begun.
func (v *Visit) Enter(ctx context.Context) error {
	if v == nil || v.isIn() {
		return nil
	}
	leave, err := v.q.Enter(ctx, v.k)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.leave != nil { // another goroutine was faster
		leave()
		return nil
	}
	v.leave = leave
	return nil
}

func (v *Visit) isIn() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.leave != nil
}

// Leave ends the turn, if there is one.
func (v *Visit) Leave() {
	if v == nil {
		return
	}
	v.mu.Lock()
	leave := v.leave
	v.leave = nil
	v.mu.Unlock()
	if leave != nil {
		leave()
	}
}

type visitKey struct{}

// Yielding returns a context for what is done during a turn, which ends when another turn is
// waited for or taken with that context. So a request that waits for one thing never keeps others
// waiting for another.
func Yielding(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// VisitOf returns the turn that a context belongs to, or nil.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}
