package record

import (
	"cmp"
	"slices"
	"time"

	"paraph/app/account"
)

// Agreement records a person's consent to signing electronically: when they gave
// it, and to which text. The journal records where it came from.
type Agreement struct {
	At      time.Time
	Version string // of the text, see [account.ConsentName]
	Text    string `json:",omitempty"` // as it was shown; "" in older records
}

// AgreedTo reports whether a person consented to the current text. Anyone who
// agreed to another version is asked again.
func (i *Invitation) AgreedTo(text string) bool {
	if i.Agreed == nil {
		return false
	}
	if i.Agreed.Text != "" {
		return i.Agreed.Text == text // texts of one version can be found by trying
	}
	return i.Agreed.Version == account.ConsentName(text)
}

// Stage is the page that the link of an invitation opens.
type Stage string

// The stages. They alone determine what is shown.
const (
	StageIdentify Stage = "identify" // a code is asked for first
	StageConsent  Stage = "consent"  // they have to agree before the document is shown
	StageSign     Stage = "sign"     // it is their turn to do what they are asked to
	StageWaiting  Stage = "waiting"  // others are before them
	StageSigned   Stage = "signed"   // they have acted, others have not
	StageSealing  Stage = "sealing"  // everybody has signed, the seal is being made
	// StageSealingFailed means that everyone has signed but sealing was abandoned.
	StageSealingFailed Stage = "sealing_failed"
	StageCompleted     Stage = "completed" // the sealed file is available
	StageDeclined      Stage = "declined"  // they declined
	StageStopped       Stage = "stopped"   // somebody else declined
	StageVoided        Stage = "voided"
	StageExpired       Stage = "expired"
	StageNotNeeded     Stage = "not_needed" // somebody else of their group has acted
	StageReading       Stage = "reading"    // they only receive a copy, which is not available yet
)

// Stage returns the stage of the document for one of the invited people.
func (d *Document) Stage(inv *Invitation, identified bool, now time.Time) Stage {
	switch {
	case d.Status == Voided && (!identified || inv.Status != Declined): // who declined knows more
		return StageVoided
	case d.overdue(now):
		return StageExpired
	case !identified:
		return StageIdentify
	case d.Status == Completed:
		return StageCompleted
	case d.Attention.Kind == AttentionSealing:
		return StageSealing
	case d.Attention.Kind == AttentionSealingFailed:
		return StageSealingFailed
	case inv.Acted():
		return StageSigned
	case inv.Status == NotNeeded && d.Declined() == nil:
		return StageNotNeeded
	case inv.Status == Declined:
		return StageDeclined
	case d.Declined() != nil:
		return StageStopped
	case inv.Role == Viewer:
		return StageReading
	case !d.IsTurnOf(inv):
		return StageWaiting
	}
	return StageSign
}

// overdue reports whether the deadline has passed, even if that has not been recorded yet.
func (d *Document) overdue(now time.Time) bool {
	return d.Status == Expired ||
		d.Status == Sent && d.ExpiresAt != nil && !now.Before(*d.ExpiresAt) && !d.Unsealed()
}

// Hidden reports whether the links of a document show only how it ended: it was
// voided, declined or not signed in time, and its company has not chosen to keep
// such documents readable. Completed ones stay readable.
func (d *Document) Hidden(c account.Company, now time.Time) bool {
	stopped := d.Status == Sent && d.Declined() != nil
	return !c.ClosedDocumentsReadable && (d.Status == Voided || d.overdue(now) || stopped)
}

// Notice returns what an invited person still sees of a closed document: how it
// ended, without any of its content.
func (d *Document) Notice(inv *Invitation) *Document {
	n := d.Envelope()
	n.CreatedAt, n.UpdatedAt, n.SentAt, n.Version = d.CreatedAt, d.UpdatedAt, d.SentAt, d.Version
	n.ExpiredAt, n.VoidedAt, n.RedirectURL = d.ExpiredAt, d.VoidedAt, d.RedirectURL
	n.setWhyVoided(d.WhyVoided())
	own := *inv
	own.Message = ""
	n.Invitations = []Invitation{own}
	return n
}

// Envelope returns a document without content, with only what the invitation e-mail shows.
func (d *Document) Envelope() *Document {
	return &Document{
		ID: d.ID, Company: d.Company, Title: d.Title, Status: d.Status, Locale: d.Locale, Owner: d.Owner,
		ExpiresAt: d.ExpiresAt, NoDecline: d.NoDecline, NoDelegation: d.NoDelegation, DeclineReason: d.DeclineReason,
	}
}

func (d *Document) Before(inv *Invitation) []string {
	var people []*Invitation
	for i := range d.Invitations {
		if o := &d.Invitations[i]; o.Open() && o.Position < inv.Position {
			people = append(people, o)
		}
	}
	return names(people)
}

// FieldsOf lists the fields of an invitation in reading order.
func (d *Document) FieldsOf(invitation string) []*Field {
	return InReadingOrder(d, d.UnsortedFieldsOf(invitation))
}

// InReadingOrder sorts fields by file, page, and position on the page.
func InReadingOrder(d *Document, fields []*Field) []*Field {
	order := map[string]int{}
	for i := range d.Files {
		order[d.Files[i].ID] = i
	}
	slices.SortStableFunc(fields, func(a, b *Field) int {
		sameLine := a.Y < b.Y+b.Height/2 && b.Y < a.Y+a.Height/2
		c := cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Page, b.Page))
		if c == 0 && !sameLine {
			c = cmp.Compare(a.Y, b.Y)
		}
		return cmp.Or(c, cmp.Compare(a.X, b.X))
	})
	return fields
}
