package kv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"
)

// Handler does the jobs of one kind.
type Handler struct {
	Kind string
	// Run does the job. A job may be run again after a crash at the worst
	// moment, so it either bears that or tells the outside world the job's ID.
	Run func(ctx context.Context, job Job) error
	// Backoff is how long to wait after each failed attempt; when it is used up
	// the job is dead. None: one attempt.
	Backoff []time.Duration
	Timeout time.Duration // of one attempt; 0: none
	// OnDead is told of a job that was given up, after that is stored.
	OnDead func(ctx context.Context, job Job)
}

type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent marks an error that another attempt would not mend: the job is dead
// at once.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// patrol is how often workers look though nothing happened, in case the clock
// was moved.
const patrol = time.Minute

// Run does jobs of the handlers' kinds until ctx ends and the running handlers
// have returned. Jobs are due by the store's clock. Those that an earlier
// process was running are taken up again, the broken attempt counted. When ctx
// ends during an attempt, the job waits for the next Run as if the attempt had
// not begun.
func (j *Jobs) Run(ctx context.Context, workers int, handlers ...Handler) error {
	byKind := map[string]Handler{}
	for _, h := range handlers {
		byKind[h.Kind] = h
	}
	if err := j.takeUp(handlers); err != nil {
		return err
	}
	w := &workersOf{jobs: j, handlers: byKind, free: make(chan struct{}, max(workers, 1)), ctx: ctx}
	err := w.run()
	w.running.Wait()
	return err
}

