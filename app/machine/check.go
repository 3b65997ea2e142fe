package machine

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/kv"
)

// checkJob is the kind of the job that checks all data.
const checkJob = "check"

// StartCheck schedules an immediate check of all data, unless one is running.
func (s *Service) StartCheck(who account.Call) error {
	if err := requireOperator(who); err != nil {
		return err
	}
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		stats, err := s.Jobs.Stats(tx)
		if err != nil || stats.Kinds[checkJob].Running > 0 {
			return err
		}
		return s.Jobs.Add(tx, kv.Job{Kind: checkJob, Key: "all", Due: tx.Now})
	})
}

// Handlers returns the job handlers of this package.
func (s *Service) Handlers() []kv.Handler {
	return []kv.Handler{{Kind: checkJob, Timeout: 24 * time.Hour, Backoff: []time.Duration{time.Minute, time.Hour},
		Run: func(ctx context.Context, _ kv.Job) error {
			_, err := s.Check(ctx)
			return err
		}}}
}
