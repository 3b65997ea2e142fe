package httpkit

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Limits of the share of memory that requests may hold.
const (
	leastShare = 64 * MB
	mostShare  = 512 * MB
	memoryPart = 8
	unknown    = 2 << 30 // for a machine that does not report its memory
)

// share returns the part of the memory that requests may hold.
func share(memory int64) int64 { return min(max(memory/memoryPart, leastShare), mostShare) }

// machineMemory returns how much memory this process may use: the least of the
// memory of the machine, of its control group, and of GOMEMLIMIT.
func machineMemory() int64 {
	least := debug.SetMemoryLimit(-1)
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if n, ok := number(path); ok {
			least = min(least, n)
		}
	}
	if n, ok := totalMemory("/proc/meminfo"); ok {
		least = min(least, n)
	}
	if least == math.MaxInt64 {
		return unknown
	}
	return least
}

// number reads a file that contains a number.
func number(path string) (int64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil && n > 0
}

// totalMemory reads the line "MemTotal: 16384 kB".
func totalMemory(path string) (int64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(b)) {
		rest, ok := strings.CutPrefix(line, "MemTotal:")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		return n * KB, err == nil
	}
	return 0, false
}
