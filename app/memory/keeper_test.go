package memory

import (
	"math"
	"testing"
)

const mb = 1 << 20

func TestGoalFollowsWhatIsInUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ softLimit, live, other, want int64 }{
		{1000 * mb, 30 * mb, 10 * mb, calm},
		{1000 * mb, 200 * mb, 10 * mb, 230 * mb}, // never below what is in use: the collector would do nothing else
		{220 * mb, 200 * mb, 10 * mb, 220 * mb},
		{64 * mb, 30 * mb, 10 * mb, 64 * mb},
	} {
		k := &keeper{softLimit: c.softLimit}
		if got := k.goal(c.live, c.other); got < c.want-mb || got > c.want+mb {
			t.Errorf("%d MB in use of %d: the goal is %d MB, want %d", c.live/mb, c.softLimit/mb, got/mb, c.want/mb)
		}
	}
}

func TestGoalIsSetOnlyWhenItMoves(t *testing.T) {
	t.Parallel()
	k := &keeper{softLimit: math.MaxInt64}
	sets := 0
	for _, live := range []int64{20, 30, 40, 200, 201, 199, 200, 60, 30} {
		if _, changed := k.adjust(sample{live: live * mb}); changed {
			sets++
		}
	}
	if sets != 3 {
		t.Errorf("the collector was told %d times, want 3: at first, when much is in use, and when that is over", sets)
	}
}

// TestMemoryGoesBackOnceAfterABurst checks that memory is returned once the process
// is quiet, once for each burst, and not if there is little to return.
func TestMemoryGoesBackOnceAfterABurst(t *testing.T) {
	t.Parallel()
	k := &keeper{softLimit: math.MaxInt64}
	var allocated uint64
	freed := 0
	pass := func(ticks int, each uint64, held int64) {
		for range ticks {
			allocated += each
			if k.quiet(sample{live: 30 * mb, held: held, allocated: allocated}) {
				freed++
			}
		}
	}
	for _, c := range []struct {
		ticks int
		each  uint64
		held  int64
		freed int
	}{
		{100, 10 * mb, 100 * mb, 0}, {rest - 1, 1000, 100 * mb, 0}, {50, 1000, 100 * mb, 1}, // a burst, and its end
		{1, 10 * mb, 100 * mb, 1}, {50, 0, 100 * mb, 2},
		{1, 10 * mb, 35 * mb, 2}, {50, 0, 35 * mb, 2}, // little to return
	} {
		pass(c.ticks, c.each, c.held)
		if freed != c.freed {
			t.Errorf("after %d ticks of %d bytes: returned %d times, want %d", c.ticks, c.each, freed, c.freed)
		}
	}
	if k.mapped() != mappedQuiet {
		t.Error("a quiet process keeps as many pages of files as a busy one")
	}
}

func TestOperatorsLimitWins(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	if got := limit(300 * mb); got != 300*mb {
		t.Errorf("the configured limit is %d MB, want 300", got/mb)
	}
	if got, machine := limit(0), Machine(); got <= 0 || got >= machine {
		t.Errorf("the limit is %d of %d bytes", got, machine)
	}
	t.Setenv("GOMEMLIMIT", "1GiB") // the runtime has read it before, and has none
	if got := limit(300 * mb); got != math.MaxInt64 {
		t.Errorf("the configuration overrides GOMEMLIMIT: %d", got)
	}
}

// TestFilesAreDroppedOnceWhileAllAreHeld nests holders, of which one has no files to drop
// and one does not map any.
func TestFilesAreDroppedOnceWhileAllAreHeld(t *testing.T) {
	t.Parallel()
	holding, dropped := 0, 0
	holder := func(files ...string) Holder {
		return func(drop func(map[string]bool)) {
			holding++
			defer func() { holding-- }()
			own := map[string]bool{}
			for _, f := range files {
				own[f] = true
			}
			drop(own)
		}
	}
	held([]Holder{holder("a", "b"), func(func(map[string]bool)) {}, holder(), holder("c")}, map[string]bool{}, func(files map[string]bool) {
		dropped++
		if holding != 3 || len(files) != 3 {
			t.Errorf("%d hold %v", holding, files)
		}
	})
	if dropped != 1 || holding != 0 {
		t.Errorf("dropped %d times, %d still hold", dropped, holding)
	}
}
