package record

import (
	"time"

	"paraph/app/fault"
)

// The steps in a document's life. Each is a pure rule that checks the record, then
// either returns a conflict or changes the record and does nothing else.

// wrongState returns the error for an operation that is not possible in the document's state.
func (d *Document) wrongState(code fault.Code) error { return fault.Conflict(code, d.Status.arg()) }

// arg names the state in a fault.
func (s Status) arg() fault.Arg { return fault.Term("state", "state."+s.String()) }

// Editable refuses states in which content must not change.
func (d *Document) Editable() error {
	if d.DeletedAt != nil {
		return fault.Conflict("document_deleted")
	}
	if d.Status != Draft {
		return fault.Conflict("document_not_draft", d.Status.arg())
	}
	return notScheduled(d)
}

// Live refuses a document that is archived or in the trash: it must be restored first.
func (d *Document) Live() error {
	switch {
	case d.DeletedAt != nil:
		return fault.Conflict("document_deleted")
	case d.ArchivedAt != nil:
		return fault.Conflict("document_archived")
	}
	return nil
}

func (d *Document) Submit(by Person, now time.Time) error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.Template {
		return fault.Conflict("template_not_sent")
	}
	if d.Status != Draft {
		return d.wrongState("document_not_draft.submitted")
	}
	if err := notScheduled(d); err != nil {
		return err
	}
	d.Status, d.SubmittedAt, d.SubmittedBy = PendingApproval, &now, by.ID
	d.RejectedAt, d.RejectedReason = nil, ""
	return nil
}

func (d *Document) Withdraw() error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.Status != PendingApproval {
		return d.wrongState("document_not_pending.withdrawn")
	}
	d.Status, d.SubmittedAt, d.SubmittedBy = Draft, nil, ""
	return nil
}

func (d *Document) Approve(by Person, now time.Time) error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.Status != PendingApproval {
		return d.wrongState("document_not_pending.approved")
	}
	d.Status, d.ApprovedAt, d.Approver = Approved, &now, &by
	return nil
}

func (d *Document) Reject(by Person, reason string, now time.Time) error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.Status != PendingApproval {
		return d.wrongState("document_not_pending.rejected")
	}
	d.Status, d.RejectedAt, d.RejectedReason, d.Approver = Rejected, &now, reason, &by
	return nil
}

func (d *Document) Reopen() error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.Status != Approved && d.Status != Rejected {
		return d.wrongState("document_not_approved_or_rejected.reopened")
	}
	if err := notScheduled(d); err != nil {
		return err
	}
	d.Status, d.SubmittedAt, d.SubmittedBy, d.ApprovedAt = Draft, nil, "", nil
	return nil
}

// Sendable refuses a document that may not be sent from its current state.
func (d *Document) Sendable(requireApproval bool) error {
	if err := d.Live(); err != nil {
		return err
	}
	switch {
	case d.Template:
		return fault.Conflict("template_not_sent")
	case d.Status == Approved:
		return nil
	case d.Status == Draft && requireApproval:
		return fault.Conflict("approval_required")
	case d.Status == Draft:
		return nil
	case d.Status == Sent:
		return fault.Conflict("document_already_sent")
	}
	return d.wrongState("document_not_draft.sent")
}

// Void ends the document: nobody can sign it any more.
func (d *Document) Void(reason Reason, now time.Time) error {
	if d.DeletedAt != nil {
		return d.Live()
	}
	switch d.Status {
	case PendingApproval, Approved, Rejected, Sent, Expired:
		unschedule(d)
		d.Status, d.VoidedAt = Voided, &now
		d.setWhyVoided(reason)
		d.SetAttention(Attention{})
		return nil
	}
	return d.wrongState("document_not_voidable.voided")
}

func (d *Document) Extend(until time.Time) error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.Status != Expired {
		return d.wrongState("document_not_expired.extended")
	}
	d.Status, d.ExpiresAt, d.ExpiredAt = Sent, &until, nil
	return nil
}

