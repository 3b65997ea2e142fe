package limit_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/limit"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestLimiterSlides(t *testing.T) {
	t.Parallel()
	now := start
	l := limit.New(3, time.Minute, func() time.Time { return now })
	for _, tt := range []struct {
		after     time.Duration
		remaining int
		wait      time.Duration
		ok        bool
	}{
		{0, 2, 0, true},
		{30 * time.Second, 1, 0, true},
		{10 * time.Second, 0, 0, true},
		{10 * time.Second, 0, 10 * time.Second, false},
		{9 * time.Second, 0, time.Second, false},
		{time.Second, 0, 0, true}, // the first has left the window
		{0, 0, 30 * time.Second, false},
		{10 * time.Minute, 2, 0, true},
		{-time.Hour, 2, 0, true}, // set back: events in the future must not block for an hour
	} {
		now = now.Add(tt.after)
		remaining, wait, ok := l.Allow("key")
		if remaining != tt.remaining || wait != tt.wait || ok != tt.ok {
			t.Errorf("at %v: got %d, %v, %v, want %+v", now, remaining, wait, ok, tt)
		}
	}
	if _, _, ok := l.Allow("other"); !ok {
		t.Error("keys are not apart")
	}
}

func TestLimiterRefundsAndForgets(t *testing.T) {
	t.Parallel()
	l := limit.New(2, time.Minute, func() time.Time { return start })
	for _, give := range []func(){func() { l.Refund("key") }, func() { l.Reset("key") }, l.Clear} {
		l.Allow("key")
		give()
		if remaining, _, _ := l.Allow("key"); remaining < 0 {
			t.Error("less than nothing is left")
		}
		give()
	}
	l.Refund("unknown")
	if remaining, _, ok := l.Allow("key"); remaining != 1 || !ok {
		t.Errorf("got %d, %v", remaining, ok)
	}
}

func TestLimiterIsExactUnderContention(t *testing.T) {
	t.Parallel()
	l := limit.New(100, time.Minute, time.Now)
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if _, _, ok := l.Allow("key"); ok {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if got := allowed.Load(); got != 100 {
		t.Errorf("allowed %d, want 100", got)
	}
}

func TestLimiterStaysBounded(t *testing.T) {
	t.Parallel()
	l := limit.New(1, time.Hour, func() time.Time { return start })
	for i := range 250_000 {
		if _, _, ok := l.Allow(fmt.Sprint(i)); !ok {
			t.Fatal("a new key was refused")
		}
	}
	if got := limit.Keys(l); got > 100_000 {
		t.Errorf("remembers %d keys", got)
	}
}
