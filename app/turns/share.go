package turns

import (
	"time"

	"paraph/app/fault"
)

func share(n, most int64) int64 {
	if n <= 0 {
		return most
	}
	return min(n, most)
}

// join takes n slots immediately, or returns a waiter for them.
func (q *Queue) join(k Key, n int64) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.crowd.came(k.group, time.Now())
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
	if q.o.Crowded < q.o.Group && (len(q.groups) > 1 || q.crowd.others(g.name, time.Now())) {
		return g.held+n <= max(q.o.Crowded, n)
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
