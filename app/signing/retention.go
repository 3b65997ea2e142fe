package signing

import (
	"context"
	"errors"
	"time"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// retainJob moves documents to the trash, once a day, after their company's retention period.
const (
	retainJob   = "retain"
	retainEvery = 24 * time.Hour
)

// ScheduleRetention starts the daily retention job now.
func (s *Upkeep) ScheduleRetention() error {
	return s.db.Update(func(tx *kv.Tx) error { return s.retainAt(tx, tx.Now) })
}

func (s *Upkeep) retainAt(tx *kv.Tx, at time.Time) error {
	return s.jobs.Add(tx, kv.Job{Kind: retainJob, Key: "daily", Due: at})
}

func (s *Upkeep) retentionHandler() kv.Handler {
	next := func(tx *kv.Tx) error { return s.retainAt(tx, tx.Now.Add(retainEvery)) }
	return kv.Handler{Kind: retainJob, Timeout: time.Hour,
		Backoff: []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour},
		Run: func(ctx context.Context, _ kv.Job) error {
			if err := s.retain(ctx); err != nil {
				return err
			}
			return s.db.Update(next)
		},
		OnFail: func(tx *kv.Tx, job kv.Job, _ error) error {
			if job.State != kv.JobDead {
				return nil
			}
			return next(tx)
		}}
}

// retain moves documents to the trash whose retention period is over. From there they are
// purged as usual; their events stay in the journal.
func (s *Upkeep) retain(ctx context.Context) error {
	all, err := s.accounts.Operator.AllCompanies(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, c := range all {
		if c.RetentionDays == 0 {
			continue
		}
		if err := s.retainCompany(ctx, c); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// Retain is the daily job for one company.
func (s *Upkeep) Retain(ctx context.Context, company string) error {
	c, err := s.companyOf(company)
	if err != nil || c.RetentionDays == 0 {
		return err
	}
	return s.retainCompany(ctx, c)
}

func (s *Upkeep) retainCompany(ctx context.Context, c account.Company) error {
	before := s.now(c.ID).AddDate(0, 0, -c.RetentionDays)
	due, err := s.endedBefore(ctx, c.ID, before)
	if err != nil {
		return err
	}
	for _, id := range due {
		err := s.changes.onTime(c.ID, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
			if at := d.Ended(); at == nil || at.After(before) || d.DeletedAt != nil {
				return nil, nil
			}
			return []record.Event{record.NewEvent(record.EventDocumentDeleted).With("reason", "retention")}, d.Trash(tx.Now)
		})
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// endedBefore lists the documents outside the trash that ended before a time.
func (s *Upkeep) endedBefore(ctx context.Context, company string, before time.Time) (due []string, err error) {
	bound := record.FormatTime(before)
	err = s.db.View(func(tx *kv.Tx) error {
		for _, visibility := range []string{"active", "archived"} {
			for _, status := range []record.Status{record.Completed, record.Expired, record.Voided} {
				prefix := kv.K(company, visibility, status.String())
				err := store.Rows.Each(tx, "created_at", prefix, func(_ string, r record.Row) (bool, error) {
					if r.CreatedAt > bound {
						return false, ctx.Err() // a document can't end before it was created
					}
					ended, err := endOf(tx, company, r)
					if ended != nil && !ended.After(before) {
						due = append(due, r.ID)
					}
					return true, errors.Join(err, ctx.Err())
				})
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	return due, err
}

// endOf returns the end of a document, from the record if its list item lacks it.
func endOf(tx *kv.Tx, company string, r record.Row) (*time.Time, error) {
	if r.CompletedAt != nil {
		at, err := time.Parse(time.RFC3339, *r.CompletedAt)
		return &at, err
	}
	d, err := store.Documents.Get(tx, store.DocumentKey(company, r.ID))
	return d.Ended(), err
}

// PreviewRetention counts the documents that a retention period of the given number of
// days would move to the trash.
func (s *Upkeep) PreviewRetention(ctx context.Context, who account.Call, days int) (int, error) {
	if err := who.RequireMember(account.ScopeAdmin); err != nil {
		return 0, err
	}
	if days <= 0 {
		return 0, nil
	}
	due, err := s.endedBefore(ctx, who.CompanyID, s.now(who.CompanyID).AddDate(0, 0, -days))
	return len(due), err
}
