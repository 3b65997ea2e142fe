package kv_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/kv"
)

// clock is advanced by the tests.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()).UTC() }
func (c *clock) forward(d time.Duration) { c.at.Add(d.Milliseconds()) }

// work runs jobs until the test ends or stop is called.
func work(t *testing.T, jobs *kv.Jobs, handlers ...kv.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- jobs.Run(ctx, 4, handlers...) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := patience.Receive(t, "the end of the workers", done); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func idle(t *testing.T, jobs *kv.Jobs) {
	t.Helper()
	if err := jobs.Idle(patience.Context(t)); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, db *kv.DB, jobs *kv.Jobs, list ...kv.Job) {
	t.Helper()
	update(t, db, func(tx *kv.Tx) error {
		for _, j := range list {
			if err := jobs.Add(tx, j); err != nil {
				return err
			}
		}
		return nil
	})
}

func stats(t *testing.T, db *kv.DB, jobs *kv.Jobs) (s kv.JobStats) {
	t.Helper()
	view(t, db, func(tx *kv.Tx) (err error) { s, err = jobs.Stats(tx); return err })
	return s
}

func TestJobsRunWhenDue(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	jobs := kv.NewJobs(db)
	var mu sync.Mutex
	var ran []string
	record := func(_ context.Context, j kv.Job) error {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, string(j.Payload))
		return nil
	}
	work(t, jobs, kv.Handler{Kind: "a", Run: record}, kv.Handler{Kind: "b", Run: record})
	want := func(list ...string) {
		t.Helper()
		idle(t, jobs)
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(ran)
		if !slices.Equal(ran, list) {
			t.Errorf("ran %v, want %v", ran, list)
		}
	}
	add(t, db, jobs,
		kv.Job{Kind: "a", Payload: []byte("1")},
		kv.Job{Kind: "b", Payload: []byte("2")},
		kv.Job{Kind: "a", Payload: []byte("3"), Due: c.now().Add(time.Hour)},
		kv.Job{Kind: "b", Payload: []byte("4"), Due: c.now().Add(24 * time.Hour)},
	)
	want("1", "2")
	c.forward(time.Hour)
	jobs.Nudge()
	want("1", "2", "3")
	add(t, db, jobs, kv.Job{Kind: "a", Payload: []byte("5"), Due: c.now().Add(-time.Hour)})
	want("1", "2", "3", "5")
	if s := stats(t, db, jobs); s.Waiting != 1 || s.Kinds["b"].Waiting != 1 || !s.Kinds["b"].Oldest.Equal(c.now().Add(23*time.Hour)) {
		t.Errorf("stats %+v", s)
	}
}

func TestJobKeyReplaces(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	jobs := kv.NewJobs(db)
	later := c.now().Add(time.Hour)
	add(t, db, jobs,
		kv.Job{Kind: "a", Key: "k", Payload: []byte("old"), Due: later},
		kv.Job{Kind: "b", Key: "k", Payload: []byte("other kind"), Due: later},
		kv.Job{Kind: "a", Key: "k", Payload: []byte("new"), Due: later},
		kv.Job{Kind: "a", Key: "l", Payload: []byte("cancelled"), Due: later},
	)
	update(t, db, func(tx *kv.Tx) error { return errors.Join(jobs.Cancel(tx, "a", "l"), jobs.Cancel(tx, "a", "none")) })
	view(t, db, func(tx *kv.Tx) error {
		p, err := jobs.List(tx, kv.JobWaiting, kv.Query{Limit: 10})
		if p.Total != 2 || string(p.Items[0].Payload) != "new" || string(p.Items[1].Payload) != "other kind" {
			t.Errorf("got %+v", p.Items)
		}
		return err
	})
	clean(t, db, jobs)
}

