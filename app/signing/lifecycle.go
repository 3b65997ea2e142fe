package signing

import (
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// ownerOrAdmin admits the document's owner and the company's administrators.
func ownerOrAdmin(who account.Call) func(*kv.Tx, *record.Document) error {
	return func(_ *kv.Tx, d *record.Document) error {
		if who.IsAdmin() || d.Owner.ID == who.UserID {
			return nil
		}
		return fault.Forbidden("owner_only")
	}
}

// Submit requests approval before the document is sent.
func (s *Sending) Submit(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, nil, func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentSubmitted), d.Submit(record.PersonOf(who.Actor), tx.Now)
	})
}

// Withdraw withdraws a submission. Only its owner or submitter may.
func (s *Sending) Withdraw(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, ownerOrSubmitter(who), func(_ *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentWithdrawn), d.Withdraw()
	})
}

func ownerOrSubmitter(who account.Call) func(*kv.Tx, *record.Document) error {
	return func(_ *kv.Tx, d *record.Document) error {
		if d.Owner.ID == who.UserID || d.SubmittedBy == who.UserID {
			return nil
		}
		return fault.Forbidden("owner_only.withdraw")
	}
}

// mayApprove admits approvers and administrators for others' submissions, and for their
// own if nobody else can approve.
func mayApprove(who account.Call) func(*kv.Tx, *record.Document) error {
	return func(tx *kv.Tx, d *record.Document) error {
		if !who.CanApprove() {
			return fault.Forbidden("role_not_allowed.approver")
		}
		if d.Status != record.PendingApproval {
			return nil
		}
		return notOwnSubmission(tx, who, d)
	}
}

// notOwnSubmission refuses those who submitted the document themselves, unless they are alone.
func notOwnSubmission(tx *kv.Tx, who account.Call, d *record.Document) error {
	if d.SubmittedBy != who.UserID {
		return nil
	}
	n, err := account.CountMembers(tx, who.CompanyID)
	if err != nil {
		return err
	}
	if n > 1 {
		return fault.Forbidden("own_submission")
	}
	return nil
}

// mayChangeApproved refuses to change what an approver has seen and approved to everybody who could
// not approve it as well: they have to ask for approval again.
func mayChangeApproved(tx *kv.Tx, who account.Call, d *record.Document) error {
	if d.ApprovedAt == nil {
		return nil
	}
	err := error(fault.Forbidden("role_not_allowed.approver"))
	if who.CanApprove() {
		err = notOwnSubmission(tx, who, d)
	}
	if fault.KindOf(err) == fault.KindForbidden {
		return fault.Conflict("approval_required.changed")
	}
	return err
}

// Approve allows a submitted document to be sent.
func (s *Sending) Approve(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, mayApprove(who), func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentApproved), d.Approve(record.PersonOf(who.Actor), tx.Now)
	})
}

// Reject returns a submitted document with the reason.
func (s *Sending) Reject(
	who account.Call, id string, reason *string,
) (*record.Document, error) {
	why, err := required("reason", reason)
	if err != nil {
		return nil, err
	}
	return s.changes.step(who, id, mayApprove(who), func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentRejected).With("reason", why), d.Reject(record.PersonOf(who.Actor), why, tx.Now)
	})
}

// required returns a text and refuses an empty one.
func required(field string, v *string) (string, error) {
	var f fault.Fields
	s := input.Lines(&f, field, v, record.MaxReason)
	if s == "" && f.Empty() {
		f.Required(field)
	}
	return s, f.Err()
}

// Reopen makes an approved or rejected document a draft again.
func (s *Sending) Reopen(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, nil, func(_ *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentReopened), d.Reopen()
	})
}

// Unschedule calls off sending a document later.
func (s *Sending) Unschedule(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, nil, func(_ *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentUnscheduled), record.CallOff(d)
	})
}

// Void ends a document that is not completed, and records the reason.
func (s *Sending) Void(
	who account.Call, id string, reason *string,
) (*record.Document, error) {
	why, err := required("reason", reason)
	if err != nil {
		return nil, err
	}
	return s.changes.step(who, id, ownerOrAdmin(who), func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		reason := record.Reason{Words: why}
		return record.NewEvent(record.EventDocumentVoided).Because(reason), d.Void(reason, tx.Now)
	})
}

// Extend sets a new deadline on an expired document and reactivates it.
func (s *Sending) Extend(
	who account.Call, id string, until *time.Time,
) (*record.Document, error) {
	return s.changes.step(who, id, ownerOrAdmin(who), func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		var f fault.Fields
		if until == nil {
			f.Required("expires_at")
			return record.Event{}, f.Err()
		}
		t := record.CheckDeadline(&f, "expires_at", until, tx.Now)
		if err := f.Err(); err != nil {
			return record.Event{}, err
		}
		return record.NewEvent(record.EventDocumentExtended).With("expires_at", record.FormatTime(*t)), d.Extend(*t)
	})
}

