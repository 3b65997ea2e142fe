package memory

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	tick = 250 * time.Millisecond
	// rest is how long the process allocates little before it counts as quiet, in
	// ticks; slow is how little, in bytes for each.
	rest = 12
	slow = 256 << 10
	// wasted is how much memory has to be unused for a collection that returns it.
	wasted = 12 << 20
	// mappedBusy and mappedQuiet are how much of the mapped files may be resident.
	// Pages beyond stay in the system's cache, and return when they are used.
	mappedBusy  = 56 << 20
	mappedQuiet = 20 << 20
)

// Holder calls its argument with the absolute paths of files that stay mapped until
// it returns.
type Holder func(drop func(files map[string]bool))

// Keep keeps the memory of the process within its bounds until ctx ends.
// configured is the limit from the configuration; 0 derives one.
func Keep(ctx context.Context, configured int64, holders ...Holder) {
	k := &keeper{most: limit(configured)}
	holders = append(holders, program)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(k.goal(0, 0)))
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		now := look()
		if goal, changed := k.adjust(now); changed {
			debug.SetMemoryLimit(goal)
		}
		if k.quiet(now) {
			debug.FreeOSMemory()
		}
		if now.mapped > k.mapped() {
			for _, hold := range holders {
				hold(drop)
			}
		}
	}
}

// Settle returns what was needed to start, such as hashing the first password.
func Settle() {
	debug.FreeOSMemory()
	program(drop)
}

// program holds the file of this program, which is never unmapped.
func program(drop func(files map[string]bool)) {
	if path, err := os.Executable(); err == nil {
		drop(map[string]bool{path: true})
	}
}

// keeper decides what to do about the memory of the process.
type keeper struct {
	most  int64 // the soft limit
	set   int64 // what the collector was told
	last  uint64
	still int  // ticks with little to do, in a row
	freed bool // since it became quiet
}

// sample is the memory of the process at one moment, in bytes.
type sample struct {
	live      int64  // in use by the last collection's account
	other     int64  // of the runtime, beside the heap
	held      int64  // from the system
	mapped    int64  // pages of files
	allocated uint64 // since the start
}

// goal returns the limit for the collector: as much as is calm, or what is in use
// and some garbage, but no more than the process may use.
func (k *keeper) goal(live, other int64) int64 {
	return min(max(calm, live+live/100*spare+other), k.most)
}

// adjust returns the goal, and whether it differs noticeably from the last one.
func (k *keeper) adjust(now sample) (goal int64, changed bool) {
	goal = k.goal(now.live, now.other)
	if diff := goal - k.set; diff > -k.set/16 && diff < k.set/16 {
		return k.set, false
	}
	k.set = goal
	return goal, true
}

// quiet reports, once, that the process rests and holds memory that it does not
// use.
func (k *keeper) quiet(now sample) bool {
	busy := now.allocated-k.last > slow
	k.last = now.allocated
	if busy {
		k.still, k.freed = 0, false
		return false
	}
	if k.still++; k.still < rest || k.freed || now.held-now.live-now.other < wasted {
		return false
	}
	k.freed = true
	return true
}

// mapped returns how many bytes of files may be resident.
func (k *keeper) mapped() int64 {
	if k.still >= rest {
		return mappedQuiet
	}
	return mappedBusy
}

// look takes a sample.
func look() sample {
	all := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"}, {Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(all)
	n := func(i int) int64 { return int64(all[i].Value.Uint64()) }
	held := n(1) - n(2)
	return sample{
		live: n(0), held: held, other: held - n(3) - n(4) - n(5),
		mapped: mappedPages(), allocated: all[6].Value.Uint64(),
	}
}
