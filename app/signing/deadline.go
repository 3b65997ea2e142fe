package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/pictures"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Kinds of scheduled jobs. A document has at most one of each kind, stored under the
// document's identifier.
const (
	sendJob   = "send"
	expireJob = "expire"
	remindJob = "remind"
	purgeJob  = "purge"
)

type documentJob struct{ Company, Document string }

// plan updates the jobs of a document to its current state.
func (s *schedule) plan(tx *kv.Tx, d *record.Document) error {
	expires, reminds, purges := d.ExpiresNext(), d.NextReminder(tx.Now), s.purgesAt(d)
	for _, id := range d.CaughtUp(tx.Now, d.SendAt, expires, reminds, purges) {
		if err := s.jobs.Remove(tx, id); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
	}
	if err := s.due(tx, d, sendJob, d.SendAt); err != nil {
		return err
	}
	if err := s.due(tx, d, expireJob, expires); err != nil {
		return err
	}
	if err := s.due(tx, d, remindJob, reminds); err != nil {
		return err
	}
	if err := s.due(tx, d, purgeJob, purges); err != nil {
		return err
	}
	return s.planSealing(tx, d)
}

// planSealing adds the job that seals a document when it becomes due. After a failed
// attempt, the job's backoff determines the time.
func (s *schedule) planSealing(tx *kv.Tx, d *record.Document) error {
	if d.SealJob != "" && d.Attention.Kind != record.AttentionSealingFailed { // it was given up before
		if err := s.jobs.Remove(tx, d.SealJob); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		d.SealJob = ""
	}
	switch {
	case !d.Unsealed():
		return s.due(tx, d, sealJob, nil)
	case d.Attention.Code == "sealing":
		at := tx.Now.Add(sealGrace)
		return s.due(tx, d, sealJob, &at)
	}
	return nil
}

// sealGrace is how long the request with the last signature may take to seal the
// document before a job takes over.
const sealGrace = 15 * time.Second

func (s *schedule) due(tx *kv.Tx, d *record.Document, kind string, at *time.Time) error {
	if at == nil {
		return s.jobs.Cancel(tx, kind, d.ID)
	}
	payload, err := json.Marshal(documentJob{d.Company, d.ID})
	if err != nil {
		return err
	}
	return s.jobs.Add(tx, kv.Job{Kind: kind, Scope: d.Company, Key: d.ID, Payload: payload, Due: *at})
}

// purgesAt returns when a document in the trash is permanently deleted, or nil for never.
func (s *schedule) purgesAt(d *record.Document) *time.Time {
	if d.DeletedAt == nil || s.trashDays == 0 {
		return nil
	}
	at := d.DeletedAt.AddDate(0, 0, s.trashDays)
	return &at
}

// Handlers returns the jobs of this package, for the worker pool.
func (s *Services) Handlers() []kv.Handler {
	on := func(kind string, run func(ctx context.Context, company, id string) error) kv.Handler {
		work := func(ctx context.Context, job kv.Job) error {
			var p documentJob
			if err := json.Unmarshal(job.Payload, &p); err != nil {
				return kv.Permanent(err)
			}
			return run(ctx, p.Company, p.Document)
		}
		return kv.Handler{Kind: kind, Timeout: 5 * time.Minute, Backoff: dueBackoff(), Run: work}
	}
	due := func(kind string, run func(ctx context.Context, company, id string) error) kv.Handler {
		h := on(kind, run)
		h.OnFail = s.Sending.dueFailed
		return h
	}
	seal := on(sealJob, s.Completion.Seal)
	seal.Backoff, seal.OnFail = sealBackoff(), s.Completion.sealFailed
	return []kv.Handler{
		due(sendJob, s.Sending.sendDue),
		due(expireJob, s.Sending.expire), due(remindJob, s.Sending.remindDue), due(purgeJob, s.Sending.purge),
		seal,
		s.Lists.ReadHandler(), on(drawJob, s.Completion.drawPages), s.Upkeep.retentionHandler(),
	}
}

// dueFailed records on the document that a job about it was given up.
func (s *Sending) dueFailed(tx *kv.Tx, job kv.Job, _ error) error {
	if job.State != kv.JobDead {
		return nil
	}
	company, id, err := DocumentOfJob(job)
	if err != nil {
		return err
	}
	who := account.System(company)
	d, err := store.Load(tx, who, id)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	events := d.GivenUp(job.ID, job.Kind)
	if len(events) == 0 {
		return nil
	}
	return s.store.Save(tx, who, d, events...)
}