// Archive removes a document from the active lists, reversibly.
func (s *Sending) Archive(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, nil, func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentArchived), d.Archive(tx.Now)
	})
}

// Restore brings a document back from the archive or the trash.
func (s *Sending) Restore(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, nil, func(_ *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentRestored), d.Restore()
	})
}

// Delete moves a document to the trash, from which it is purged later.
func (s *Sending) Delete(who account.Call, id string) (*record.Document, error) {
	return s.changes.step(who, id, ownerOrAdmin(who), func(tx *kv.Tx, d *record.Document) (record.Event, error) {
		return record.NewEvent(record.EventDocumentDeleted), d.Trash(tx.Now)
	})
}

// adminOnly admits the company's administrators.
func adminOnly(who account.Call) func(*kv.Tx, *record.Document) error {
	return func(*kv.Tx, *record.Document) error {
		if who.IsAdmin() {
			return nil
		}
		return fault.Forbidden("role_not_allowed.purge")
	}
}

// Purge permanently deletes a document in the trash. Its events stay in the journal. The
// title is required so that nobody purges a different document by mistake.
func (s *Sending) Purge(who account.Call, id, title string) error {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return err
	}
	purged := func(tx *kv.Tx) (*record.Document, error) {
		d, err := store.Load(tx, who, id)
		if err != nil {
			return nil, err
		}
		if err := adminOnly(who)(tx, d); err != nil {
			return nil, err
		}
		if err := d.Purgeable(); err != nil {
			return nil, err
		}
		if strings.TrimSpace(title) != strings.TrimSpace(d.Title) {
			return nil, fault.Invalid("title", "not_the_title")
		}
		return d, nil
	}
	err := s.db.View(func(tx *kv.Tx) error {
		_, err := purged(tx)
		return err
	})
	if err != nil {
		return err
	}
	if err := s.forgetSnapshots(who.CompanyID, id); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, err := purged(tx)
		if err != nil {
			return err
		}
		if err := s.jobs.Cancel(tx, purgeJob, d.ID); err != nil {
			return err
		}
		return s.remove(tx, who, d)
	})
}

// Duplicate makes a new draft with the same content as a document in any state.
func (s *Drafts) Duplicate(who account.Call, id string) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	from, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	d := s.copyOf(from, who)
	if err := s.insertCopy(who, d, d.CreatedEvent().With("duplicate_of", id)); err != nil {
		return nil, err
	}
	return d, nil
}

// insertCopy commits a record whose files are those of another.
func (s *Drafts) insertCopy(who account.Call, d *record.Document, event record.Event) error {
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if err := s.quota.Room(tx, d.Company, 1, d.Bytes()); err != nil {
			return err
		}
		if err := stillApprovable(tx, d); err != nil {
			return err
		}
		for i := range d.Invitations {
			to := store.InvitedTo{Company: d.Company, Document: d.ID}
			if err := store.Invited.Put(tx, d.Invitations[i].ID, to); err != nil {
				return err
			}
		}
		return s.store.Save(tx, who, d, event)
	})
}

// stillApprovable lets everyone who may approve do so if the named approver no longer
// can.
func stillApprovable(tx *kv.Tx, d *record.Document) error {
	if d.Approver == nil {
		return nil
	}
	m, err := account.LoadMember(tx, d.Company, d.Approver.ID)
	if fault.KindOf(err) == fault.KindNotFound ||
		err == nil && (m.Status != account.MemberActive || !m.Role.Approves()) {
		d.Approver = nil
		return nil
	}
	return err
}

// copyOf returns a draft with the content of a document, without its history.
func (s *Drafts) copyOf(from *record.Document, who account.Call) *record.Document {
	now := s.now(who.CompanyID)
	d := from.Copy(s.id(), record.PersonOf(who.Actor), now)
	renamed := map[string]string{}
	for _, f := range from.Files {
		renamed[f.ID] = s.id()
		d.Files = append(d.Files, f.Copy(renamed[f.ID], now))
	}
	for i := range from.Invitations {
		inv := &from.Invitations[i]
		if inv.Status == record.Delegated {
			continue
		}
		renamed[inv.ID] = s.id()
		next := inv.Copy(renamed[inv.ID], now)
		if next.NamedByPrevious {
			next.Name, next.Email = "", ""
		}
		d.Invitations = append(d.Invitations, next)
	}
	for _, x := range from.Fields {
		if invitation, ok := renamed[x.Invitation]; ok {
			d.Fields = append(d.Fields, x.Copy(s.id(), renamed[x.File], invitation))
		}
	}
	return d
}
