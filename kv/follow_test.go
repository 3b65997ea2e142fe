package kv_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/apptest/patience"
	"paraph/kv"
)

var copied = kv.NewCollection("copied", kv.JSON[string]())

// copyOnce stores an entry and refuses to do so twice.
func copyOnce(tx *kv.Tx, e kv.Entry[string]) error {
	if has, err := copied.Has(tx, e.ID); err != nil || has {
		return fmt.Errorf("%s again: %w", e.ID, err)
	}
	return copied.Put(tx, e.ID, e.Value)
}

func copier(db *kv.DB, do func(tx *kv.Tx, e kv.Entry[string]) error) *kv.Follower[string] {
	return kv.NewFollower(kv.FollowerOptions[string]{DB: db, Log: trail, Name: "copier",
		Do: func(tx *kv.Tx, e kv.Entry[string], _ int) (int, error) { return 0, do(tx, e) }})
}

func countCopied(t *testing.T, db *kv.DB) (n int) {
	t.Helper()
	view(t, db, func(tx *kv.Tx) (err error) { n, err = copied.Count(tx, "", nil); return err })
	return n
}

func storedPlace(t *testing.T, db *kv.DB, follower string) (seq uint64, part int) {
	t.Helper()
	view(t, db, func(tx *kv.Tx) (err error) { seq, part, err = kv.StoredPlace(tx, follower); return err })
	return seq, part
}

func caughtUp(t *testing.T, f *kv.Follower[string]) {
	t.Helper()
	if err := f.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestFollowerOmitsAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	f := copier(db, func(tx *kv.Tx, e kv.Entry[string]) error {
		if err := copyOnce(tx, e); err != nil {
			return err
		}
		if calls++; calls == 30 || calls == 77 {
			panic("in the middle")
		}
		return nil
	})
	done := make(chan error)
	go func() { done <- f.Run(ctx) }()
	fill(t, db, 200)
	for changed := db.Changed(); countCopied(t, db) < 200; changed = db.Changed() {
		patience.Receive(t, "a change", changed)
	}
	cancel()
	if err := patience.Receive(t, "the end of the follower", done); err != nil {
		t.Error(err)
	}
	if seq, _ := storedPlace(t, db, "copier"); seq != 200 {
		t.Errorf("place is %d", seq)
	}
}

func TestFollowerGoesOnWhereItStoppedAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, kv.Options{Dir: dir})
	fill(t, db, 100)
	caughtUp(t, copier(db, copyOnce))
	fillFrom(t, db, 100, 50)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, kv.Options{Dir: dir})
	first := uint64(0)
	caughtUp(t, copier(db, func(tx *kv.Tx, e kv.Entry[string]) error {
		if first == 0 {
			first = e.Seq
		}
		return copyOnce(tx, e)
	}))
	if n := countCopied(t, db); n != 150 || first != 101 {
		t.Errorf("%d entries are copied; after the restart it began with %d", n, first)
	}
}

// TestPlaceMovesWithTheResult checks that a failure leaves neither a result nor a new place.
func TestPlaceMovesWithTheResult(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 10)
	f := copier(db, func(tx *kv.Tx, e kv.Entry[string]) error {
		if err := copyOnce(tx, e); err != nil || e.Seq < 6 {
			return err
		}
		return errors.New("not this one")
	})
	if err := f.CaughtUp(t.Context()); err == nil {
		t.Fatal("failure not reported")
	}
	if seq, _ := storedPlace(t, db, "copier"); seq != 5 || countCopied(t, db) != 5 {
		t.Errorf("the place is %d, %d are copied", seq, countCopied(t, db))
	}
}

