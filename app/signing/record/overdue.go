package record

import (
	"slices"
	"time"
)

// GivenUp records that a job which was due has been given up, so that somebody retries
// it. What already needs attention stays the reason that is shown.
func (d *Document) GivenUp(job, kind string) []Event {
	if slices.Contains(d.DueJobs, job) {
		return nil
	}
	d.DueJobs = append(d.DueJobs, job)
	if d.Attention.Kind == "" {
		d.Needs(Attention{Kind: AttentionOverdue, Code: "overdue"})
	}
	return []Event{NewEvent(EventDocumentOverdue).With("job", kind)}
}

// CaughtUp forgets the jobs that were given up once none of the times at which something
// is due has passed. It returns those jobs, which need no retry any more.
func (d *Document) CaughtUp(now time.Time, due ...*time.Time) (jobs []string) {
	late := func(at *time.Time) bool { return at != nil && !at.After(now) }
	if len(d.DueJobs) == 0 || slices.ContainsFunc(due, late) {
		return nil
	}
	jobs, d.DueJobs = d.DueJobs, nil
	if d.Attention.Kind == AttentionOverdue {
		d.Needs(Attention{})
		d.NeedsCode()
	}
	return jobs
}
