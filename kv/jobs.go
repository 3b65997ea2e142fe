package kv

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
)

// States of a job. A finished job is removed.
const (
	JobWaiting = "waiting" // until it is due and a worker is free
	JobRunning = "running"
	JobDead    = "dead" // given up; kept until it is retried or removed
)

// Job is work due at a certain time, attempted until it succeeds or is given up. It is stored
// with the records, so it is added in the transaction that makes it necessary, and is as
// durable as they are.
type Job struct {
	ID        string
	Kind      string // which handler runs it
	Scope     string // owner; scopes are served in turn; may be empty
	Key       string // at most one job waits per Kind and Key; may be empty
	Payload   []byte
	Due       time.Time
	Attempts  int // started so far
	LastError string
	State     string
	CreatedAt time.Time
	// Owner is the run of the program that has a running job. No run after a crash has that
	// name, so the job goes back to waiting.
	Owner string `json:",omitempty"`
	// Interrupted counts the most recent consecutive attempts cut short by a crash.
	Interrupted int `json:",omitempty"`
}

// JobStats counts jobs.
type JobStats struct {
	Waiting, Running, Dead int
	Kinds                  map[string]KindStats
}

// KindStats counts the jobs of one kind.
type KindStats struct {
	Waiting, Running, Dead int
	Oldest                 time.Time // due time of the first waiting job; zero if none
}

// Jobs is the job list of a store together with its workers. Use one per store.
type Jobs struct {
	db    *DB
	all   *Collection[Job]
	owner string

	mu     sync.Mutex
	nudged chan struct{} // closed when there may be work
	lines  lines
	epoch  int64          // of the store content that the lines belong to
	ending map[string]int // by scope, attempts whose OnDead may still be called
}

// NewJobs returns the jobs of a store.
func NewJobs(db *DB) *Jobs {
	j := &Jobs{
		db:     db,
		owner:  rand.Text(),
		nudged: make(chan struct{}),
		lines:  newLines(),
		ending: map[string]int{},
		all: NewCollection("jobs", JSON[Job](),
			Index[Job]{Name: "state", Counted: true, Depth: 2, Keys: func(j Job) []Key {
				return []Key{K(j.State, j.Kind, KeyTime(j.Due))}
			}},
			Index[Job]{Name: "line", Keys: func(j Job) []Key {
				if j.State != JobWaiting {
					return nil
				}
				return []Key{K(j.Kind, j.Scope, KeyTime(j.Due))}
			}},
			Index[Job]{Name: "key", Unique: true, Keys: func(j Job) []Key {
				if j.Key == "" || j.State != JobWaiting {
					return nil
				}
				return []Key{K(j.Kind, j.Key)}
			}},
		),
	}
	j.all.scope = func(job Job) string { return job.Scope }
	return j
}

// Add puts a job on the list: ID and CreatedAt are set if empty, Due defaults to now. A job
// with a Key replaces the waiting job with the same Kind and Key.
func (j *Jobs) Add(tx *Tx, job Job) error {
	if job.Kind == "" {
		return errors.New("kv: job without a kind")
	}
	if job.ID == "" {
		job.ID = rand.Text()
	}
	if job.CreatedAt.IsZero() {
		job.CreatedAt = tx.NowIn(job.Scope)
	}
	if job.Due.IsZero() {
		job.Due = tx.NowIn(job.Scope)
	}
	job.State, job.Owner = JobWaiting, ""
	if err := j.Cancel(tx, job.Kind, job.Key); err != nil {
		return err
	}
	return j.await(tx, job)
}

// await stores a waiting job and wakes the workers.
func (j *Jobs) await(tx *Tx, job Job) error {
	tx.OnCommit(func() { j.waits(job) })
	return j.all.Put(tx, job.ID, job)
}

