package patience

import (
	"context"
	"testing"
	"time"
)

func TestLimitGrowsWithTheLoad(t *testing.T) {
	t.Parallel()
	for loadavg, want := range map[string]time.Duration{
		"0.10 0.20 0.30 1/99 7": least,
		"2.00 0.20 0.30 1/99 7": least,
		"4.00 0.20 0.30 1/99 7": 2 * least,
		"90.1 0.20 0.30 1/99 7": most,
		"":                      most,
	} {
		if got := limit(loadavg, 2); got != want {
			t.Errorf("limit(%q) = %v, want %v", loadavg, got, want)
		}
	}
}

func TestPollEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	looks := 0
	if Poll(ctx, func() bool { looks++; stop(); return false }) || looks != 1 {
		t.Errorf("true, or %d looks", looks)
	}
	if looks = 0; !Poll(ctx, func() bool { looks++; return true }) || looks != 1 {
		t.Errorf("false, or %d looks", looks)
	}
}
