package account

import (
	"errors"
	"sync"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// maxLater bounds what waits to be done.
const maxLater = 1000

// later holds what is done after its request was answered. Writing takes longer than not
// writing: whoever asks about an address must not learn from the time of the answer whether
// it is known. Safe for use by several goroutines.
type later struct {
	mu    sync.Mutex
	todo  []func(tx *kv.Tx) error
	ready chan struct{}

	running sync.Mutex // held while something is done, so that a flush waits for it
}

func newLater() *later { return &later{ready: make(chan struct{}, 1)} }

// add has something done soon, or refuses it when too much waits already.
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

// flushLater does what waits. What fails is not tried again: its asker will.
func (s *Service) flushLater() error {
	s.later.running.Lock()
	defer s.later.running.Unlock()
	var errs []error
	for _, do := range s.later.take() {
		errs = append(errs, s.db.Update(do))
	}
	return errors.Join(errs...)
}
