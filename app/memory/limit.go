// Package memory limits the memory of the process: how much it may use, when the garbage
// collector works harder, and when memory goes back to the system.
package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// The limits of the whole process, and the cost of each. Those of the store are in package kv,
// those of the index in package search.
const (
	// share is the percentage of the machine's memory, or of the control group's, that becomes
	// the default limit. The rest is for the PDF workers, LibreOffice and the file cache.
	share = 80
	// calm is how much the process may hold before the collector runs more often than by
	// default: measurements show about 50 MB in use.
	calm = 96 << 20
	// spare is the percentage of the memory in use that may be garbage beyond that. So much is in
	// use for moments only, while the store merges tables: four times the percentage takes 40 MB
	// more at the peak, and saves three percent of the processor time.
	spare = 10
	// unknown is the limit on a machine that does not report its memory.
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

// limit returns the soft limit of the process: the configured one, or a share of
// what the machine has. GOMEMLIMIT overrides both.
func limit(configured int64) int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return debug.SetMemoryLimit(-1)
	}
	if configured > 0 {
		return configured
	}
	return Machine() / 100 * share
}
