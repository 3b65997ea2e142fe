package record

import (
	"time"

	"paraph/app/fault"
)

// TakesCode refuses an access code for an invitation that does not use one or is
// no longer open.
func (d *Document) TakesCode(inv *Invitation, now time.Time) error {
	if err := d.Running(now); err != nil {
		return err
	}
	if !inv.Open() || inv.Authentication != ByAccessCode {
		return fault.Conflict("no_access_code_asked")
	}
	return nil
}

// RemindAgain is the minimum interval between manual reminders to the same person.
const RemindAgain = time.Minute

// MayRemindAgain matches one person, or everyone, except those just reminded.
func MayRemindAgain(invitation string, now time.Time) func(*Invitation) bool {
	return func(inv *Invitation) bool {
		if invitation != "" && inv.ID != invitation {
			return false
		}
		return inv.RemindedAt == nil || now.Sub(*inv.RemindedAt) >= RemindAgain
	}
}

func NobodyToRemind() error {
	return fault.Conflict("nobody_to_remind")
}

// Remind records a reminder for everyone who matches and whose turn it is.
func (d *Document) Remind(now time.Time, match func(*Invitation) bool) []Event {
	if d.NoMails || d.Declined() != nil {
		return nil
	}
	var events []Event
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.Open() || inv.Status == Pending || !d.IsTurnOf(inv) || !match(inv) {
			continue
		}
		inv.RemindedAt, inv.UpdatedAt = &now, now
		inv.RemindersSent++
		events = append(events, NewEvent(EventInvitationReminded).To(inv.ID).With("email", inv.Email))
	}
	return events
}

func (d *Document) ExpiresNext() *time.Time {
	if d.Status != Sent {
		return nil
	}
	return d.ExpiresAt
}

// NextReminder returns the earliest time at which someone whose turn it is is due a reminder.
func (d *Document) NextReminder(now time.Time) *time.Time {
	if d.Status != Sent || d.NoMails || d.Declined() != nil {
		return nil
	}
	var next *time.Time
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.Open() || inv.NotifiedAt == nil || !d.IsTurnOf(inv) {
			continue
		}
		at := d.RemindsAt(inv)
		if at == nil {
			continue
		}
		if at.Before(now) {
			at = &now
		}
		if next == nil || at.Before(*next) {
			next = at
		}
	}
	return next
}

// RemindsAt returns the time of a person's next reminder, or nil.
func (d *Document) RemindsAt(inv *Invitation) *time.Time {
	if d.RemindEveryDays > 0 {
		at := inv.lastContacted().AddDate(0, 0, d.RemindEveryDays)
		return &at
	}
	for _, days := range d.ReminderDays { // ascending
		if at := inv.NotifiedAt.AddDate(0, 0, days); at.After(inv.lastContacted()) {
			return &at
		}
	}
	return nil
}

func (i *Invitation) lastContacted() time.Time {
	if i.RemindedAt != nil {
		return *i.RemindedAt
	}
	return *i.NotifiedAt
}

// Ended returns when the document was completed, expired or voided, or nil.
func (d *Document) Ended() *time.Time {
	switch d.Status {
	case Completed:
		return d.CompletedAt
	case Expired:
		return d.ExpiredAt
	case Voided:
		return d.VoidedAt
	}
	return nil
}

// RequireCodesBy refuses invitations that need a code by e-mail if none can be sent. Nobody can choose such a code then,
// but a copy of a document or template may still ask for one.
func (d *Document) RequireCodesBy(f *fault.Fields, mailed bool) {
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; !mailed && inv.Acts() && inv.Authentication == ByEmailCode {
			f.At("invitations", i).Add("authentication", "no_mail_for_codes")
		}
	}
}

// Notify turns those whose turn it is from pending to notified. The mails follow
// from the journal.
func (d *Document) Notify(now time.Time) []Event {
	var events []Event
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if inv.Status != Pending || !inv.Acts() || inv.lacksCode() || inv.Unnamed() || !d.IsTurnOf(inv) {
			continue
		}
		inv.Status, inv.NotifiedAt, inv.UpdatedAt = Notified, &now, now
		events = append(events, NewEvent(EventInvitationNotified).To(inv.ID).With("email", inv.Email))
	}
	return events
}
