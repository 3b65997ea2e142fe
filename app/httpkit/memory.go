package httpkit

// Limits of the share of memory that requests may hold.
const (
	leastShare = 64 * MB
	mostShare  = 512 * MB
	memoryPart = 8
)

// share returns the part of the memory that requests may hold.
func share(memory int64) int64 { return min(max(memory/memoryPart, leastShare), mostShare) }
