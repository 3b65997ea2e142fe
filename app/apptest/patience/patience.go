// Package patience limits how long tests wait. A test that waits in vain fails within
// four minutes and reports what it saw instead.
package patience

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// Bounds of Limit: on an idle machine, and on the busiest.
const (
	least = 30 * time.Second
	most  = 4 * time.Minute
)

// Limit returns how long to wait for something that an idle machine does in an instant.
// It grows with the load per core.
func Limit() time.Duration {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return most // not Linux
	}
	return limit(string(b), runtime.NumCPU())
}

func limit(loadavg string, cores int) time.Duration {
	var load float64
	if _, err := fmt.Sscan(loadavg, &load); err != nil {
		return most
	}
	return min(max(time.Duration(load/float64(cores)*float64(least)), least), most)
}

// Context returns a context that ends with the test, or after the longest time that Limit
// returns: the machine may become busy only once the wait has begun, and the load that
// Limit reads lags by a minute.
func Context(t testing.TB) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), most)
	t.Cleanup(stop)
	return ctx
}

// Until calls look until it reports success. If it never does, the test fails with what
// it saw last.
func Until(t testing.TB, what string, look func() (saw string, ok bool)) {
	t.Helper()
	limit := Limit()
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	saw, ok := "", false
	if !Poll(ctx, func() bool { saw, ok = look(); return ok }) {
		t.Fatalf("%s: not within %v; last seen: %s", what, limit, saw)
	}
}

// The pauses between two looks: short at first, and then longer, because a look takes
// processor time from what it waits for.
const (
	shortest = 2 * time.Millisecond
	longest  = 50 * time.Millisecond
)

// Poll calls look until it returns true, or ctx has ended; it reports which.
func Poll(ctx context.Context, look func() bool) bool {
	for pause := shortest; !look(); pause = min(2*pause, longest) {
		if ctx.Err() != nil {
			return false
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return true
}

// Receive returns the next value of a channel.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	limit := Limit()
	select {
	case v := <-from:
		return v
	case <-time.After(limit):
		t.Fatalf("%s: nothing within %v", what, limit)
		panic("unreachable")
	}
}
