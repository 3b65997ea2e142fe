package record

import (
	"time"

	"paraph/app/account"
	"paraph/app/fault"
)

// maxWait is how far ahead a document can be scheduled to be sent.
const maxWait = 366 * 24 * time.Hour

// SendLater schedules a document to be sent on behalf of a member, or of a program with a token
// of theirs. Its deadline has to be later.
func SendLater(f *fault.Fields, d *Document, at time.Time, who account.Actor, now time.Time) {
	at = CheckSendAt(f, at, now)
	if d.ExpiresAt != nil && !d.ExpiresAt.After(at) {
		f.Add("expires_at", "too_early", fault.Time("limit", at))
	}
	by := PersonOf(who)
	d.SendAt, d.SendBy, d.SendToken = &at, &by, ""
	if who.Kind == account.ActorToken {
		d.SendToken = who.TokenID
	}
	forgetNotSent(d)
}

// CanBeScheduled reports whether documents in a state can be scheduled to be sent.
func CanBeScheduled(s Status) bool { return s == Draft || s == Approved }

// CheckSendAt checks when documents are to be sent, and returns the time as it is stored.
func CheckSendAt(f *fault.Fields, at, now time.Time) time.Time {
	at = *CheckDeadline(f, "send_at", &at, now)
	if last := now.Add(maxWait); at.After(last) {
		f.Add("send_at", "too_late", fault.Time("limit", last))
	}
	return at
}

// ScheduledEvent records that a document was scheduled to be sent.
func ScheduledEvent(d *Document) Event {
	return NewEvent(EventDocumentScheduled).With("send_at", FormatTime(*d.SendAt))
}

// CallOff ends the schedule of a document, which remains as it is.
func CallOff(d *Document) error {
	if err := d.Live(); err != nil {
		return err
	}
	if d.SendAt == nil {
		return fault.Conflict("document_not_scheduled")
	}
	unschedule(d)
	return nil
}

// SendDue reports whether the time has come to send a scheduled document.
func SendDue(d *Document, now time.Time) bool { return d.SendAt != nil && !d.SendAt.After(now) }

// SetSent records that a document was sent.
func SetSent(d *Document, now time.Time) {
	unschedule(d)
	forgetNotSent(d)
	d.Status, d.SentAt = Sent, &now
	for i := range d.Fields {
		if inv := d.Invitation(d.Fields[i].Invitation); inv != nil {
			d.Fields[i].Invitation = FirstOfGroup(d, inv).ID
		}
	}
}

// SetNotSent ends the schedule of a document that could not be sent in time. The cause is the
// last part of the attention's code.
func SetNotSent(d *Document, cause string) Event {
	unschedule(d)
	d.SetAttention(Attention{Kind: AttentionNotSent, Code: fault.Code("not_sent." + cause)})
	return NewEvent(EventDocumentNotSent).With("cause", cause)
}

// Reasons for which a scheduled document is not sent.
const (
	NotSentByMember = "member"   // whoever scheduled it may no longer send documents
	NotSentByToken  = "token"    // the token with which it was scheduled was revoked or has expired
	NotSentAsIs     = "problems" // something has to be resolved first
	notSentMoved    = "moved"    // the company was imported from elsewhere
)

// ForgetSchedule ends the schedule of an imported document, because the installation that it
// comes from still has it and sends it too.
func ForgetSchedule(d *Document) {
	if d.SendAt != nil {
		SetNotSent(d, notSentMoved)
	}
}

func unschedule(d *Document) { d.SendAt, d.SendBy, d.SendToken = nil, nil, "" }

func forgetNotSent(d *Document) {
	if d.Attention.Kind == AttentionNotSent {
		d.SetAttention(Attention{})
	}
}

// notScheduled refuses to change a document that is scheduled to be sent as it is.
func notScheduled(d *Document) error {
	if d.SendAt != nil {
		return fault.Conflict("document_scheduled")
	}
	return nil
}
