package kv

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Handler runs the jobs of one kind.
type Handler struct {
	Kind string
	// Run does the job. After a crash a job may run again, so it must be idempotent or pass the
	// job's ID to the systems it calls.
	Run func(ctx context.Context, job Job) error
	// Backoff holds the delay after each failed attempt; once it is used up the job is dead.
	// None: one attempt.
	Backoff []time.Duration
	Timeout time.Duration // of one attempt; 0: none
	// OnFail is called in the transaction that stores a failed attempt, with the job as stored:
	// dead if it was given up. The error is [ErrStopped] if crashes cut the attempts short. If
	// OnFail itself fails, that is logged and the attempt is stored without it.
	OnFail func(tx *Tx, job Job, err error) error
	// OnDead is called after a job was given up and that has been stored.
	OnDead func(ctx context.Context, job Job)
}

// ErrStopped reports that the process ended during an attempt.
var ErrStopped = errors.New("the process stopped during the attempt")

type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent marks an error that a retry would not fix: the job becomes dead immediately.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// pollInterval is how often workers look without being woken, in case the clock was changed.
const pollInterval = time.Minute

// Run runs jobs of the handlers' kinds until ctx ends and the running handlers have returned.
// Jobs are due by the clock of their scope. Scopes are served in turn, and a single scope gets at most
// half of the workers, so that its jobs, however many and slow, don't hold up those of others.
// If ctx ends during an attempt, the job waits for the next Run as if the attempt had not
// begun. The same goes for a job that an earlier process was running when it crashed, unless
// that keeps happening.
func (j *Jobs) Run(ctx context.Context, workers int, handlers ...Handler) error {
	byKind := map[string]Handler{}
	for _, h := range handlers {
		byKind[h.Kind] = h
	}
	dead, err := j.reclaim(byKind)
	if err != nil {
		return err
	}
	for _, job := range dead {
		byKind[job.Kind].gaveUp(ctx, job)
	}
	workers = max(workers, 1)
	w := &workerPool{jobs: j, handlers: byKind, free: make(chan struct{}, workers), share: (workers + 1) / 2, busy: map[string]int{}, ctx: ctx}
	err = w.run()
	w.running.Wait()
	return err
}

// maxCrashes is how many consecutive attempts a crash may cut short before that counts as
// a failure: the job may be what crashes the process.
const maxCrashes = 2

// reclaim makes jobs that a previous process was running wait again, and returns those given up
// instead.
func (j *Jobs) reclaim(handlers map[string]Handler) (dead []Job, err error) {
	for kind, h := range handlers {
		orphaned, err := j.orphaned(kind)
		if err != nil {
			return nil, err
		}
		for _, job := range orphaned {
			now, err := j.end(h, func(tx *Tx, h Handler) (Job, error) { return j.interrupted(tx, job, h) })
			if err != nil {
				return nil, err
			}
			if now.State == JobDead {
				dead = append(dead, now)
			}
		}
	}
	return dead, nil
}

// orphaned returns the jobs of a kind that a previous process was running.
func (j *Jobs) orphaned(kind string) (orphaned []Job, err error) {
	err = j.db.View(func(tx *Tx) error {
		return j.all.Each(tx, "state", K(JobRunning, kind), func(_ string, job Job) (bool, error) {
			if job.Owner != j.owner {
				orphaned = append(orphaned, job)
			}
			return true, nil
		})
	})
	return orphaned, err
}

// end stores the outcome of an attempt, if need be without the effects of OnFail.
func (j *Jobs) end(h Handler, settle func(tx *Tx, h Handler) (Job, error)) (now Job, err error) {
	store := func() error {
		return j.db.Update(func(tx *Tx) (err error) {
			now, err = settle(tx, h)
			return err
		})
	}
	err = store()
	if !errors.As(err, new(*onFailError)) && (h.OnFail == nil || !errors.Is(err, ErrTooLarge)) {
		return now, err
	}
	j.db.log.Error("kv: OnFail failed", "kind", h.Kind, "error", err)
	h.OnFail = nil
	err = store()
	return now, err
}

