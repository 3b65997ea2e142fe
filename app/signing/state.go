package signing

import (
	"time"

	"paraph/app/fault"
)

// The steps in a document's life. Each is a pure rule: it checks the record, then
// either returns a conflict or changes the record and nothing else.

func conflict(code fault.Code, args ...fault.Arg) error { return fault.Conflict(code, args...) }

// wrongState returns the error for an operation that does not fit the document's state.
func (d *Document) wrongState(code fault.Code) error { return conflict(code, d.Status.arg()) }

// arg names the state in an error.
func (s Status) arg() fault.Arg { return fault.Term("state", "state."+s.String()) }

// editable refuses every state in which content may not change.
func (d *Document) editable() error {
	if d.DeletedAt != nil {
		return conflict("document_deleted")
	}
	if d.Status != Draft {
		return conflict("document_not_draft", d.Status.arg())
	}
	return nil
}

// live refuses an archived document or one in the trash: it must be restored first.
func (d *Document) live() error {
	switch {
	case d.DeletedAt != nil:
		return conflict("document_deleted")
	case d.ArchivedAt != nil:
		return conflict("document_archived")
	}
	return nil
}

func (d *Document) submit(by Person, now time.Time) error {
	if err := d.live(); err != nil {
		return err
	}
	if d.Template {
		return conflict("template_not_sent")
	}
	if d.Status != Draft {
		return d.wrongState("document_not_draft.submitted")
	}
	d.Status, d.SubmittedAt, d.SubmittedBy = PendingApproval, &now, by.ID
	d.RejectedAt, d.RejectedReason = nil, ""
	return nil
}

func (d *Document) withdraw() error {
	if err := d.live(); err != nil {
		return err
	}
	if d.Status != PendingApproval {
		return d.wrongState("document_not_pending.withdrawn")
	}
	d.Status, d.SubmittedAt, d.SubmittedBy = Draft, nil, ""
	return nil
}

func (d *Document) approve(by Person, now time.Time) error {
	if err := d.live(); err != nil {
		return err
	}
	if d.Status != PendingApproval {
		return d.wrongState("document_not_pending.approved")
	}
	d.Status, d.ApprovedAt, d.Approver = Approved, &now, &by
	return nil
}

func (d *Document) reject(by Person, reason string, now time.Time) error {
	if err := d.live(); err != nil {
		return err
	}
	if d.Status != PendingApproval {
		return d.wrongState("document_not_pending.rejected")
	}
	d.Status, d.RejectedAt, d.RejectedReason, d.Approver = Rejected, &now, reason, &by
	return nil
}

func (d *Document) reopen() error {
	if err := d.live(); err != nil {
		return err
	}
	if d.Status != Approved && d.Status != Rejected {
		return d.wrongState("document_not_approved_or_rejected.reopened")
	}
	d.Status, d.SubmittedAt, d.SubmittedBy, d.ApprovedAt = Draft, nil, "", nil
	return nil
}

// sendable refuses a document that may not be sent from its current state.
func (d *Document) sendable(requireApproval bool) error {
	if err := d.live(); err != nil {
		return err
	}
	switch {
	case d.Template:
		return conflict("template_not_sent")
	case d.Status == Approved:
		return nil
	case d.Status == Draft && requireApproval:
		return conflict("approval_required")
	case d.Status == Draft:
		return nil
	case d.Status == Sent:
		return conflict("document_already_sent")
	}
	return d.wrongState("document_not_draft.sent")
}

func (d *Document) void(reason string, now time.Time) error {
	if d.DeletedAt != nil {
		return d.live()
	}
	switch d.Status {
	case PendingApproval, Approved, Rejected, Sent, Expired:
		d.Status, d.VoidedAt, d.VoidedReason = Voided, &now, reason
		d.needs(Attention{})
		return nil
	}
	return d.wrongState("document_not_voidable.voided")
}

func (d *Document) extend(until time.Time) error {
	if err := d.live(); err != nil {
		return err
	}
	if d.Status != Expired {
		return d.wrongState("document_not_expired.extended")
	}
	d.Status, d.ExpiresAt, d.ExpiredAt = Sent, &until, nil
	return nil
}

// expire ends the signing if the deadline has passed; it reports whether it did.
func (d *Document) expire(now time.Time) bool {
	if d.Status != Sent || d.ExpiresAt == nil || now.Before(*d.ExpiresAt) || d.unsealed() {
		return false
	}
	d.Status, d.ExpiredAt = Expired, &now
	return true
}

// signable refuses an invited person's act before the document is sent, after its
// end, out of turn, or a second time.
func (d *Document) signable(inv *Invitation, now time.Time) error {
	if err := d.running(now); err != nil {
		return err
	}
	switch {
	case inv.Status == Signed:
		return conflict("already_signed")
	case inv.Status == Declined:
		return conflict("invitation_declined")
	case inv.Status == Delegated:
		return conflict("invitation_delegated")
	case inv.Role == Viewer:
		return conflict("viewer_does_not_sign")
	case d.declined() != nil:
		return conflict("document_declined")
	case !d.turn(inv):
		return conflict("not_your_turn")
	}
	return nil
}

// declinable refuses to let a person decline if they may not.
func (d *Document) declinable(inv *Invitation, now time.Time) error {
	if err := d.signable(inv, now); err != nil {
		return err
	}
	if d.NoDecline {
		return conflict("decline_not_allowed")
	}
	return nil
}

// delegable refuses to let a person delegate if they may not.
func (d *Document) delegable(inv *Invitation, now time.Time) error {
	if err := d.signable(inv, now); err != nil {
		return err
	}
	if d.NoDelegation {
		return conflict("delegation_not_allowed")
	}
	return nil
}

// running refuses every state in which nobody can act on an invitation.
func (d *Document) running(now time.Time) error {
	if err := d.live(); err != nil {
		return err
	}
	switch {
	case d.Status == Sent && d.ExpiresAt != nil && !now.Before(*d.ExpiresAt):
		return conflict("document_expired")
	case d.Status == Sent:
		return nil
	case d.Status == Draft, d.Status == PendingApproval, d.Status == Approved, d.Status == Rejected:
		return conflict("document_not_sent")
	}
	return conflict(fault.Code("document_"+d.Status.String()+".over"), d.Status.arg())
}

func (d *Document) archive(now time.Time) error {
	switch {
	case d.DeletedAt != nil:
		return d.live()
	case d.ArchivedAt != nil:
		return conflict("document_archived.already")
	case d.Status == Sent:
		return conflict("document_sent.archive")
	}
	d.ArchivedAt = &now
	return nil
}

func (d *Document) trash(now time.Time) error {
	switch {
	case d.DeletedAt != nil:
		return conflict("document_deleted.already")
	case d.Status == Sent:
		return conflict("document_sent.delete")
	}
	d.DeletedAt = &now
	return nil
}

func (d *Document) restore() error {
	if d.ArchivedAt == nil && d.DeletedAt == nil {
		return conflict("document_active")
	}
	d.ArchivedAt, d.DeletedAt = nil, nil
	return nil
}

// purgeable refuses a document that is not in the trash.
func (d *Document) purgeable() error {
	if d.DeletedAt == nil {
		return conflict("document_not_deleted")
	}
	return nil
}
