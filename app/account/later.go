package account

import (
	"errors"
	"sync"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// maxLater bounds the queue.
const maxLater = 1000

// later queues work to be done after the response to its request. Writing takes longer than not
// writing, and the response time must not disclose whether an address is known. It is safe for
// concurrent use.
type later struct {
	mu    sync.Mutex
	todo  []func(tx *kv.Tx) error
	ready chan struct{}

	running sync.Mutex // held while work is done, so that a flush waits for it
}

func newLater() *later { return &later{ready: make(chan struct{}, 1)} }

// add queues work to be done soon, or returns an error if the queue is full.
func (l *later) add(do func(tx *kv.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.todo) >= maxLater {
		e := fault.Unavailable("busy")
		e.RetryAfter = 10 * time.Second
		return e
	}
	l.todo = append(l.todo, do)
	select {
	case l.ready <- struct{}{}:
	default:
	}
	return nil
}

func (l *later) take() []func(tx *kv.Tx) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	todo := l.todo
	l.todo = nil
	return todo
}

// flushLater does the queued work. Work that fails is not retried: the person will ask again.
func (s *Service) flushLater() error {
	s.later.running.Lock()
	defer s.later.running.Unlock()
	var errs []error
	for _, do := range s.later.take() {
		errs = append(errs, s.db.Update(do))
	}
	return errors.Join(errs...)
}