func TestJobIsTriedAgainThenDead(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	jobs := kv.NewJobs(db)
	var runs atomic.Int64
	dead := make(chan kv.Job, 10)
	work(t, jobs, kv.Handler{
		Kind:    "a",
		Backoff: []time.Duration{time.Minute, time.Hour},
		Run: func(_ context.Context, j kv.Job) error {
			if runs.Add(1); string(j.Payload) == "panic" {
				panic("handler")
			}
			return errors.New("no luck")
		},
		OnDead: func(_ context.Context, j kv.Job) { dead <- j },
	}, kv.Handler{
		Kind:    "hopeless",
		Backoff: []time.Duration{time.Minute},
		Run: func(context.Context, kv.Job) error {
			return fmt.Errorf("really: %w", kv.Permanent(errors.New("gone")))
		},
		OnDead: func(_ context.Context, j kv.Job) { dead <- j },
	})
	add(t, db, jobs, kv.Job{ID: "x", Kind: "a", Key: "k"})
	for i, pause := range []time.Duration{0, time.Minute, time.Hour} {
		c.forward(pause)
		jobs.Nudge()
		idle(t, jobs)
		if n := int(runs.Load()); n != i+1 {
			t.Fatalf("%d attempts after pause %d", n, i)
		}
	}
	if j := patience.Receive(t, "a dead job", dead); j.ID != "x" || j.State != kv.JobDead || j.LastError != "no luck" || j.Attempts != 3 {
		t.Errorf("dead: %+v", j)
	}
	update(t, db, func(tx *kv.Tx) error { return jobs.Retry(tx, "x") })
	idle(t, jobs)
	view(t, db, func(tx *kv.Tx) error {
		j, err := jobs.Get(tx, "x")
		if j.Attempts != 1 || j.State != kv.JobWaiting || !j.Due.Equal(c.now().Add(time.Minute)) {
			t.Errorf("after Retry: %+v", j)
		}
		return err
	})
	add(t, db, jobs, kv.Job{ID: "y", Kind: "hopeless"}, kv.Job{ID: "z", Kind: "a", Payload: []byte("panic")})
	idle(t, jobs)
	if j := patience.Receive(t, "a dead job", dead); j.ID != "y" || j.LastError != "really: gone" {
		t.Errorf("dead: %+v", j)
	}
	view(t, db, func(tx *kv.Tx) error {
		j, err := jobs.Get(tx, "z")
		if j.LastError != "panic: handler" {
			t.Errorf("after a panic: %+v", j)
		}
		return err
	})
	update(t, db, func(tx *kv.Tx) error { return jobs.Remove(tx, "y") })
	if s := stats(t, db, jobs); s.Dead != 0 || s.Waiting != 2 {
		t.Errorf("stats %+v", s)
	}
	clean(t, db, jobs)
}

// TestFailureIsStoredWithItsConsequence makes jobs fail in every way, and expects the writes of
// OnFail wherever the failed attempt is stored.
func TestFailureIsStoredWithItsConsequence(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	jobs := kv.NewJobs(db)
	noted := kv.NewCollection("noted", kv.JSON[string]())
	note := func(tx *kv.Tx, j kv.Job, err error) error {
		if stored, e := jobs.Get(tx, j.ID); e != nil || stored.State != j.State {
			t.Errorf("job %s is stored as %q, %v, not %q", j.ID, stored.State, e, j.State)
		}
		return noted.Put(tx, j.ID, j.State+": "+err.Error())
	}
	update(t, db, func(tx *kv.Tx) error {
		return jobs.Put(tx, kv.Job{ID: "killed", Kind: "a", State: kv.JobRunning, Owner: "a process that is gone", Attempts: 1, Interrupted: 2})
	})
	work(t, jobs, kv.Handler{Kind: "a", OnFail: note, Backoff: []time.Duration{time.Hour}, Run: func(_ context.Context, j kv.Job) error {
		if string(j.Payload) == "panic" {
			panic("handler")
		}
		return kv.Permanent(errors.New("gone"))
	}}, kv.Handler{Kind: "b", Run: func(context.Context, kv.Job) error { return errors.New("no luck") }, OnFail: func(tx *kv.Tx, j kv.Job, err error) error {
		_ = note(tx, j, err)
		panic("hook")
	}})
	add(t, db, jobs, kv.Job{ID: "panics", Kind: "a", Payload: []byte("panic")}, kv.Job{ID: "gone", Kind: "a"}, kv.Job{ID: "hook", Kind: "b"})
	idle(t, jobs)
	view(t, db, func(tx *kv.Tx) error {
		for id, want := range map[string]string{"killed": "waiting: " + kv.ErrStopped.Error(), "panics": "waiting: panic: handler", "gone": "dead: gone"} {
			if got, err := noted.Get(tx, id); got != want || err != nil {
				t.Errorf("%s: stored %q, %v; want %q", id, got, err, want)
			}
		}
		if got, err := noted.Get(tx, "hook"); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("panicking hook left %q, %v", got, err)
		}
		j, err := jobs.Get(tx, "hook")
		if j.State != kv.JobDead {
			t.Errorf("job with a panicking hook is %s", j.State)
		}
		return err
	})
}

