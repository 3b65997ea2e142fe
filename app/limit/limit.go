// Package limit restricts how many events a key may have in any span of time.
package limit

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxLimited is the number of keys a Limiter remembers. An attacker who sends from more
// addresses makes the limiter forget some, but does not make the process grow.
const maxLimited = 100_000

// Rate is how many events a window allows, and how many are left.
type Rate struct {
	Limit     int
	Remaining int
}

// Limiter allows each key a number of events within a sliding window. It is kept in memory
// only: a restart clears it. Use a [Daily] too where that matters. It is safe for concurrent use.
type Limiter struct {
	limit  int
	window time.Duration
	now    func() time.Time

	mu    sync.Mutex
	keys  map[string][]time.Time // oldest first, never longer than limit
	sweep int                    // number of keys at which stale ones are removed
}

// New makes a limiter; now is its clock.
func New(limit int, window time.Duration, now func() time.Time) *Limiter {
	return &Limiter{limit: limit, window: window, now: now, keys: make(map[string][]time.Time), sweep: 1024}
}

// Limit returns how many events a key may have in a window.
func (l *Limiter) Limit() int { return l.limit }

// Allow counts an event of key, if one is left. It returns how many are left after it, or how
// long to wait for the next one. A refused event is not counted, so that a caller who keeps
// trying is admitted once the wait is over.
func (l *Limiter) Allow(key string) (remaining int, retryAfter time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now() // under the lock, or a later event could look like a clock set back
	events := l.live(key, now)
	if len(events) >= l.limit {
		l.keys[key] = events
		return 0, events[0].Add(l.window).Sub(now), false
	}
	l.makeRoom(now)
	l.keys[key] = append(events, now)
	return l.limit - len(events) - 1, 0, true
}

// Refund uncounts the latest event of key, if it turned out not to be of the limited kind.
func (l *Limiter) Refund(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if events := l.keys[key]; len(events) > 1 {
		l.keys[key] = events[:len(events)-1]
		return
	}
	delete(l.keys, key)
}

// Reset forgets every event of key.
func (l *Limiter) Reset(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.keys, key)
}

// ResetPrefix forgets every event of the keys that begin with prefix.
func (l *Limiter) ResetPrefix(prefix string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.keys, func(key string, _ []time.Time) bool { return strings.HasPrefix(key, prefix) })
}

// Clear forgets everything.
func (l *Limiter) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.keys)
}

// live returns the events that still count. An event in the future was counted before the clock
// was set back and would never expire, so it is dropped.
func (l *Limiter) live(key string, now time.Time) []time.Time {
	return slices.DeleteFunc(l.keys[key], func(at time.Time) bool {
		return at.After(now) || now.Sub(at) >= l.window
	})
}

// makeRoom drops the keys without a live event when there are many keys and, if that is not
// enough, a tenth of them at random: dropping only one would mean scanning all keys again for
// each further key.
func (l *Limiter) makeRoom(now time.Time) {
	if len(l.keys) < l.sweep {
		return
	}
	for key := range l.keys {
		if events := l.live(key, now); len(events) == 0 {
			delete(l.keys, key)
		} else {
			l.keys[key] = events
		}
	}
	if len(l.keys) >= maxLimited {
		for key := range l.keys {
			if len(l.keys) <= maxLimited*9/10 {
				break
			}
			delete(l.keys, key)
		}
	}
	// Scanning again only once the number has doubled spreads the cost of a sweep over the
	// calls that made it necessary.
	l.sweep = min(max(1024, 2*len(l.keys)), maxLimited)
}