func TestFollowerWaitsLongerAfterEachFailure(t *testing.T) {
	t.Parallel()
	want := []time.Duration{100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000}
	for i := range want {
		want[i] *= time.Millisecond
	}
	if got := kv.Pauses(len(want)); !slices.Equal(got, want) {
		t.Errorf("the pauses are %v, not %v", got, want)
	}
	db := open(t, kv.Options{})
	var at []time.Time
	err := db.Follow(t.Context(), "failing", func(context.Context) (bool, error) {
		if at = append(at, time.Now()); len(at) == 3 {
			return false, kv.ErrClosed
		}
		return false, errors.New("again")
	})
	if !errors.Is(err, kv.ErrClosed) || at[1].Sub(at[0]) < want[0] || at[2].Sub(at[1]) < want[1] {
		t.Errorf("error %v, attempts at %v", err, at)
	}
}

func TestAnEntryThatAlwaysFailsIsSkippedAndNoOther(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("never") },
		"panic": func() error { panic("never") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			db := open(t, kv.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			fill(t, db, 100)
			tried := 0
			f := copier(db, func(tx *kv.Tx, e kv.Entry[string]) error {
				if e.Seq != 42 {
					return copyOnce(tx, e)
				}
				tried++
				return fail()
			})
			failures := 0
			for f.CaughtUp(t.Context()) != nil {
				failures++
			}
			if seq, _ := storedPlace(t, db, "copier"); seq != 100 || countCopied(t, db) != 99 {
				t.Errorf("the place is %d, %d are copied", seq, countCopied(t, db))
			}
			// Once among others, then alone; the last failure is followed by the skip.
			if tried != kv.FollowTries+1 || failures != kv.FollowTries-1 {
				t.Errorf("the entry was tried %d times, %d failures were reported", tried, failures)
			}
			if !strings.Contains(log.String(), "entry=42") {
				t.Errorf("log does not name the entry:\n%s", log.String())
			}
		})
	}
}

