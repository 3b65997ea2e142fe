package machine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/kv"
)

// Job is a job without its payload.
type Job struct {
	ID                   string // the job's ID with its slashes replaced, for use in a path
	Kind, Company, State string
	Attempts             int
	LastError            string // with the local parts of e-mail addresses masked
	CreatedAt, Due       time.Time
}

// JobStates lists the states of a job.
func JobStates() []string { return []string{kv.JobDead, kv.JobRunning, kv.JobWaiting} }

// ListJobs returns the jobs in a state ("" for all), by state, kind and due time.
func (s *Service) ListJobs(
	who account.Call, state string, offset, limit int,
) (all list.Page[Job], err error) {
	if err := requireOperator(who); err != nil {
		return all, err
	}
	if state != "" && !slices.Contains(JobStates(), state) {
		var f fault.Fields
		f.OneOf("status", JobStates()...)
		return all, f.Err()
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := s.Jobs.List(tx, state, kv.Query{Offset: offset, Limit: limit})
		for _, j := range p.Items {
			all.Items = append(all.Items, Job{
				ID:        strings.ReplaceAll(j.ID, "/", "."),
				Kind:      j.Kind,
				Company:   j.Scope,
				State:     j.State,
				Attempts:  j.Attempts,
				LastError: masked(j.LastError),
				CreatedAt: j.CreatedAt,
				Due:       j.Due,
			})
		}
		all.Total = p.Total
		return err
	})
	return all, err
}

// RetryJob retries a job now, with the full number of attempts if it was given up. It
// does nothing to a running job.
func (s *Service) RetryJob(ctx context.Context, who account.Call, id string) error {
	if err := requireOperator(who); err != nil {
		return err
	}
	id = strings.ReplaceAll(id, ".", "/")
	var job kv.Job
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		job, err = s.Jobs.Get(tx, id)
		return err
	})
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return fault.NotFound("job")
	case err != nil:
		return err
	case job.State == kv.JobDead && notify.MessageOf(job) != "":
		return s.Notify.RetryFailed(who, notify.MessageOf(job)) // the message has to be queued again too
	case job.State == kv.JobDead && signing.Seals(job):
		return s.retrySeal(ctx, who, job)
	}
	return s.retry(id)
}

func (s *Service) retrySeal(ctx context.Context, who account.Call, job kv.Job) error {
	company, document, err := signing.DocumentOfJob(job)
	if err != nil {
		return err
	}
	return s.RetryDocument(ctx, who, company, document)
}

func (s *Service) retry(id string) error {
	return s.DB.Update(func(tx *kv.Tx) error {
		job, err := s.Jobs.Get(tx, id)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return nil // finished in the meantime
		case err != nil || job.State == kv.JobRunning:
			return err
		}
		return s.Jobs.Retry(tx, id)
	})
}

// RetryDocument retries the sealing of a document.
func (s *Service) RetryDocument(ctx context.Context, who account.Call, company, document string) error {
	if err := requireOperator(who); err != nil {
		return err
	}
	_, err := s.Completion.RetrySealing(ctx, account.System(company).Call(who.From), document)
	return err
}

func (s *Service) countJobs(_ context.Context, _ account.Call, o *Overview) error {
	return s.DB.View(func(tx *kv.Tx) error {
		stats, err := s.Jobs.Stats(tx)
		o.Waiting, o.Running, o.Dead = stats.Waiting, stats.Running, stats.Dead
		check := stats.Kinds[checkJob]
		due := !check.Oldest.IsZero() && !check.Oldest.After(tx.Now)
		o.Checking = check.Running > 0 || due
		return err
	})
}
