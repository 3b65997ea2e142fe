// Package turns shares scarce resources: processes that convert files, memory,
// connections to a mail server.
//
// A caller that finds nothing free waits in line, and the lines are served in turn: first among
// the groups (each company is one, and so are all strangers together), then among the callers
// of a group, and finally in the order of one caller's requests. So a thousand requests of one
// caller delay another's only request by one turn. The lines are limited in length and time;
// excess requests are refused with the code "busy" and a time to try again.
package turns

import (
	"context"
	"sync"
	"time"

	"paraph/app/fault"
)

// Defaults of [Options].
const (
	defaultWaiting  = 64
	defaultPatience = 30 * time.Second
)

// Options describe the resource and how it is shared. A share of zero sets no separate limit.
type Options struct {
	Slots     int64 // the total
	Group     int64 // limit of one company at a time
	Strangers int64 // limit of all strangers together; 0: as for a company
	Stranger  int64 // limit of one stranger

	Waiting  int           // how many of one group may wait; 64 by default
	Patience time.Duration // how long each may wait; 30 seconds by default

	// Members makes a slot that a stranger has used rest while members are being
	// served, see [Presence]. It is for what takes processor time.
	Members *Presence
}

// Queue is where callers wait for their turn. Its methods are safe for concurrent use.
type Queue struct {
	o Options

	mu     sync.Mutex
	free   int64
	groups map[string]*group // groups that hold slots or are waiting
	order  []*group          // waiting groups, the next one first
}

// New returns a queue for the given number of slots.
func New(o Options) *Queue {
	o.Slots = max(o.Slots, 1)
	o.Group = share(o.Group, o.Slots)
	o.Strangers = share(o.Strangers, o.Group)
	o.Stranger = share(o.Stranger, o.Strangers)
	if o.Waiting <= 0 {
		o.Waiting = defaultWaiting
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	return &Queue{o: o, free: o.Slots, groups: map[string]*group{}}
}

func share(n, most int64) int64 {
	if n <= 0 {
		return most
	}
	return min(n, most)
}

// Most returns how many slots a caller can hold at the same time.
func (q *Queue) Most(k Key) int64 {
	if k.IsStranger() {
		return q.o.Stranger
	}
	return q.o.Group
}

// Enter waits for one slot. The caller must call leave, once, when done. Nothing is begun for
// a caller who has already left.
func (q *Queue) Enter(ctx context.Context, k Key) (leave func(), err error) {
	if ctx.Err() == context.Canceled {
		return nil, ctx.Err()
	}
	if err := q.Take(ctx, k, 1); err != nil {
		return nil, err
	}
	began := time.Now()
	return sync.OnceFunc(func() { q.leave(k, time.Since(began)) }), nil
}

// leave returns a slot, that of a stranger after a pause.
func (q *Queue) leave(k Key, took time.Duration) {
	if k.IsStranger() {
		if pause := q.o.Members.pause(took); pause > 0 {
			time.AfterFunc(pause, func() { q.Release(k, 1) })
			return
		}
	}
	q.Release(k, 1)
}

// Take waits for n slots in addition to those the caller holds, up to [Queue.Most] in total. It
// returns the error of ctx if that was canceled, and otherwise the refusal "busy".
func (q *Queue) Take(ctx context.Context, k Key, n int64) error {
	w, err := q.join(k, n)
	if err != nil || w == nil {
		return err
	}
	patience := time.NewTimer(q.o.Patience)
	defer patience.Stop()
	select {
	case <-w.called:
		return w.err
	case <-patience.C:
		return q.giveUp(k, w, q.busy())
	case <-ctx.Done():
		if ctx.Err() == context.DeadlineExceeded {
			return q.giveUp(k, w, q.busy().Because(ctx.Err()))
		}
		return q.giveUp(k, w, ctx.Err())
	}
}

// Release returns n of the slots taken.
func (q *Queue) Release(k Key, n int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free += n
	g := q.groups[k.group]
	g.held -= n
	g.callers[k.caller].held -= n
	q.forget(g, k.caller)
	q.serve()
}

// Load is how much of a queue is in use.
type Load struct{ Slots, Used, Waiting int64 }

// Load returns the current load.
func (q *Queue) Load() Load {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := Load{Slots: q.o.Slots, Used: q.o.Slots - q.free}
	for _, g := range q.order {
		l.Waiting += int64(g.waiting)
	}
	return l
}

// join takes n slots immediately, or returns a waiter for them.
func (q *Queue) join(k Key, n int64) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	g := q.group(k)
	c := g.caller(k.caller)
	if next, _ := q.next(); next == nil && n <= q.free && q.within(g, c, n) {
		q.grant(g, c, n)
		return nil, nil
	}
	if g.waiting >= q.o.Waiting && !g.makeRoom(c, q.busy()) {
		q.forget(g, k.caller)
		return nil, q.busy()
	}
	w := &waiter{n: n, called: make(chan struct{})}
	if g.waiting == 0 {
		q.order = append(q.order, g)
	}
	g.add(c, w)
	return w, nil
}