// interrupted stores that a crash cut an attempt short.
func (j *Jobs) interrupted(tx *Tx, job Job, h Handler) (Job, error) {
	if job.Interrupted++; job.Interrupted > maxCrashes {
		return j.fail(tx, job, h, ErrStopped)
	}
	job.Attempts--
	return job, j.again(tx, job, job.Due)
}

// workerPool is the state of one call of Run.
type workerPool struct {
	jobs     *Jobs
	handlers map[string]Handler
	free     chan struct{} // one token per busy worker
	share    int           // maximum number of workers per scope
	running  sync.WaitGroup
	ctx      context.Context

	mu   sync.Mutex
	busy map[string]int // workers per scope
}

// full reports whether a scope uses its share of the workers.
func (w *workerPool) full(scope string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy[scope] >= w.share
}

func (w *workerPool) enter(scope string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[scope]++
}

// leave frees a scope's worker; a job may be waiting for it.
func (w *workerPool) leave(scope string) {
	w.mu.Lock()
	if w.busy[scope]--; w.busy[scope] == 0 {
		delete(w.busy, scope)
	}
	w.mu.Unlock()
	<-w.free
	w.jobs.look()
}

// run hands out jobs as they become due and workers become free.
func (w *workerPool) run() error {
	for {
		select {
		case w.free <- struct{}{}:
		case <-w.ctx.Done():
			return nil
		}
		job, err := w.next()
		if err != nil {
			<-w.free
			return err
		}
		if job == nil {
			return nil
		}
		w.enter(job.Scope)
		w.running.Go(func() {
			defer w.leave(job.Scope)
			w.do(*job)
		})
	}
}

// next waits for a job and claims it; nil once ctx has ended.
func (w *workerPool) next() (*Job, error) {
	for w.ctx.Err() == nil {
		nudged := w.jobs.nudge()
		job, pause, err := w.jobs.claim(w.handlers, w.full)
		if errors.Is(err, ErrClosed) {
			return nil, err
		}
		if err != nil { // such as a full disk: jobs are only delayed
			w.jobs.db.log.Error("kv: cannot claim a job", "error", err)
			wait(w.ctx, time.Second)
			continue
		}
		if job != nil {
			return job, nil
		}
		w.sleep(nudged, pause)
	}
	return nil, nil
}

func (j *Jobs) nudge() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.nudged
}

// sleep waits until the next job is due, or for a change.
func (w *workerPool) sleep(nudged <-chan struct{}, pause time.Duration) {
	t := time.NewTimer(max(time.Millisecond, min(pause, pollInterval)))
	defer t.Stop()
	select {
	case <-t.C:
	case <-nudged:
	case <-w.ctx.Done():
	}
}

// claim marks the next job in turn as running. If none is due it returns how long to wait
// before looking again.
func (j *Jobs) claim(handlers map[string]Handler, full func(scope string) bool) (job *Job, pause time.Duration, err error) {
	first, pause, err := j.peek(handlers, full)
	if err != nil || first == nil {
		return nil, pause, err
	}
	err = j.db.Update(func(tx *Tx) error {
		now, err := j.all.Get(tx, first.ID)
		if errors.Is(err, ErrNotFound) || err == nil && (now.State != JobWaiting || now.Due.After(tx.NowIn(now.Scope))) {
			pause = 0 // another worker was faster: look again immediately
			return nil
		}
		if err != nil {
			return err
		}
		now.State, now.Owner = JobRunning, j.owner
		now.Attempts++
		job = &now
		return j.all.Put(tx, now.ID, now)
	})
	if err != nil {
		return nil, 0, err
	}
	return job, pause, nil
}

