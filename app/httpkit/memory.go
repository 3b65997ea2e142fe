package httpkit

// Bounds and divisor of the memory that requests may hold.
const (
	minShare   = 64 * MB
	maxShare   = 512 * MB
	memoryPart = 8
)

// share returns how much of the machine's memory requests may hold.
func share(memory int64) int64 { return min(max(memory/memoryPart, minShare), maxShare) }