// crash leaves all jobs in the state of a process killed while running them.
func crash(t *testing.T, db *kv.DB, jobs *kv.Jobs) {
	t.Helper()
	update(t, db, func(tx *kv.Tx) error {
		orphans, err := jobs.List(tx, "", kv.Query{Limit: 9})
		if err != nil {
			return err
		}
		for _, j := range orphans.Items {
			j.State, j.Owner = kv.JobRunning, "a process that is gone"
			j.Attempts++
			if err := jobs.Put(tx, j); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestJobsSurviveTheirProcess(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	before := kv.NewJobs(db)
	add(t, db, before, kv.Job{ID: "x", Kind: "a"}, kv.Job{ID: "y", Kind: "a", Key: "k"})
	crash(t, db, before)
	add(t, db, before, kv.Job{ID: "new", Kind: "a", Key: "k"})
	after := kv.NewJobs(db)
	ran := make(chan string, 3)
	// Only one attempt is allowed: one that was cut short doesn't count.
	work(t, after, kv.Handler{Kind: "a", Run: func(_ context.Context, j kv.Job) error {
		ran <- fmt.Sprint(j.ID, j.Attempts)
		return nil
	}})
	got := []string{patience.Receive(t, "the first job", ran), patience.Receive(t, "the second job", ran)}
	idle(t, after)
	slices.Sort(got)
	if !slices.Equal(got, []string{"new1", "x1"}) || len(ran) > 0 { // y was replaced while it was orphaned
		t.Errorf("ran %v and %d more", got, len(ran))
	}
}

// TestIdleWaitsForOnDead holds OnDead up after its job is stored as dead.
func TestIdleWaitsForOnDead(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Now: newClock().now})
	jobs := kv.NewJobs(db)
	told, release := make(chan struct{}), make(chan struct{})
	work(t, jobs, kv.Handler{
		Kind:   "a",
		Run:    func(context.Context, kv.Job) error { return kv.Permanent(errors.New("gone")) },
		OnDead: func(context.Context, kv.Job) { close(told); <-release },
	})
	add(t, db, jobs, kv.Job{ID: "x", Kind: "a"})
	<-told
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := jobs.Idle(brief); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while OnDead runs, Idle returns %v", err)
	}
	close(release)
	idle(t, jobs)
}

func TestAJobThatCrashesEveryProcessIsGivenUp(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	add(t, db, kv.NewJobs(db), kv.Job{ID: "x", Kind: "a"})
	var dead []string
	h := kv.Handler{
		Kind:    "a",
		Backoff: []time.Duration{time.Hour},
		Run:     func(context.Context, kv.Job) error { return errors.New("must not begin") },
		OnDead:  func(_ context.Context, j kv.Job) { dead = append(dead, j.LastError) },
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for i, want := range []struct {
		state    string
		attempts int
		due      time.Time
	}{
		{kv.JobWaiting, 0, c.now()},
		{kv.JobWaiting, 0, c.now()},
		{kv.JobWaiting, 1, c.now().Add(time.Hour)},
		{kv.JobDead, 2, c.now().Add(time.Hour)},
	} {
		jobs := kv.NewJobs(db)
		crash(t, db, jobs)
		if err := jobs.Run(ended, 1, h); err != nil {
			t.Fatal(err)
		}
		view(t, db, func(tx *kv.Tx) error {
			j, err := jobs.Get(tx, "x")
			if j.State != want.state || j.Attempts != want.attempts || !j.Due.Equal(want.due) {
				t.Errorf("after crash %d: %+v, want %+v", i+1, j, want)
			}
			return err
		})
	}
	if len(dead) != 1 || dead[0] != "the process stopped during the attempt" {
		t.Errorf("given up: %q", dead)
	}
}

func TestStoppingReturnsJobs(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	begun := make(chan struct{})
	stop := work(t, jobs, kv.Handler{Kind: "a", Run: func(ctx context.Context, _ kv.Job) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}})
	add(t, db, jobs, kv.Job{ID: "x", Kind: "a"})
	patience.Receive(t, "the beginning of the job", begun)
	stop()
	view(t, db, func(tx *kv.Tx) error {
		j, err := jobs.Get(tx, "x")
		if j.State != kv.JobWaiting || j.Attempts != 0 {
			t.Errorf("got %+v", j)
		}
		return err
	})
}

func TestJobTimeout(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	work(t, jobs, kv.Handler{Kind: "a", Timeout: time.Millisecond, Run: func(ctx context.Context, _ kv.Job) error {
		<-ctx.Done()
		return ctx.Err()
	}})
	add(t, db, jobs, kv.Job{ID: "x", Kind: "a"})
	idle(t, jobs)
	view(t, db, func(tx *kv.Tx) error {
		j, err := jobs.Get(tx, "x")
		if j.State != kv.JobDead || j.LastError != context.DeadlineExceeded.Error() {
			t.Errorf("got %+v", j)
		}
		return err
	})
}

// TestHandlerRemovesItsJob removes the job in the transaction that stores its result.
func TestHandlerRemovesItsJob(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	var runs atomic.Int64
	work(t, jobs, kv.Handler{Kind: "a", Backoff: []time.Duration{0, 0}, Run: func(_ context.Context, j kv.Job) error {
		runs.Add(1)
		if err := db.Update(func(tx *kv.Tx) error { return jobs.Remove(tx, j.ID) }); err != nil {
			return err
		}
		return errors.New("after the result was stored")
	}})
	add(t, db, jobs, kv.Job{Kind: "a"})
	idle(t, jobs)
	if s := stats(t, db, jobs); runs.Load() != 1 || s.Dead+s.Waiting > 0 {
		t.Errorf("%d runs, %+v", runs.Load(), s)
	}
}

func TestManyJobsRunOnceEach(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	jobs := kv.NewJobs(db)
	var mu sync.Mutex
	ran := map[string]int{}
	run := func(_ context.Context, j kv.Job) error {
		mu.Lock()
		defer mu.Unlock()
		ran[string(j.Payload)]++
		return nil
	}
	work(t, jobs, kv.Handler{Kind: "a", Run: run}, kv.Handler{Kind: "b", Run: run})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				err := db.Update(func(tx *kv.Tx) error {
					return jobs.Add(tx, kv.Job{Kind: []string{"a", "b"}[i%2], Payload: fmt.Append(nil, w, "/", i)})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	idle(t, jobs)
	mu.Lock()
	defer mu.Unlock()
	if len(ran) != 200 {
		t.Errorf("%d jobs ran, want 200", len(ran))
	}
	for name, n := range ran {
		if n != 1 {
			t.Errorf("job %s ran %d times", name, n)
		}
	}
	clean(t, db, jobs)
}

// TestScopesAreServedInTurn checks that a scope with many slow jobs leaves workers for the
// others, and that unused workers are shared in turn.
func TestScopesAreServedInTurn(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	var list []kv.Job
	for i := range 200 {
		list = append(list, kv.Job{Kind: "mail", Scope: "a", Payload: fmt.Append(nil, i)})
	}
	add(t, db, jobs, list...)
	var mu sync.Mutex
	running, most := 0, 0
	release := make(chan struct{})
	others := make(chan string, 10)
	work(t, jobs, kv.Handler{Kind: "mail", Run: func(ctx context.Context, j kv.Job) error {
		if j.Scope != "a" {
			others <- j.Scope
			return nil
		}
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		select {
		case <-release:
		case <-ctx.Done():
		}
		mu.Lock()
		running--
		mu.Unlock()
		return nil
	}})
	patience.Until(t, "the workers of the first scope are busy", func() (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprint(running), running == 2
	})
	for _, scope := range []string{"b", "c", ""} {
		add(t, db, jobs, kv.Job{Kind: "mail", Scope: scope})
		if got := patience.Receive(t, "the job of "+scope, others); got != scope {
			t.Errorf("ran a job of %q, want %q", got, scope)
		}
	}
	close(release)
	idle(t, jobs)
	if most != 2 {
		t.Errorf("%d of 4 workers served one scope at a time, want half", most)
	}
	clean(t, db, jobs)
}

// TestOneWorkerGoesFromScopeToScope expects one job of each scope in turn, whenever they were
// added.
func TestOneWorkerGoesFromScopeToScope(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := open(t, kv.Options{Now: c.now})
	jobs := kv.NewJobs(db)
	for _, scope := range []string{"a", "a", "a", "b", "b", "c"} {
		c.forward(time.Millisecond)
		add(t, db, jobs, kv.Job{Kind: "mail", Scope: scope})
	}
	order := ""
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- jobs.Run(ctx, 1, kv.Handler{Kind: "mail", Run: func(_ context.Context, j kv.Job) error {
			order += j.Scope
			return nil
		}})
	}()
	idle(t, jobs)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if order != "abcaba" {
		t.Errorf("served %s, want abcaba", order)
	}
}

func TestRebuiltJobsAreFound(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	add(t, db, jobs, kv.Job{Kind: "mail", Scope: "a"})
	if err := jobs.Rebuild(); err != nil {
		t.Fatal(err)
	}
	clean(t, db, jobs)
	ran := make(chan string, 1)
	work(t, jobs, kv.Handler{Kind: "mail", Run: func(_ context.Context, j kv.Job) error { ran <- j.Scope; return nil }})
	patience.Receive(t, "the job", ran)
}

// TestNoJobIsForgottenByANudge adds jobs and nudges the workers at once, from several
// goroutines: a job stored while the workers read the list must not be missed.
func TestNoJobIsForgottenByANudge(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	jobs := kv.NewJobs(db)
	var handlers []kv.Handler
	for i := range 20 {
		handlers = append(handlers, kv.Handler{Kind: fmt.Sprint("kind", i), Run: func(context.Context, kv.Job) error { return nil }})
	}
	work(t, jobs, handlers...)
	for round := range 100 {
		var running sync.WaitGroup
		for i := range 8 {
			running.Go(func() {
				add(t, db, jobs, kv.Job{Kind: fmt.Sprint("kind", (round+i)%20), Scope: fmt.Sprint("scope", round, i)})
				jobs.Nudge()
			})
		}
		running.Wait()
		idle(t, jobs)
	}
}

// TestScopesHaveClocks runs the jobs of two scopes whose clocks differ: each is due by its own, and
// what is written for a scope is dated by it.
func TestScopesHaveClocks(t *testing.T) {
	t.Parallel()
	c, ahead := newClock(), newClock()
	db := open(t, kv.Options{Now: c.now, NowIn: func(scope string) time.Time {
		if scope == "ahead" {
			return ahead.now()
		}
		return c.now()
	}})
	jobs := kv.NewJobs(db)
	ran := make(chan string, 3)
	work(t, jobs, kv.Handler{Kind: "a", Run: func(_ context.Context, j kv.Job) error { ran <- j.Scope; return nil }})
	soon := c.now().Add(time.Hour)
	add(t, db, jobs, kv.Job{Kind: "a", Scope: "ahead", Due: soon}, kv.Job{Kind: "a", Scope: "behind", Due: soon})
	idle(t, jobs)
	ahead.forward(2 * time.Hour)
	jobs.Nudge()
	if got := patience.Receive(t, "the job that is due", ran); got != "ahead" {
		t.Errorf("the job of %q ran", got)
	}
	if err := jobs.IdleIn(patience.Context(t), "ahead"); err != nil {
		t.Fatal(err)
	}
	idle(t, jobs)
	for scope, want := range map[string]time.Time{"ahead": {}, "behind": soon} {
		if due, err := jobs.NextIn(scope); err != nil || !due.Equal(want) {
			t.Errorf("the next job of %q is due at %v, %v", scope, due, err)
		}
	}
	if due, err := jobs.NextInAny(); err != nil || !due.Equal(soon) {
		t.Errorf("the next job is due at %v, %v", due, err)
	}
	err := db.For("ahead").Update(func(tx *kv.Tx) error {
		if !tx.Now.Equal(ahead.now()) || !tx.NowIn("behind").Equal(c.now()) {
			t.Errorf("it is %v, and elsewhere %v", tx.Now, tx.NowIn("behind"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-ran:
		t.Errorf("the job of %q ran", got)
	default:
	}
}