// dueBackoff returns the pauses between attempts of scheduled jobs: about three days in
// total, in which a full disk is noticed and cleared.
func dueBackoff() []time.Duration {
	waits := []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}
	for range 3 * 24 {
		waits = append(waits, time.Hour)
	}
	return waits
}

// sealBackoff returns the pauses between attempts at sealing. They add up to about a
// month: the authority may be down for a long time, and a document that everyone has
// signed must not be given up.
func sealBackoff() []time.Duration {
	waits := []time.Duration{5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}
	for range 30 * 24 {
		waits = append(waits, time.Hour)
	}
	return waits
}

func (s *Sending) expire(_ context.Context, company, id string) error {
	return s.changes.onTime(company, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if !d.Expire(tx.Now) {
			return nil, nil
		}
		return []record.Event{record.NewEvent(record.EventDocumentExpired)}, nil
	})
}

func (s *Sending) remindDue(_ context.Context, company, id string) error {
	return s.changes.onTime(company, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if d.Running(tx.Now) != nil {
			return nil, nil
		}
		return d.Remind(tx.Now, func(inv *record.Invitation) bool {
			at := d.RemindsAt(inv)
			return at != nil && !at.After(tx.Now)
		}), nil
	})
}

// purge deletes a document permanently when its time in the trash is over. Its events
// stay in the journal; its files are removed by the next sweep.
func (s *Sending) purge(_ context.Context, company, id string) error {
	who := account.System(company)
	if err := s.forgetSnapshots(company, id); err != nil {
		return err
	}
	return s.db.For(company).Update(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		if fault.KindOf(err) == fault.KindNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if at := s.schedule.purgesAt(d); at == nil || tx.Now.Before(*at) {
			return s.schedule.plan(tx, d)
		}
		return s.remove(tx, who, d)
	})
}

// snapshotBatch is the number of snapshots removed in one transaction.
const snapshotBatch = 2000

// forgetSnapshots removes snapshots of a document in the trash until the rest fits into
// the transaction that removes the document.
func (s *Sending) forgetSnapshots(company, id string) error {
	for from, last := int64(1), int64(0); ; from += snapshotBatch {
		err := s.db.For(company).Update(func(tx *kv.Tx) error {
			d, err := store.Documents.Get(tx, store.DocumentKey(company, id))
			if errors.Is(err, kv.ErrNotFound) || err == nil && d.DeletedAt == nil {
				return nil
			}
			if last = d.Version - snapshotBatch; err != nil {
				return err
			}
			for v := from; v < min(last, from+snapshotBatch); v++ {
				if err := store.Snapshots.Delete(tx, store.SnapshotKey(company, id, v)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || from+snapshotBatch >= last {
			return err
		}
	}
}

func (s *Sending) remove(tx *kv.Tx, who account.Call, d *record.Document) error {
	purged := record.Event{Type: record.EventDocumentPurged, Company: d.Company, Document: d.ID}.By(who)
	if _, err := store.Events.Append(tx, s.id(), d.Company, d.ID, purged); err != nil {
		return err
	}
	if err := who.Once.Done(tx, d.ID); err != nil {
		return err
	}
	for i := range d.Invitations {
		if err := store.Invited.Delete(tx, d.Invitations[i].ID); err != nil {
			return err
		}
	}
	if err := store.DropAllAnswers(tx, d); err != nil {
		return err
	}
	for v := max(1, d.Version-snapshotBatch); v <= d.Version; v++ {
		if err := store.Snapshots.Delete(tx, store.SnapshotKey(d.Company, d.ID, v)); err != nil {
			return err
		}
	}
	key := store.DocumentKey(d.Company, d.ID)
	if err := store.Documents.Delete(tx, key); err != nil {
		return err
	}
	if err := store.Rows.Delete(tx, key); err != nil {
		return err
	}
	if err := errors.Join(store.Waits.Delete(tx, key), store.DropSummary(tx, d)); err != nil {
		return err
	}
	_, err := store.Changes.Append(tx, s.id(), "", "", store.Change{Company: d.Company, Document: d.ID})
	return err
}

// Seals reports whether a job seals a document.
func Seals(job kv.Job) bool { return job.Kind == sealJob }

// DocumentOfJob returns the document that a job of this package concerns.
func DocumentOfJob(job kv.Job) (company, document string, err error) {
	var p documentJob
	if err := json.Unmarshal(job.Payload, &p); err != nil {
		return "", "", fmt.Errorf("signing: job %s: %w", job.ID, err)
	}
	return p.Company, p.Document, nil
}

// schedule keeps the jobs of documents in step with them.
type schedule struct {
	jobs      *kv.Jobs
	pictures  *pictures.Cache // nil: each page is drawn every time
	trashDays int             // after which documents in the trash are purged; 0 means never
}