// peek finds the next job in turn, or how long to wait before looking again.
func (j *Jobs) peek(handlers map[string]Handler, full func(scope string) bool) (first *Job, pause time.Duration, err error) {
	for {
		if err := j.known(handlers); err != nil {
			return nil, 0, err
		}
		p, pause, news := j.turn(handlers, full)
		if p == nil {
			return nil, pause, nil
		}
		if first, err = j.firstOf(p); err != nil {
			return nil, 0, err
		}
		isDue := first != nil && !first.Due.After(j.db.moment(p.scope))
		if j.saw(p, first, news, isDue); isDue {
			return first, 0, nil
		}
	}
}

// forever is longer than any pause.
const forever = time.Duration(math.MaxInt64)

func (j *Jobs) turn(handlers map[string]Handler, full func(scope string) bool) (p *lineOf, pause time.Duration, news int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p, pause = j.lines.next(handlers, full, j.db.moment)
	return p, pause, j.lines.news
}

// saw records the first job found in a line, and whether the line is served.
func (j *Jobs) saw(p *lineOf, first *Job, news int, served bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lines.saw(p, first, news); served {
		j.lines.served(p)
	}
}

// firstOf finds the first waiting job of a line.
func (j *Jobs) firstOf(p *lineOf) (first *Job, err error) {
	err = j.db.View(func(tx *Tx) error {
		prefix := K(p.kind, p.scope)
		return j.all.EachFrom(tx, "line", prefix, prefix.With(KeyTime(p.from)), func(_ string, job Job) (bool, error) {
			first = &job
			return false, nil
		})
	})
	return first, err
}

// do runs one attempt and stores its outcome.
func (w *workerPool) do(job Job) {
	h := w.handlers[job.Kind]
	if h.OnDead != nil {
		defer w.jobs.begin(job.Scope)()
	}
	ctx, cancel := w.ctx, context.CancelFunc(func() {})
	if h.Timeout > 0 {
		ctx, cancel = context.WithTimeout(w.ctx, h.Timeout)
	}
	_, err := guarded(func() (struct{}, error) { return struct{}{}, h.Run(ctx, job) })
	cancel()
	stopped := err != nil && w.ctx.Err() != nil && !errors.As(err, new(permanent))
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		now, storeErr := w.jobs.end(h, func(tx *Tx, h Handler) (Job, error) { return w.jobs.settle(tx, job.ID, h, err, stopped) })
		if storeErr == nil {
			h.gaveUp(w.ctx, now)
			return
		}
		w.jobs.db.log.Error("kv: cannot store the outcome of a job", "job", job.ID, "error", storeErr)
		if errors.Is(storeErr, ErrClosed) || w.ctx.Err() != nil {
			return // reclaimed at the next start
		}
		wait(w.ctx, pause)
	}
}

// begin counts an attempt until the returned function is called. The store no longer counts it as
// running when OnDead is called, but it isn't over yet.
func (j *Jobs) begin(scope string) (end func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ending[scope]++
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.ending[scope]--; j.ending[scope] == 0 {
			delete(j.ending, scope)
		}
		j.wake()
	}
}

// gaveUp calls OnDead with a job that is dead.
func (h Handler) gaveUp(ctx context.Context, job Job) {
	if job.State == JobDead && h.OnDead != nil {
		h.OnDead(ctx, job)
	}
}

// settle stores the outcome of an attempt, and returns the job if it goes back on the list or
// is given up.
func (j *Jobs) settle(tx *Tx, id string, h Handler, err error, stopped bool) (now Job, e error) {
	tx.OnCommit(j.look)
	now, e = j.all.Get(tx, id)
	if errors.Is(e, ErrNotFound) {
		return Job{}, nil // the handler has removed it along with storing its result
	}
	if e != nil {
		return Job{}, e
	}
	switch {
	case err == nil:
		return Job{}, j.all.Delete(tx, id)
	case stopped:
		now.Attempts--
		return now, j.again(tx, now, now.Due)
	}
	now.Interrupted = 0
	return j.fail(tx, now, h, err)
}