// takeUp makes the jobs wait that a process which is no more was running.
func (j *Jobs) takeUp(handlers []Handler) error {
	return j.db.Update(func(tx *Tx) error {
		for _, h := range handlers {
			var lost []Job
			err := j.all.Each(tx, "state", K(JobRunning, h.Kind), func(_ string, job Job) (bool, error) {
				if job.Owner != j.owner {
					lost = append(lost, job)
				}
				return len(lost) < 1000, nil
			})
			if err != nil {
				return err
			}
			for _, job := range lost {
				if err := j.fail(tx, job, h, errors.New("the process stopped during the attempt")); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// workersOf is one call of Run.
type workersOf struct {
	jobs     *Jobs
	handlers map[string]Handler
	free     chan struct{} // a token per busy worker
	running  sync.WaitGroup
	ctx      context.Context
}

// run hands out jobs as they become due and workers become free.
func (w *workersOf) run() error {
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
		w.running.Go(func() {
			defer func() { <-w.free }()
			w.do(*job)
		})
	}
}

// next waits for a job and claims it; nil when ctx has ended.
func (w *workersOf) next() (*Job, error) {
	for w.ctx.Err() == nil {
		nudged := w.jobs.nudge()
		job, due, err := w.jobs.claim(w.handlers)
		if errors.Is(err, ErrClosed) {
			return nil, err
		}
		if err != nil { // such as a full disk: nothing is lost, only late
			w.jobs.db.log.Error("kv: jobs cannot be taken", "error", err)
			wait(w.ctx, time.Second)
			continue
		}
		if job != nil {
			return job, nil
		}
		w.sleep(nudged, due)
	}
	return nil, nil
}

func (j *Jobs) nudge() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.nudged
}

// sleep waits for the next due time or for news.
func (w *workersOf) sleep(nudged <-chan struct{}, due time.Time) {
	pause := patrol
	if !due.IsZero() {
		pause = max(time.Millisecond, min(pause, due.Sub(w.jobs.db.moment())))
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-nudged:
	case <-w.ctx.Done():
	}
}

// claim marks the job that has been due longest as running. Without one it
// returns the time when the first becomes due.
func (j *Jobs) claim(handlers map[string]Handler) (job *Job, due time.Time, err error) {
	first, err := j.peek(handlers)
	if err != nil || first == nil {
		return nil, due, err
	}
	if first.Due.After(j.db.moment()) {
		return nil, first.Due, nil
	}
	err = j.db.Update(func(tx *Tx) error {
		now, err := j.all.Get(tx, first.ID)
		if errors.Is(err, ErrNotFound) || err == nil && (now.State != JobWaiting || now.Due.After(tx.Now)) {
			due = tx.Now // somebody was faster: look again at once
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
		return nil, due, err
	}
	return job, due, nil
}

// peek finds the waiting job that is due first, and raises the floors to what
// it has seen. What is added after the look lowers them again, and what is
// added during it is noticed by the count of news.
func (j *Jobs) peek(handlers map[string]Handler) (first *Job, err error) {
	floor, news := j.floors()
	err = j.db.View(func(tx *Tx) error {
		for kind := range handlers {
			job, err := j.firstOf(tx, kind, floor[kind])
			if err != nil {
				return err
			}
			floor[kind] = never
			if job == nil {
				continue
			}
			floor[kind] = job.Due
			if first == nil || job.Due.Before(first.Due) {
				first = job
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	j.raise(floor, news)
	return first, nil
}

// never is later than anything is due.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func (j *Jobs) floors() (floor map[string]time.Time, news int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if epoch := j.db.epoch.Load(); epoch != j.epoch {
		clear(j.floor)
		j.epoch = epoch
	}
	return maps.Clone(j.floor), j.news
}

func (j *Jobs) raise(floor map[string]time.Time, news int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.news == news && j.epoch == j.db.epoch.Load() {
		j.floor = floor
	}
}

// firstOf finds the first waiting job of a kind.
func (j *Jobs) firstOf(tx *Tx, kind string, floor time.Time) (first *Job, err error) {
	prefix := K(JobWaiting, kind)
	err = j.all.EachFrom(tx, "state", prefix, prefix.With(KeyTime(floor)), func(_ string, job Job) (bool, error) {
		first = &job
		return false, nil
	})
	return first, err
}

// do runs one attempt and stores how it ended.
func (w *workersOf) do(job Job) {
	h := w.handlers[job.Kind]
	ctx, cancel := w.ctx, context.CancelFunc(func() {})
	if h.Timeout > 0 {
		ctx, cancel = context.WithTimeout(w.ctx, h.Timeout)
	}
	_, err := guarded(func() (struct{}, error) { return struct{}{}, h.Run(ctx, job) })
	cancel()
	stopped := err != nil && w.ctx.Err() != nil && !errors.As(err, new(permanent))
	dead := false
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		storeErr := w.jobs.db.Update(func(tx *Tx) (e error) {
			dead, e = w.jobs.settle(tx, job, h, err, stopped)
			return e
		})
		if storeErr == nil {
			break
		}
		w.jobs.db.log.Error("kv: end of a job cannot be stored", "job", job.ID, "error", storeErr)
		if errors.Is(storeErr, ErrClosed) || w.ctx.Err() != nil {
			return // it is taken up again at the next start
		}
		wait(w.ctx, pause)
	}
	if dead && h.OnDead != nil {
		job.LastError, job.State = err.Error(), JobDead
		h.OnDead(w.ctx, job)
	}
}

// settle stores the end of an attempt.
func (j *Jobs) settle(tx *Tx, job Job, h Handler, err error, stopped bool) (dead bool, e error) {
	tx.OnCommit(j.look)
	now, e := j.all.Get(tx, job.ID)
	if errors.Is(e, ErrNotFound) {
		return false, nil // the handler has removed it, with its result
	}
	if e != nil {
		return false, e
	}
	switch {
	case err == nil:
		return false, j.all.Delete(tx, job.ID)
	case stopped:
		now.Attempts--
		return false, j.again(tx, now, now.Due)
	}
	return j.isDead(now, h, err), j.fail(tx, now, h, err)
}

func (j *Jobs) isDead(job Job, h Handler, err error) bool {
	return errors.As(err, new(permanent)) || job.Attempts > len(h.Backoff)
}

// fail schedules a job's next attempt, or abandons the job.
func (j *Jobs) fail(tx *Tx, job Job, h Handler, err error) error {
	job.LastError = fmt.Sprint(err)
	if j.isDead(job, h, err) {
		job.State, job.Owner = JobDead, ""
		return j.all.Put(tx, job.ID, job)
	}
	return j.again(tx, job, tx.Now.Add(h.Backoff[job.Attempts-1]))
}

// again has a job wait, unless one of its kind and key was added meanwhile.
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

// Idle waits until no job is due or running. It waits for workers to do them,
// so something has to Run.
func (j *Jobs) Idle(ctx context.Context) error {
	for {
		changed, nudged := j.db.Changed(), j.nudge()
		busy, err := j.busy()
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
		stats, err := j.Stats(tx)
		if err != nil {
			return err
		}
		busy = stats.Running > 0
		for _, kind := range stats.Kinds {
			busy = busy || kind.Waiting > 0 && !kind.Oldest.After(tx.Now)
		}
		return nil
	})
	return busy, err
}