func TestAFullDiskIsNoEntrysFault(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(1 << 39)
	db, err := kv.OpenOnDisk(kv.Options{Dir: t.TempDir()}, func(string) (int64, int64, error) { return free.Load(), 1 << 40, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fill(t, db, 3)
	f := copier(db, copyOnce)
	free.Store(0)
	for range 3 * kv.FollowTries {
		if err := f.CaughtUp(t.Context()); !errors.Is(err, kv.ErrDiskFull) {
			t.Fatalf("got %v, want ErrDiskFull", err)
		}
	}
	free.Store(1 << 39)
	caughtUp(t, f)
	if n := countCopied(t, db); n != 3 {
		t.Errorf("%d of 3 entries are copied", n)
	}
}

func TestEntriesThatNobodyWantsCostNoCommit(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, kv.FollowStride+100)
	f := kv.NewFollower(kv.FollowerOptions[string]{DB: db, Log: trail, Name: "picky",
		Match: func(_ *kv.Tx, e kv.Entry[string]) (bool, error) { return e.Seq == 50, nil },
		Do:    func(tx *kv.Tx, e kv.Entry[string], _ int) (int, error) { return 0, copyOnce(tx, e) }})
	before := db.Stats().Commits
	caughtUp(t, f)
	// One for the result, one for the place, stored so that a restart need not reread the
	// entries.
	if n := db.Stats().Commits - before; n != 2 || countCopied(t, db) != 1 {
		t.Errorf("%d commits, %d entries copied", n, countCopied(t, db))
	}
	if seq, _ := storedPlace(t, db, "picky"); seq < kv.FollowStride {
		t.Errorf("the place is %d", seq)
	}
}

// TestScopesTakeTurns checks that many entries of one scope delay those of another by a few,
// and that nothing is omitted, repeated or out of order, wherever the follower is stopped.
func TestScopesTakeTurns(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	write := func(scope string, n int) {
		update(t, db, func(tx *kv.Tx) error {
			for range n {
				if _, err := trail.Append(tx, ulid.Make().String(), scope, "", scope); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var done []kv.Entry[string]
	begin := func() *kv.Follower[string] {
		return kv.NewFollower(kv.FollowerOptions[string]{DB: db, Log: trail, Name: "copier", InTurn: true,
			Match: func(_ *kv.Tx, e kv.Entry[string]) (bool, error) { return e.Seq%10 != 0, nil },
			Do: func(tx *kv.Tx, e kv.Entry[string], from int) (int, error) {
				if e.Seq%50 == 7 && from < 2 {
					return from + 1, nil
				}
				tx.OnCommit(func() { done = append(done, e) })
				return 0, nil
			}})
	}
	const many = 2000
	write("flood", many)
	write("b", 1)
	write("flood", 50)
	write("c", 12)
	f := begin()
	for i := range 2000 {
		more, err := kv.FollowerStep(f)
		if err != nil {
			t.Fatal(err)
		}
		if i%40 == 39 {
			f = begin() // after a restart
		} else if !more {
			break
		}
		if i == 100 {
			write("flood", 100)
			write("d", 20)
		}
	}
	caughtUp(t, f)
	for _, scope := range []string{"b", "c", "d"} {
		if at := slices.IndexFunc(done, func(e kv.Entry[string]) bool { return e.Scope == scope }); at < 0 || at > many/4 {
			t.Errorf("%s had its turn after %d entries", scope, at)
		}
	}
	last, total := map[string]uint64{}, 0
	for _, e := range done {
		if e.Seq <= last[e.Scope] {
			t.Fatalf("entry %d of %s after %d", e.Seq, e.Scope, last[e.Scope])
		}
		last[e.Scope] = e.Seq
		total++
	}
	all := uint64(many + 1 + 50 + 12 + 100 + 20)
	if total != int(all-all/10) {
		t.Errorf("%d entries, want %d", total, all-all/10)
	}
	if seq, _ := storedPlace(t, db, "copier"); seq != all {
		t.Errorf("the place is %d of %d", seq, all)
	}
}

// TestAFailingEntryHoldsUpNoScope lets one entry of a scope that was set aside fail.
func TestAFailingEntryHoldsUpNoScope(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 200)
	var done []uint64
	f := kv.NewFollower(kv.FollowerOptions[string]{DB: db, Log: trail, Name: "copier", InTurn: true,
		Do: func(tx *kv.Tx, e kv.Entry[string], _ int) (int, error) {
			if e.Seq == 90 {
				return 0, errors.New("no")
			}
			tx.OnCommit(func() { done = append(done, e.Seq) })
			return 0, nil
		}})
	failures := 0
	for range 100 {
		if _, err := kv.FollowerStep(f); err != nil {
			failures++
		}
	}
	odd := slices.DeleteFunc(slices.Clone(done), func(n uint64) bool { return n%2 == 0 }) // one scope
	if len(done) != 199 || !slices.IsSorted(odd) || failures != kv.FollowTries-1 {
		t.Errorf("%d entries were processed after %d failures: %v", len(done), failures, done)
	}
}

func TestAnIdleFollowerGoesToTheEnd(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 20)
	idle := true
	f := kv.NewFollower(kv.FollowerOptions[string]{DB: db, Log: trail, Name: "sleeper",
		Idle: func(*kv.Tx) (bool, error) { return idle, nil },
		Do:   func(tx *kv.Tx, e kv.Entry[string], _ int) (int, error) { return 0, copyOnce(tx, e) }})
	caughtUp(t, f)
	idle = false
	fillFrom(t, db, 20, 5)
	caughtUp(t, f)
	if n := countCopied(t, db); n != 5 {
		t.Errorf("%d entries are copied", n)
	}
}

// TestALargeEntryIsDoneInParts also checks that it continues with the next part after a
// restart.
func TestALargeEntryIsDoneInParts(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 3)
	var done []string
	broken := true
	f := func() *kv.Follower[string] {
		return kv.NewFollower(kv.FollowerOptions[string]{DB: db, Log: trail, Name: "parts",
			Do: func(tx *kv.Tx, e kv.Entry[string], from int) (int, error) {
				if e.Seq == 2 && from == 2 && broken {
					return 0, errors.New("not yet")
				}
				tx.OnCommit(func() { done = append(done, fmt.Sprint(e.Seq, ".", from)) })
				if e.Seq == 2 && from < 3 {
					return from + 1, nil
				}
				return 0, nil
			}})
	}
	if err := f().CaughtUp(t.Context()); err == nil {
		t.Fatal("no failure")
	}
	if seq, part := storedPlace(t, db, "parts"); seq != 1 || part != 2 {
		t.Errorf("the place is %d, part %d", seq, part)
	}
	broken = false
	caughtUp(t, f())
	if got := strings.Join(done, " "); got != "1.0 2.0 2.1 2.2 2.3 3.0" {
		t.Errorf("done: %s", got)
	}
}

func TestEntriesThatWriteMuchAreSpreadOverTransactions(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 60)
	f := copier(db, func(tx *kv.Tx, e kv.Entry[string]) error {
		return copied.Put(tx, e.ID, strings.Repeat("x", 100<<10)) // together more than one transaction holds
	})
	caughtUp(t, f)
	if n := countCopied(t, db); n != 60 {
		t.Errorf("%d entries are copied", n)
	}
}

func TestAFollowerBeginsAnewWhenTheStoreWasEmptied(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 30)
	f := copier(db, copyOnce)
	caughtUp(t, f)
	if err := db.Reset(); err != nil {
		t.Fatal(err)
	}
	fill(t, db, 40)
	caughtUp(t, f)
	if n := countCopied(t, db); n != 40 {
		t.Errorf("%d entries are copied", n)
	}
}

