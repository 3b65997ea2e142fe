package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	tick = 250 * time.Millisecond
	// rest is how long, in ticks, the process must allocate little before it counts as quiet;
	// slow is how little, in bytes per tick.
	rest = 12
	slow = 256 << 10
	// wasted is how much memory must be unused before a collection returns it.
	wasted = 12 << 20
	// mappedBusy and mappedQuiet are how much of the mapped files may be resident. Other pages
	// stay in the system's cache, and return when used.
	mappedBusy  = 56 << 20
	mappedQuiet = 20 << 20
)

// Holder calls its argument with the absolute paths of files that stay mapped until it returns.
type Holder func(drop func(files map[string]bool))

// Keep keeps the memory of the process within its limits until ctx ends. configured is the
// configured limit; 0 derives one.
func Keep(ctx context.Context, configured int64, holders ...Holder) {
	k := &keeper{softLimit: limit(configured)}
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
			held(holders, map[string]bool{}, drop)
			if k.resting() { // a busy one would need its pages again at once
				dropProgram()
			}
		}
	}
}

// held drops the files of all holders at once, while they hold them, so that the system is asked
// only once what is mapped.
func held(holders []Holder, files map[string]bool, drop func(files map[string]bool)) {
	if len(holders) == 0 {
		drop(files)
		return
	}
	maps, rest := false, holders[1:]
	holders[0](func(own map[string]bool) {
		maps = true
		for path := range own {
			files[path] = true
		}
		held(rest, files, drop)
	})
	if !maps { // it is kept in memory, or closed
		held(rest, files, drop)
	}
}

// Settle returns the memory needed only at the start, such as for hashing the first password.
func Settle() {
	debug.FreeOSMemory()
	dropProgram()
}

// keeper decides what to do about the memory of the process.
type keeper struct {
	softLimit  int64 // the soft limit
	current    int64 // the limit given to the collector
	last       uint64
	quietTicks int  // consecutive ticks with little activity
	freed      bool // since the process became quiet
}

// sample is the memory of the process at one moment, in bytes.
type sample struct {
	live      int64  // in use, according to the last collection
	other     int64  // of the runtime, outside the heap
	held      int64  // obtained from the system
	mapped    int64  // pages of mapped files
	allocated uint64 // since the start
}

// goal returns the limit for the collector: the calm limit, or the memory in use plus some
// garbage, but no more than the process may use.
func (k *keeper) goal(live, other int64) int64 {
	return min(max(calm, live+live/100*spare+other), k.softLimit)
}

// adjust returns the goal, and whether it differs noticeably from the last one.
func (k *keeper) adjust(now sample) (goal int64, changed bool) {
	goal = k.goal(now.live, now.other)
	if diff := goal - k.current; diff > -k.current/16 && diff < k.current/16 {
		return k.current, false
	}
	k.current = goal
	return goal, true
}

// quiet reports, once, that the process is idle and holds unused memory.
func (k *keeper) quiet(now sample) bool {
	busy := now.allocated-k.last > slow
	k.last = now.allocated
	if busy {
		k.quietTicks, k.freed = 0, false
		return false
	}
	if k.quietTicks++; k.quietTicks < rest || k.freed || now.held-now.live-now.other < wasted {
		return false
	}
	k.freed = true
	return true
}

// mapped returns how many bytes of files may be resident.
func (k *keeper) mapped() int64 {
	if k.resting() {
		return mappedQuiet
	}
	return mappedBusy
}

func (k *keeper) resting() bool { return k.quietTicks >= rest }

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
