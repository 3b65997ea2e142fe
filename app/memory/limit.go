// Package memory tells how much memory the process may use, and returns what it no longer needs.
package memory

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// share is the percentage of the machine's memory, or of the control group's, that becomes
	// the default limit. The rest is for the PDF workers, LibreOffice and the file cache.
	share = 80
	// unknown is what a machine is taken to have that does not report its memory.
	unknown = 2 << 30
)

// Machine returns how many bytes this process may use: the minimum of the machine's memory, the
// limit of its control group, and GOMEMLIMIT.
func Machine() int64 {
	least := debug.SetMemoryLimit(-1)
	for _, of := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if n, err := of(); err == nil && n > 0 && n < uint64(least) {
			least = int64(n)
		}
	}
	if least == math.MaxInt64 {
		return unknown
	}
	return least
}

// Limit returns the limit for the garbage collector: the configured one, or a share of what the
// machine has. GOMEMLIMIT overrides both.
func Limit(configured int64) int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return debug.SetMemoryLimit(-1)
	}
	if configured > 0 {
		return configured
	}
	return Machine() / 100 * share
}

// collectEvery is how often garbage is collected at least. By itself the runtime lets a quiet
// process keep for two minutes what a burst of work has left behind.
const collectEvery = 30 * time.Second

// Collect collects garbage from time to time until ctx ends, so that the memory is free for the
// processes that draw pages and convert files.
func Collect(ctx context.Context) {
	t := time.NewTicker(collectEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			runtime.GC()
		case <-ctx.Done():
			return
		}
	}
}
