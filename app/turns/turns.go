// Package turns shares scarce resources: the writer of the store, processes that convert files,
// memory, connections to a mail server.
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
	Crowded   int64 // limit of one company while others come, too; 0: the same
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
	crowd  crowd
}

// New returns a queue for the given number of slots.
func New(o Options) *Queue {
	o.Slots = max(o.Slots, 1)
	o.Group = share(o.Group, o.Slots)
	o.Crowded = share(o.Crowded, o.Group)
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
	VisitOf(ctx).Leave()
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