// Cancel removes the waiting job of a kind and key. It is not an error if there is none, as it
// may be running already.
func (j *Jobs) Cancel(tx *Tx, kind, key string) error {
	if key == "" {
		return nil
	}
	id, _, err := j.all.Lookup(tx, "key", K(kind, key))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return j.all.Delete(tx, id)
}

// Get returns a job, or [ErrNotFound].
func (j *Jobs) Get(tx *Tx, id string) (Job, error) { return j.all.Get(tx, id) }

// Remove takes a job off the list, whatever its state. A handler may call it in the transaction
// that stores its result, so that both happen or neither.
func (j *Jobs) Remove(tx *Tx, id string) error { return j.all.Delete(tx, id) }

// Retry makes a dead job wait again, due now, with its attempts reset. A waiting job becomes
// due now.
func (j *Jobs) Retry(tx *Tx, id string) error {
	job, err := j.all.Get(tx, id)
	if err != nil {
		return err
	}
	switch job.State {
	case JobRunning:
		return fmt.Errorf("kv: job %s is running", id)
	case JobDead:
		job.Attempts, job.Interrupted = 0, 0
		if err := j.Cancel(tx, job.Kind, job.Key); err != nil {
			return err
		}
	}
	job.State, job.Due = JobWaiting, tx.NowIn(job.Scope)
	return j.await(tx, job)
}

// List returns the jobs in a state, by kind and due time; an empty state means all.
func (j *Jobs) List(tx *Tx, state string, q Query) (Page[Job], error) {
	q.Index, q.Prefix = "state", nil
	if state != "" {
		q.Prefix = K(state)
	}
	return j.all.Page(tx, q)
}

// Stats counts the jobs. Its cost depends only on the number of kinds.
func (j *Jobs) Stats(tx *Tx) (JobStats, error) {
	out := JobStats{Kinds: map[string]KindStats{}}
	for _, state := range []string{JobWaiting, JobRunning, JobDead} {
		total, err := j.all.Count(tx, "state", K(state))
		if err != nil {
			return JobStats{}, err
		}
		*out.field(state) = total
		if err := j.kindStats(tx, state, out.Kinds); err != nil {
			return JobStats{}, err
		}
	}
	return out, nil
}

func (s *JobStats) field(state string) *int {
	switch state {
	case JobWaiting:
		return &s.Waiting
	case JobRunning:
		return &s.Running
	}
	return &s.Dead
}

// kindStats finds the kinds in a state by skipping from the first job of one to the first of
// the next.
func (j *Jobs) kindStats(tx *Tx, state string, into map[string]KindStats) error {
	for from := (Key)(nil); ; {
		var first *Job
		err := j.all.EachFrom(tx, "state", K(state), from, func(_ string, job Job) (bool, error) {
			first = &job
			return false, nil
		})
		if err != nil || first == nil {
			return err
		}
		kind := K(state, first.Kind)
		n, err := j.all.Count(tx, "state", kind)
		if err != nil {
			return err
		}
		k := into[first.Kind]
		switch state {
		case JobWaiting:
			k.Waiting, k.Oldest = n, first.Due
		case JobRunning:
			k.Running = n
		default:
			k.Dead = n
		}
		into[first.Kind] = k
		from = after(kind)
	}
}

// Rebuild recreates the indexes of the list; see [Collection.Rebuild].
func (j *Jobs) Rebuild() error { return j.all.Rebuild(j.db) }

// Problems checks the list of jobs; see [Checker].
func (j *Jobs) Problems(tx *Tx) []error { return j.all.Problems(tx) }

// Nudge makes the workers look again now, after the clock was changed or the store was
// restored.
func (j *Jobs) Nudge() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines.forget()
	j.wake()
}

// waits records a waiting job.
func (j *Jobs) waits(job Job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines.waits(job.Kind, job.Scope, job.Due)
	j.wake()
}

func (j *Jobs) wake() {
	close(j.nudged)
	j.nudged = make(chan struct{})
}

// look makes the workers look again.
func (j *Jobs) look() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wake()
}