// fail schedules a job's next attempt, or gives the job up. It returns the job as stored.
func (j *Jobs) fail(tx *Tx, job Job, h Handler, err error) (Job, error) {
	job.LastError = fmt.Sprint(err)
	if errors.As(err, new(permanent)) || job.Attempts > len(h.Backoff) {
		job.State, job.Owner = JobDead, ""
		if err := j.all.Put(tx, job.ID, job); err != nil {
			return job, err
		}
		return job, h.failed(tx, job, err)
	}
	job.State = JobWaiting
	if err := j.again(tx, job, tx.NowIn(job.Scope).Add(h.Backoff[job.Attempts-1])); err != nil {
		return job, err
	}
	return job, h.failed(tx, job, err)
}

func (h Handler) failed(tx *Tx, job Job, err error) error {
	if h.OnFail == nil {
		return nil
	}
	_, e := guarded(func() (struct{}, error) { return struct{}{}, h.OnFail(tx, job, err) })
	if e != nil {
		return &onFailError{e}
	}
	return nil
}

// onFailError is an error of a handler's OnFail, as opposed to one of the store.
type onFailError struct{ error }

func (e *onFailError) Unwrap() error { return e.error }

// again makes a job wait, unless another of the same kind and key is waiting already; that one
// replaces it.
func (j *Jobs) again(tx *Tx, job Job, due time.Time) error {
	if job.Key != "" {
		_, _, err := j.all.Lookup(tx, "key", K(job.Kind, job.Key))
		if err == nil {
			return j.all.Delete(tx, job.ID)
		}
		if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	job.State, job.Owner, job.Due = JobWaiting, "", due
	return j.await(tx, job)
}

// Idle waits until no job is due or running, and OnDead has returned. It needs Run to be active.
func (j *Jobs) Idle(ctx context.Context) error {
	return j.idle(ctx, j.busy)
}

// IdleIn is Idle for the jobs of one scope.
func (j *Jobs) IdleIn(ctx context.Context, scope string) error {
	return j.idle(ctx, func() (bool, error) { return j.busyIn(scope) })
}

func (j *Jobs) idle(ctx context.Context, busy func() (bool, error)) error {
	for {
		changed, nudged := j.db.Changed(), j.nudge()
		busy, err := busy()
		if err != nil || !busy {
			return err
		}
		select {
		case <-changed:
		case <-nudged:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (j *Jobs) busy() (busy bool, err error) {
	err = j.db.View(func(tx *Tx) error {
		running, err := j.all.Count(tx, "state", K(JobRunning))
		if err != nil {
			return err
		}
		j.mu.Lock()
		busy = running > 0 || len(j.ending) > 0
		j.mu.Unlock()
		if busy {
			return nil
		}
		return j.eachLine(tx, func(first Job) { busy = busy || !first.Due.After(tx.NowIn(first.Scope)) })
	})
	return busy, err
}

func (j *Jobs) busyIn(scope string) (busy bool, err error) {
	err = j.db.View(func(tx *Tx) error {
		j.mu.Lock()
		busy = j.ending[scope] > 0
		j.mu.Unlock()
		err := j.all.Each(tx, "state", K(JobRunning), func(_ string, job Job) (bool, error) {
			busy = busy || job.Scope == scope
			return !busy, nil
		})
		if err != nil || busy {
			return err
		}
		return j.eachLineIn(tx, scope, func(first Job) { busy = busy || !first.Due.After(tx.NowIn(scope)) })
	})
	return busy, err
}

// NextIn returns when the first waiting job of a scope is due, or was; zero if none waits.
func (j *Jobs) NextIn(scope string) (due time.Time, err error) {
	err = j.db.View(func(tx *Tx) error {
		return j.eachLineIn(tx, scope, func(first Job) { due = earliest(due, first.Due) })
	})
	return due, err
}

// NextInAny is NextIn for all scopes but the empty one.
func (j *Jobs) NextInAny() (due time.Time, err error) {
	err = j.db.View(func(tx *Tx) error {
		return j.eachLine(tx, func(first Job) {
			if first.Scope != "" {
				due = earliest(due, first.Due)
			}
		})
	})
	return due, err
}

// earliest returns the earlier of two times, of which the first may be zero.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
