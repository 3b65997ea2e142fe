package turns

import "slices"

// group is a company, or all strangers, while it holds slots or is waiting.
type group struct {
	name      string
	strangers bool
	held      int64
	waiting   int
	callers   map[string]*caller
	order     []*caller // waiting callers, the next one first
}

// caller is one member of a group, with its line of waiters.
type caller struct {
	held int64
	line []*waiter
}

// waiter is one pending call of Take.
type waiter struct {
	n      int64
	called chan struct{} // closed when its turn comes or it is refused
	err    error         // why it was refused; valid once called is closed
}

func (g *group) caller(name string) *caller {
	c := g.callers[name]
	if c == nil {
		c = &caller{}
		g.callers[name] = c
	}
	return c
}

func (g *group) add(c *caller, w *waiter) {
	if len(c.line) == 0 {
		g.order = append(g.order, c)
	}
	c.line = append(c.line, w)
	g.waiting++
}

// remove takes a waiter out of its line, and a caller without a line out of the order.
func (g *group) remove(c *caller, w *waiter) {
	i := slices.Index(c.line, w)
	c.line = slices.Delete(c.line, i, i+1)
	g.waiting--
	if len(c.line) == 0 {
		g.order = toTheEnd(g.order, c, false)
	}
}

// toTheEnd moves one to the end of an order, or removes it if it is no longer waiting.
func toTheEnd[T comparable](order []T, one T, wants bool) []T {
	order = slices.DeleteFunc(order, func(o T) bool { return o == one })
	if wants {
		order = append(order, one)
	}
	return order
}

// makeRoom refuses the last waiter of the longest line in favour of a caller with a shorter
// line, so that a greedy caller doesn't keep the others out.
func (g *group) makeRoom(c *caller, why error) bool {
	longest := slices.MaxFunc(g.order, func(a, b *caller) int { return len(a.line) - len(b.line) })
	if len(longest.line) <= len(c.line)+1 {
		return false
	}
	last := len(longest.line) - 1
	w := longest.line[last]
	longest.line = longest.line[:last]
	g.waiting--
	w.err = why
	close(w.called)
	return true
}
