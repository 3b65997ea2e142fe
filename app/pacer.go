package app

import (
	"context"
	"time"
)

// pacer slows work in the background down to a share of the time, and so to that share of a processor and of
// what the disk could read.
type pacer struct {
	share int // percentage of the time
	now   func() time.Time
	sleep func(time.Duration)

	worked time.Time // since when there was no pause
}

// paceSlice is how long is worked between two pauses.
const paceSlice = 20 * time.Millisecond

// newPacer returns a pacer that no longer pauses once ctx has ended.
func newPacer(ctx context.Context, share int) *pacer {
	return &pacer{share: share, now: time.Now, worked: time.Now(), sleep: func(d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}}
}

// rest pauses if it is time. It is called by one goroutine, often.
func (p *pacer) rest() {
	worked := p.now().Sub(p.worked)
	if worked < paceSlice {
		return
	}
	if p.share < 100 {
		p.sleep(worked * time.Duration(100-p.share) / time.Duration(p.share))
	}
	p.worked = p.now()
}
