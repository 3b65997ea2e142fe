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

// ScheduleCheck schedules the check of all data that follows the last one, if it is done regularly: see
// Options.CheckEvery. It is called at the start.
func (s *Service) ScheduleCheck() error {
	if s.CheckEvery == 0 || s.Checked == nil {
		return nil
	}
	c, err := s.Checked()
	if err != nil {
		return err
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		due := c.At.Add(s.CheckEvery)
		if due.Before(tx.Now) || c.At.After(tx.Now) { // the clock was set back
			due = tx.Now.Add(checkAfterStart)
		}
		return s.Jobs.Add(tx, kv.Job{Kind: checkJob, Key: "all", Due: due})
	})
}

// checkAfterStart is how long after a start a check that is due begins: there is more urgent work then.
const checkAfterStart = 10 * time.Minute

// Handlers returns the job handlers of this package.
func (s *Service) Handlers() []kv.Handler {
	return []kv.Handler{{Kind: checkJob, Timeout: 14 * 24 * time.Hour, Backoff: []time.Duration{time.Minute, time.Hour},
		Run: func(ctx context.Context, _ kv.Job) error {
			_, err := s.Check(ctx)
			if err != nil || s.CheckEvery == 0 {
				return err
			}
			return s.DB.Update(func(tx *kv.Tx) error {
				return s.Jobs.Add(tx, kv.Job{Kind: checkJob, Key: "all", Due: tx.Now.Add(s.CheckEvery)})
			})
		}}}
}