// Expire ends the signing if the deadline has passed, and reports whether it did.
func (d *Document) Expire(now time.Time) bool {
	if d.Status != Sent || d.ExpiresAt == nil || now.Before(*d.ExpiresAt) || d.Unsealed() {
		return false
	}
	d.Status, d.ExpiredAt = Expired, &now
	return true
}

// Signable refuses an invited person's act before the document is sent, after it has
// ended, out of turn, or a second time.
func (d *Document) Signable(inv *Invitation, now time.Time) error {
	if err := d.Running(now); err != nil {
		return err
	}
	switch {
	case inv.Status == Signed:
		return fault.Conflict("already_signed")
	case inv.Status == Read:
		return fault.Conflict("already_read")
	case inv.Status == FilledIn:
		return fault.Conflict("already_filled_in")
	case inv.Status == NotNeeded:
		return notNeeded(d, inv)
	case inv.Status == Declined:
		return fault.Conflict("invitation_declined")
	case inv.Status == Delegated:
		return passedOn(inv)
	case inv.Role == Viewer:
		return fault.Conflict("viewer_does_not_sign")
	case d.Declined() != nil:
		return fault.Conflict("document_declined")
	case inv.Unnamed(), !d.IsTurnOf(inv):
		return fault.Conflict("not_your_turn")
	}
	return nil
}

// notNeeded returns the conflict for somebody for whose group somebody else has acted.
func notNeeded(d *Document, inv *Invitation) error {
	var name string
	if by := ActedFor(d, inv); by != nil {
		name = by.Name
	}
	return fault.Conflict("group_acted", fault.Text("name", name))
}

// Declinable refuses a person who may not decline.
func (d *Document) Declinable(inv *Invitation, now time.Time) error {
	if err := d.Signable(inv, now); err != nil {
		return err
	}
	if d.NoDecline {
		return fault.Conflict("decline_not_allowed")
	}
	return nil
}

// Delegable refuses a person who may not delegate.
func (d *Document) Delegable(inv *Invitation, now time.Time) error {
	if err := d.Signable(inv, now); err != nil {
		return err
	}
	if d.NoDelegation {
		return fault.Conflict("delegation_not_allowed")
	}
	return nil
}

// Running refuses states in which nobody can act on an invitation.
func (d *Document) Running(now time.Time) error {
	if err := d.Live(); err != nil {
		return err
	}
	switch {
	case d.Status == Sent && d.ExpiresAt != nil && !now.Before(*d.ExpiresAt):
		return fault.Conflict("document_expired")
	case d.Status == Sent:
		return nil
	case d.Status == Draft, d.Status == PendingApproval, d.Status == Approved, d.Status == Rejected:
		return fault.Conflict("document_not_sent")
	}
	return fault.Conflict(fault.Code("document_"+d.Status.String()+".over"), d.Status.arg())
}

func (d *Document) Archive(now time.Time) error {
	switch {
	case d.DeletedAt != nil:
		return d.Live()
	case d.ArchivedAt != nil:
		return fault.Conflict("document_archived.already")
	case d.Status == Sent:
		return fault.Conflict("document_sent.archive")
	}
	unschedule(d)
	d.ArchivedAt = &now
	return nil
}

func (d *Document) Trash(now time.Time) error {
	switch {
	case d.DeletedAt != nil:
		return fault.Conflict("document_deleted.already")
	case d.Status == Sent:
		return fault.Conflict("document_sent.delete")
	}
	unschedule(d)
	d.DeletedAt = &now
	return nil
}

func (d *Document) Restore() error {
	if d.ArchivedAt == nil && d.DeletedAt == nil {
		return fault.Conflict("document_active")
	}
	d.ArchivedAt, d.DeletedAt = nil, nil
	return nil
}

// Purgeable refuses a document that is not in the trash.
func (d *Document) Purgeable() error {
	if d.DeletedAt == nil {
		return fault.Conflict("document_not_deleted")
	}
	return nil
}
