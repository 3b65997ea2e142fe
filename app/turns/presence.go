package turns

import (
	"sync"
	"sync/atomic"
	"time"
)

// pauses is how long a slot rests after a stranger's turn, in multiples of that
// turn, while members are being served: strangers then use a third of a slot.
const pauses = 2

// Presence counts the members who are being served. Strangers use everything that is
// free while there are none, and slow down while there are some. A nil Presence
// counts nobody. Its methods may be called from several goroutines.
type Presence struct{ serving atomic.Int64 }

// Enter counts a member's request until leave is called.
func (p *Presence) Enter() (leave func()) {
	p.serving.Add(1)
	return sync.OnceFunc(func() { p.serving.Add(-1) })
}

// pause returns how long the slot of a turn rests that took some time.
func (p *Presence) pause(took time.Duration) time.Duration {
	if p == nil || p.serving.Load() == 0 {
		return 0
	}
	return pauses * took
}