// next returns the next group and caller in turn that are within their shares. Nobody may
// overtake them.
func (q *Queue) next() (*group, *caller) {
	for _, g := range q.order {
		for _, c := range g.order {
			if q.within(g, c, c.line[0].n) {
				return g, c
			}
		}
	}
	return nil, nil
}

// within reports whether n more slots are within the shares of a caller and its
// group.
func (q *Queue) within(g *group, c *caller, n int64) bool {
	if g.strangers {
		return g.held+n <= q.o.Strangers && c.held+n <= q.o.Stranger
	}
	return g.held+n <= q.o.Group
}

func (q *Queue) grant(g *group, c *caller, n int64) {
	q.free -= n
	g.held += n
	c.held += n
}

// serve calls waiters in turn while slots are free. One that needs more than is free keeps its
// turn, so that smaller requests can't overtake it forever; one that already has its full share
// is skipped.
func (q *Queue) serve() {
	for {
		g, c := q.next()
		if g == nil || c.line[0].n > q.free {
			return
		}
		w := c.line[0]
		q.grant(g, c, w.n)
		g.remove(c, w)
		g.order = toTheEnd(g.order, c, len(c.line) > 0)
		q.order = toTheEnd(q.order, g, g.waiting > 0)
		close(w.called)
	}
}

// giveUp takes a waiter out of its line. If its turn has just come, it holds its slots, and
// releases them unless they are still needed.
func (q *Queue) giveUp(k Key, w *waiter, why error) error {
	q.mu.Lock()
	select {
	case <-w.called:
		q.mu.Unlock()
		if w.err == nil {
			q.Release(k, w.n)
		}
		return why
	default:
	}
	defer q.mu.Unlock()
	g := q.groups[k.group]
	g.remove(g.callers[k.caller], w)
	if g.waiting == 0 {
		q.order = toTheEnd(q.order, g, false)
	}
	q.forget(g, k.caller)
	q.serve() // it may have blocked others
	return why
}

func (q *Queue) group(k Key) *group {
	g := q.groups[k.group]
	if g == nil {
		g = &group{name: k.group, strangers: k.IsStranger(), callers: map[string]*caller{}}
		q.groups[k.group] = g
	}
	return g
}

// forget removes a caller that holds nothing and isn't waiting, and its group if that is empty.
func (q *Queue) forget(g *group, name string) {
	if c := g.callers[name]; c != nil && c.held == 0 && len(c.line) == 0 {
		delete(g.callers, name)
	}
	if len(g.callers) == 0 {
		delete(q.groups, g.name)
	}
}

// busy returns the refusal. By the time it states, everybody now waiting has had a turn or has
// been refused.
func (q *Queue) busy() *fault.Error {
	e := fault.Unavailable("busy")
	e.RetryAfter = min(q.o.Patience, 5*time.Second)
	return e
}
