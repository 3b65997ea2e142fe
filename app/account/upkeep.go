package account

import (
	"context"
	"errors"
	"sync"
	"time"

	"paraph/app/fault"
	"paraph/app/limit"
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
func (s *Upkeep) flushLater() error {
	s.later.running.Lock()
	defer s.later.running.Unlock()
	var errs []error
	for _, do := range s.later.take() {
		errs = append(errs, s.db.Update(do))
	}
	return errors.Join(errs...)
}

// usage collects the last use of tokens until it is written, so that reads cause no writes.
type usage struct {
	mu   sync.Mutex
	seen map[string]time.Time // by token key
}

func newUsage() *usage { return &usage{seen: make(map[string]time.Time)} }

func (u *usage) mark(key string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen[key] = at
}

func (u *usage) at(key string) (time.Time, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at, ok := u.seen[key]
	return at, ok
}

func (u *usage) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen := u.seen
	u.seen = make(map[string]time.Time)
	return seen
}

// Run does the queued work, periodically writes the last use of tokens, and removes expired
// records, until ctx ends.
func (s *Upkeep) Run(ctx context.Context) error {
	flush, sweep := time.NewTicker(usagePeriod), time.NewTicker(time.Hour)
	defer flush.Stop()
	defer sweep.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return s.Flush()
		case <-s.later.ready:
			err = s.flushLater()
		case <-flush.C:
			err = s.Flush()
		case <-sweep.C:
			_, err = s.Sweep(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("account maintenance failed, retrying", "error", err)
		}
	}
}

// Flush does the queued work, and writes the last use of tokens and failed sign-ins.
func (s *Upkeep) Flush() error {
	return errors.Join(s.flushLater(), s.flushUsage(), s.signInLog.flushRefusals())
}

func (s *Upkeep) flushUsage() error {
	seen := s.usage.take()
	if len(seen) == 0 {
		return nil
	}
	err := s.db.Update(func(tx *kv.Tx) error {
		for key, at := range seen {
			t, err := tokens.Get(tx, key)
			if errors.Is(err, kv.ErrNotFound) {
				continue // revoked in the meantime
			}
			if err != nil {
				return err
			}
			at = at.UTC()
			t.LastUsedAt = &at
			if err := tokens.Put(tx, key, t); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		for key, at := range seen {
			s.usage.mark(key, at)
		}
	}
	return err
}

// sweepBatch is how many records one transaction of Sweep removes.
const sweepBatch = 1000

// Sweep removes the records of tokens, links, stored responses and daily counts that have
// expired, and returns how many.
func (s *Upkeep) Sweep(ctx context.Context) (removed int, err error) {
	for ctx.Err() == nil {
		n := 0
		err := s.db.Update(func(tx *kv.Tx) error {
			expiredTokens, err := expired(tx, tokens, func(t tokenRecord) time.Time { return whenever(t.ExpiresAt) })
			if err != nil {
				return err
			}
			expiredLinks, err := expired(tx, links, func(l linkRecord) time.Time { return l.ExpiresAt })
			if err != nil {
				return err
			}
			expiredAnswers, err := expired(tx, answers, func(a answerRecord) time.Time { return a.ExpiresAt })
			if err != nil {
				return err
			}
			expiredCounts, err := limit.Sweep(tx, sweepBatch)
			n = expiredTokens + expiredLinks + expiredAnswers + expiredCounts
			return err
		})
		removed += n
		if err != nil || n == 0 {
			return removed, err
		}
	}
	return removed, ctx.Err()
}

// expired removes up to a batch of the records of c that have expired, soonest first.
func expired[T any](tx *kv.Tx, c *kv.Collection[T], expires func(T) time.Time) (int, error) {
	var ids []string
	err := c.Each(tx, "expires", nil, func(id string, v T) (bool, error) {
		if expires(v).After(tx.Now) {
			return false, nil
		}
		ids = append(ids, id)
		return len(ids) < sweepBatch, nil
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := c.Delete(tx, id); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
