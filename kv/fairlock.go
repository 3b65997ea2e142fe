package kv

import "sync"

// fairLock is a fair lock: it admits one caller at a time. Waiting callers are served scope by
// scope in turn, and in order within a scope, so a thousand calls of one company delay the only
// call of another by one call.
type fairLock struct {
	mu    sync.Mutex
	busy  bool
	lines map[string][]chan struct{} // of waiting callers
	order []string                   // scopes with waiting callers, next first
}

func newFairLock() *fairLock { return &fairLock{lines: map[string][]chan struct{}{}} }

// enter waits for the scope's turn. The caller must call leave when done.
func (g *fairLock) enter(scope string) {
	g.mu.Lock()
	if !g.busy {
		g.busy = true
		g.mu.Unlock()
		return
	}
	called := make(chan struct{})
	if len(g.lines[scope]) == 0 {
		g.order = append(g.order, scope)
	}
	g.lines[scope] = append(g.lines[scope], called)
	g.mu.Unlock()
	<-called
}

// leave admits the next caller.
func (g *fairLock) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.order) == 0 {
		g.busy = false
		return
	}
	scope := g.order[0]
	line := g.lines[scope]
	g.order = g.order[1:]
	if len(line) > 1 {
		g.lines[scope] = line[1:]
		g.order = append(g.order, scope)
	} else {
		delete(g.lines, scope)
	}
	close(line[0])
}