// outside keeps a copy of the entries outside the store, together with its place.
type outside struct {
	place uint64
	kept  []string
	fail  error
}

func (o *outside) mirror(db *kv.DB, bad uint64) *kv.Mirror[string] {
	return kv.NewMirror(kv.MirrorOptions[string]{DB: db, Log: trail, Name: "outside", Batch: 16,
		Place: func() uint64 { return o.place },
		Read: func(_ *kv.Tx, entries []kv.Entry[string], place uint64) (func() error, error) {
			var read []string
			for _, e := range entries {
				if e.Seq == bad {
					panic("bad entry")
				}
				read = append(read, e.ID)
			}
			return func() error {
				if o.fail != nil {
					return o.fail
				}
				o.kept, o.place = append(o.kept, read...), place
				return nil
			}, nil
		}})
}

func TestAMirrorKeepsItsPlaceWithItsResult(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	fill(t, db, 50)
	o := &outside{fail: errors.New("disk full")}
	m := o.mirror(db, 20)
	for range 3 * kv.FollowTries {
		if more, err := kv.Step(m); more || err == nil {
			t.Fatal("failure to keep the result not reported")
		}
	}
	if o.place != 0 {
		t.Fatalf("place moved to %d without a result", o.place)
	}
	o.fail = nil
	failures := 0
	for more := true; more; {
		var err error
		if more, err = kv.Step(m); err != nil {
			failures++
			more = true
		}
	}
	if o.place != 50 || len(o.kept) != 49 || slices.Contains(o.kept, "e0019") || failures != kv.FollowTries-1 {
		t.Errorf("at %d with %d entries after %d failures", o.place, len(o.kept), failures)
	}
	// Another mirror begins where the result ends.
	fillFrom(t, db, 50, 1)
	if _, err := kv.Step(o.mirror(db, 20)); err != nil || len(o.kept) != 50 {
		t.Errorf("%d entries, %v", len(o.kept), err)
	}
}

func TestAMirrorFollowsUntilItIsStopped(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	o := &outside{}
	reached := make(chan uint64, 100)
	m := kv.NewMirror(kv.MirrorOptions[string]{DB: db, Log: trail, Name: "outside", Batch: 16,
		Place: func() uint64 { return o.place },
		Read: func(_ *kv.Tx, _ []kv.Entry[string], place uint64) (func() error, error) {
			return func() error { o.place = place; reached <- place; return nil }, nil
		}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	fill(t, db, 40)
	for at := range reached {
		if at == 40 {
			break
		}
	}
	cancel()
	if err := patience.Receive(t, "the end of the follower", done); err != nil {
		t.Error(err)
	}
}
