package signing

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/cold"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// sealJob is the kind of the job that keeps trying to seal a document.
const sealJob = "seal"

// NoSpace reports whether an error of this service, or of another that shares its store,
// means that the disk is full.
func NoSpace(err error) bool {
	return errors.Is(err, kv.ErrDiskFull) || errors.Is(err, blob.ErrNoSpace)
}

// Unreachable reports whether an error of this service means that a stored file has moved to a storage that
// can't be reached now.
func Unreachable(err error) bool { return errors.Is(err, cold.ErrUnreachable) }

// causeOf returns the code for why sealing failed.
func causeOf(err error) fault.Code {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
	switch {
	case NoSpace(err):
		return "sealing.disk_full"
	case is(pki.ErrExpired):
		return "sealing.certificate_expired"
	case is(pki.ErrTimestamp):
		return "sealing.timestamp"
	case is(blob.ErrNotFound, blob.ErrCorrupt, pdf.ErrDamaged, pdf.ErrNotPDF, pdf.ErrNoEnd):
		return "sealing.damaged"
	case is(kv.ErrStopped):
		return "sealing.stopped"
	case is(context.DeadlineExceeded):
		return "sealing.slow"
	}
	return "sealing.failed"
}

// sealNow completes a document that everyone has signed, within the request of the last
// signature. If that fails, the document stays in Sent with the reason, a job keeps
// trying, and the owner is notified. The signature is on disk, so the caller never gets
// an error.
func (s *Completion) sealNow(ctx context.Context, d *record.Document) *record.Document {
	sealed, err := s.sealLocked(ctx, d.Company, d.ID)
	if err == nil {
		return sealed
	}
	s.log.Error("sealing", "document", d.ID, "error", err)
	if ctx.Err() != nil {
		return d // the job takes over
	}
	var noted *record.Document
	err = s.db.For(d.Company).Update(func(tx *kv.Tx) (e error) {
		noted, e = s.recordUnsealed(tx, d.Company, d.ID, causeOf(err), "")
		return e
	})
	if err != nil || noted == nil { // for example a full disk; the job will record it
		s.log.Error("reason of failed sealing not recorded", "document", d.ID, "error", err)
		return d
	}
	return noted
}

// recordUnsealed records, within a transaction, why a document could not be sealed. A
// document that no longer exists is ignored.
func (s *Completion) recordUnsealed(tx *kv.Tx, company, id string, cause fault.Code, dead string) (*record.Document, error) {
	who := account.System(company)
	d, err := store.Load(tx, who, id)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if events := d.SealingFailed(cause, dead); len(events) > 0 {
		return d, s.store.Save(tx, who, d, events...)
	}
	return d, nil
}

// Seal tries to complete a document that everyone has signed. It is called by the job.
func (s *Completion) Seal(ctx context.Context, company, id string) error {
	defer s.changes.lock(id)()
	_, err := s.sealLocked(ctx, company, id)
	if fault.KindOf(err) == fault.KindNotFound {
		return nil
	}
	return err
}

// sealFailed records a failed attempt of the job together with its outcome.
func (s *Completion) sealFailed(tx *kv.Tx, job kv.Job, err error) error {
	company, id, e := DocumentOfJob(job)
	if e != nil {
		return e
	}
	dead := ""
	if job.State == kv.JobDead {
		dead = job.ID
	}
	_, err = s.recordUnsealed(tx, company, id, causeOf(err), dead)
	return err
}

// RetrySealing tries immediately to seal a document that everyone has signed, and leaves
// it to a job if that fails. A completed document is returned unchanged. Besides members
// of the company it serves the operator, who acts as [account.System] of the document's
// company.
func (s *Completion) RetrySealing(ctx context.Context, who account.Call, id string) (*record.Document, error) {
	defer s.changes.lock(id)()
	if done, err := s.store.Get(who, id); err == nil && done.Status == record.Completed && done.Live() == nil {
		return done, errors.Join(who.RequireMember(account.ScopeWrite), ownerOrAdmin(who)(nil, done))
	}
	d, err := s.changes.step(who, id, ownerOrAdmin(who), func(_ *kv.Tx, d *record.Document) (record.Event, error) {
		if err := d.Sealable(); err != nil {
			return record.Event{}, err
		}
		d.SetAttention(record.Attention{Kind: record.AttentionSealing, Code: "sealing"})
		return record.NewEvent(record.EventDocumentSealingRetried), nil
	})
	if err != nil {
		return nil, err
	}
	return s.sealNow(ctx, d), nil
}

// sealLocked completes a document that is waiting to be sealed and leaves any other
// unchanged. The caller must hold the document's lock.
func (s *Completion) sealLocked(ctx context.Context, company, id string) (out *record.Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while sealing", "document", id, "panic", p, "stack", string(debug.Stack()))
			out, err = nil, fmt.Errorf("signing: panic while sealing %s: %v", id, p)
		}
	}()
	who := account.System(company)
	return retry(func() (*record.Document, error) {
		d, err := s.store.Get(who, id)
		if err != nil || !d.Unsealed() {
			return d, err
		}
		version := d.Version
		event, err := s.complete(ctx, d, s.now(company))
		if err != nil {
			return nil, err
		}
		err = s.db.For(company).Update(func(tx *kv.Tx) error {
			stored, err := store.Load(tx, who, id)
			if err != nil {
				return err
			}
			if err := store.RequireVersion(stored, version); err != nil {
				return err
			}
			if err := s.schedule.plan(tx, d); err != nil {
				return err
			}
			return s.store.Save(tx, who, d, event)
		})
		return d, err
	})
}

// complete makes the final revisions of every file and the certificate of
// completion, and moves the record to Completed.
func (s *Completion) complete(ctx context.Context, d *record.Document, now time.Time) (record.Event, error) {
	lists, err := s.revisions.revocationLists(d.Company, now)
	if err != nil {
		return record.Event{}, err
	}
	for i := range d.Files {
		if err := s.revisions.finish(ctx, d.Company, &d.Files[i], lists, now); err != nil {
			return record.Event{}, err
		}
	}
	d.Status, d.CompletedAt = record.Completed, &now
	d.SetAttention(record.Attention{})
	d.SealCauses = nil
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Role == record.Viewer && inv.Status == record.Pending {
			inv.Status, inv.NotifiedAt, inv.UpdatedAt = record.Notified, &now, now
		}
	}
	certificate, err := s.certify(ctx, d, lists, now)
	if err != nil {
		return record.Event{}, err
	}
	d.Certificate = certificate
	event := record.NewEvent(record.EventDocumentCompleted).With("certificate_sha256", certificate.Current())
	if missing := d.Unproven(); len(missing) > 0 {
		event = event.With("revocation_unknown", strings.Join(missing, ", "))
	}
	for i := range d.Files {
		event = event.With("sha256."+d.Files[i].ID, d.Files[i].Current())
	}
	return event, nil
}
