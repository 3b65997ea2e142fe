package record

import (
	"slices"
	"time"
)

// GivenUp records that a scheduled job gave up, so that someone retries it. An existing
// reason for attention remains the one shown.
func (d *Document) GivenUp(job, kind string) []Event {
	if slices.Contains(d.DueJobs, job) {
		return nil
	}
	d.DueJobs = append(d.DueJobs, job)
	if d.Attention.Kind == "" {
		d.SetAttention(Attention{Kind: AttentionOverdue, Code: "overdue"})
	}
	return []Event{NewEvent(EventDocumentOverdue).With("job", kind)}
}

// CaughtUp forgets the jobs that gave up once none of the due times has passed. It returns
// those jobs, which no longer need a retry.
func (d *Document) CaughtUp(now time.Time, due ...*time.Time) (jobs []string) {
	late := func(at *time.Time) bool { return at != nil && !at.After(now) }
	if len(d.DueJobs) == 0 || slices.ContainsFunc(due, late) {
		return nil
	}
	jobs, d.DueJobs = d.DueJobs, nil
	if d.Attention.Kind == AttentionOverdue {
		d.SetAttention(Attention{})
		d.RequestMissingCode()
	}
	return jobs
}
