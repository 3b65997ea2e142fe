package notify

import (
	"context"
	"errors"
	"time"

	"paraph/kv"
)

// sweepJob removes old messages, once a day.
const (
	sweepJob   = "outbox_sweep"
	sweepEvery = 24 * time.Hour
	sweepBatch = 500
)

// ScheduleSweep starts the daily removal of old messages now.
func (s *Outbox) ScheduleSweep() error {
	return s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now) })
}

func (s *Outbox) sweepAt(tx *kv.Tx, at time.Time) error {
	return s.Jobs.Add(tx, kv.Job{Kind: sweepJob, Key: "daily", Due: at})
}

// sweep removes messages past their retention time that are no longer waiting.
func (s *Outbox) sweep(ctx context.Context, _ kv.Job) error {
	err := s.DB.Update(func(tx *kv.Tx) error { return s.sweepAt(tx, tx.Now.Add(sweepEvery)) })
	for more := true; more && err == nil; {
		err = s.DB.Update(func(tx *kv.Tx) (err error) {
			more, err = s.sweepSome(tx)
			return errors.Join(err, ctx.Err())
		})
	}
	return errors.Join(err, s.Messages.sealOld(ctx))
}

func (s *Outbox) sweepSome(tx *kv.Tx) (more bool, err error) {
	if s.Days == 0 {
		return false, nil
	}
	before := tx.Now.AddDate(0, 0, -s.Days)
	var old []string
	err = outbox.Each(tx, "created", kv.K(everybody), func(id string, m Message) (bool, error) {
		if m.CreatedAt.After(before) {
			return false, nil
		}
		if m.Status != Queued {
			old = append(old, id)
		}
		return len(old) < sweepBatch, nil
	})
	for _, id := range old {
		err = errors.Join(err, outbox.Delete(tx, id))
	}
	return len(old) == sweepBatch, err
}
