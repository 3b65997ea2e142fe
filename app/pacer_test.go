package app_test

import (
	"testing"
	"time"

	"paraph/app"
)

func TestBackgroundWorkKeepsToItsShare(t *testing.T) {
	t.Parallel()
	for share, want := range map[int]time.Duration{100: 0, 50: 10 * time.Second, 20: 40 * time.Second, 1: 990 * time.Second} {
		if rested := app.Paced(share, 10*time.Second, 3*time.Millisecond); rested < want*9/10 || rested > want {
			t.Errorf("with a share of %d %%, ten seconds of work rest %v, want %v", share, rested, want)
		}
	}
}
