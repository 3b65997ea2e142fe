package signing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/mark"
	"paraph/kv"
)

// Stage is the page that the link of an invitation opens.
type Stage string

// The stages. They alone decide what is shown.
const (
	StageIdentify Stage = "identify" // a code is asked for first
	StageConsent  Stage = "consent"  // they have to agree before the document is shown
	StageSign     Stage = "sign"     // it is their turn
	StageWaiting  Stage = "waiting"  // others are before them
	StageSigned   Stage = "signed"   // they have signed, others have not
	StageSealing  Stage = "sealing"  // everybody has signed, the seal is being made
	// StageSealingFailed: everybody has signed, and making the seal was given up.
	StageSealingFailed Stage = "sealing_failed"
	StageCompleted     Stage = "completed" // the sealed file is available
	StageDeclined      Stage = "declined"  // they declined
	StageStopped       Stage = "stopped"   // somebody else declined
	StageVoided        Stage = "voided"
	StageExpired       Stage = "expired"
	StageReading       Stage = "reading" // they only receive a copy, which is not available yet
)

// Visit is the view of a document that an invited person has.
type Visit struct {
	Stage      Stage
	Document   *Document // without any content as long as a code is asked for
	Invitation *Invitation
	Company    account.Company
	Consent    string // what they agree to by signing; "" if nothing is asked
	Agreed     bool   // whether they have agreed
	Answers    Answers
	Before     []string // names of those who act before them
	Closed     bool     // the document's content is no longer shown
}

// Visit returns what the link of an invitation leads to. It changes nothing.
func (s *Service) Visit(_ context.Context, who account.Actor) (*Visit, error) {
	if !who.IsSignatory() {
		return nil, fault.NotFound("invitation")
	}
	v := &Visit{}
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		if v.Document, err = load(tx, who, who.Document); err != nil {
			return err
		}
		v.Invitation = v.Document.invitation(who.Invitation)
		if v.Company, err = account.LoadCompany(tx, v.Document.Company); err != nil {
			return err
		}
		v.Answers, err = answersOf(tx, who.Invitation)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Consent = s.consentText(v.Company)
	v.Agreed = v.Invitation.agreed(v.Consent)
	v.Stage = v.Document.stage(v.Invitation, isIdentified(who, v.Invitation), s.Now())
	if v.Stage == StageSign && s.closed(who, v.Company, v.Invitation) {
		v.Stage = StageConsent
	}
	s.conceal(v, isIdentified(who, v.Invitation))
	return v, nil
}

// conceal removes from a visit what its visitor may not see.
func (s *Service) conceal(v *Visit, identified bool) {
	v.Closed = v.Document.hidden(v.Company, s.Now())
	switch {
	case v.Closed:
		if v.Stage == StageSigned {
			v.Stage = StageStopped // another person has declined since
		}
		v.Document, v.Answers = v.Document.notice(v.Invitation), Answers{}
		if !identified {
			v.Document.VoidedReason = ""
		}
	case v.Stage == StageIdentify, v.Stage == StageConsent, !identified:
		v.Document, v.Answers = v.Document.envelope(), Answers{}
	case v.Stage == StageWaiting:
		v.Before = v.Document.before(v.Invitation)
	}
}

// Preview returns what an invited person will see when it is their turn, for the
// members who prepare the document.
func (s *Service) Preview(_ context.Context, who account.Actor, id, invitation string) (*Visit, error) {
	if err := member(who, account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.get(who, id)
	if err != nil {
		return nil, err
	}
	v := &Visit{Stage: StageSign, Document: d, Invitation: d.invitation(invitation)}
	if v.Invitation == nil {
		return nil, fault.NotFound("invitation")
	}
	if v.Company, err = s.company(who); err != nil {
		return nil, err
	}
	v.Consent = s.consentText(v.Company)
	return v, nil
}

// stage returns where the document stands for one of the invited people.
func (d *Document) stage(inv *Invitation, identified bool, now time.Time) Stage {
	switch {
	case d.Status == Voided:
		return StageVoided
	case d.late(now):
		return StageExpired
	case !identified:
		return StageIdentify
	case d.Status == Completed:
		return StageCompleted
	case d.Attention.Kind == AttentionSealing:
		return StageSealing
	case d.Attention.Kind == AttentionSealingFailed:
		return StageSealingFailed
	case inv.Status == Signed:
		return StageSigned
	case inv.Status == Declined:
		return StageDeclined
	case d.declined() != nil:
		return StageStopped
	case inv.Role == Viewer:
		return StageReading
	case !d.turn(inv):
		return StageWaiting
	}
	return StageSign
}

// late reports whether the deadline has passed, even if that has not been recorded yet.
func (d *Document) late(now time.Time) bool {
	return d.Status == Expired ||
		d.Status == Sent && d.ExpiresAt != nil && !now.Before(*d.ExpiresAt) && !d.unsealed()
}

// hidden reports whether the links of a document show no more than what happened
// to it: it was voided, declined, or not signed in time, and its company has not
// chosen to keep such documents readable. Completed ones stay readable.
func (d *Document) hidden(c account.Company, now time.Time) bool {
	stopped := d.Status == Sent && d.declined() != nil
	return !c.ClosedDocumentsReadable && (d.Status == Voided || d.late(now) || stopped)
}

// notice returns what an invited person still sees of a closed document: what
// happened to it, and none of its content.
func (d *Document) notice(inv *Invitation) *Document {
	n := d.envelope()
	n.CreatedAt, n.UpdatedAt, n.SentAt, n.Version = d.CreatedAt, d.UpdatedAt, d.SentAt, d.Version
	n.ExpiredAt, n.VoidedAt, n.VoidedReason = d.ExpiredAt, d.VoidedAt, d.VoidedReason
	own := *inv
	own.Message = ""
	n.Invitations = []Invitation{own}
	return n
}

// envelope returns a document without content: only what its invitation's mail says.
func (d *Document) envelope() *Document {
	return &Document{ID: d.ID, Company: d.Company, Title: d.Title, Status: d.Status, Locale: d.Locale, Owner: d.Owner, ExpiresAt: d.ExpiresAt,
		NoDecline: d.NoDecline, NoDelegation: d.NoDelegation, DeclineReason: d.DeclineReason}
}

func (d *Document) before(inv *Invitation) []string {
	var names []string
	for i := range d.Invitations {
		if o := &d.Invitations[i]; o.open() && o.Position < inv.Position {
			names = append(names, o.Name)
		}
	}
	return names
}

// FieldsOf lists the fields of an invitation in reading order: by file, page, and
// place on the page.
func (d *Document) FieldsOf(invitation string) []*Field {
	order := map[string]int{}
	for i := range d.Files {
		order[d.Files[i].ID] = i
	}
	own := d.fieldsOf(invitation)
	slices.SortStableFunc(own, func(a, b *Field) int {
		sameLine := a.Y < b.Y+b.Height/2 && b.Y < a.Y+a.Height/2
		c := cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Page, b.Page))
		if c == 0 && !sameLine {
			c = cmp.Compare(a.Y, b.Y)
		}
		return cmp.Or(c, cmp.Compare(a.X, b.X))
	})
	return own
}

// Key returns how a field is called in the names of faults: its name, its label,
// or its identifier.
func (x *Field) Key() string { return x.label() }

// Automatic returns the value, at the given time, of a field that its person did not fill in.
func (x *Field) Automatic(inv *Invitation, now time.Time) string { return x.automatic(inv, now) }

// Current returns the SHA-256 of the PDF as it stands, hexadecimal.
func (f *File) Current() string { return f.current() }

// Initials returns the initials of a name.
func Initials(name string) string { return mark.Initials(name) }

// NotMe records that an invitation reached someone it was not meant for. Its link
// stops working, and the owner is notified. Like declining, it requires proof of
// identity and the sender's permission; others can report a problem.
func (s *Service) NotMe(_ context.Context, who account.Actor, id, invitation string, note *string) (*Document, error) {
	var f fault.Fields
	why := lines(&f, "note", note, maxReason)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if !who.IsSignatoryOf(id, invitation) {
		return nil, fault.NotFound("invitation")
	}
	return s.respond(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if err := d.declinable(inv, tx.Now); err != nil {
			return nil, err
		}
		reason := strings.TrimSpace("The invitation reached the wrong person. " + why)
		inv.Status, inv.DeclinedAt, inv.DeclinedReason, inv.Astray = Declined, &tx.Now, reason, true
		d.needs(Attention{Kind: AttentionDeclined, Code: "declined.astray", Invitation: inv.ID})
		return []saving{happened(EventInvitationDeclined).to(inv.ID).with("email", inv.Email).with("reason", reason)}, nil
	})
}

// askAgain is the minimum interval between notices to the owner that someone wants a new link.
const askAgain = time.Hour

// AskForLink tells the owner that a person wants to sign an expired document. It
// does so at most once an hour, and its answer is always the same.
func (s *Service) AskForLink(_ context.Context, who account.Actor, id, invitation string) error {
	if !who.IsSignatoryOf(id, invitation) {
		return fault.NotFound("invitation")
	}
	_, err := s.onInvitation(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if d.stage(inv, true, tx.Now) != StageExpired {
			return nil, conflict("document_not_expired.ask")
		}
		state, err := identityOf(tx, inv.ID)
		if err != nil {
			return nil, err
		}
		if state.AskedAt != nil && tx.Now.Sub(*state.AskedAt) < askAgain {
			return nil, errAsked
		}
		if err := state.note(tx.Now); err != nil {
			return nil, err
		}
		state.AskedAt = &tx.Now
		return []saving{happened(EventInvitationLinkRequested).to(inv.ID).with("email", inv.Email)}, identities.Put(tx, inv.ID, state)
	})
	if err == errAsked {
		return nil
	}
	return err
}

// errAsked means that the owner already knows.
var errAsked = conflict("already_asked")

// SendLink mails the link of an invitation again to the address it was sent to,
// for someone whose copy is damaged. Callers learn nothing: neither whether such
// an invitation exists nor whether a message was sent. The link they have need
// not be complete, so this works only a few times a day.
func (s *Service) SendLink(_ context.Context, token, address string, from account.Actor) error {
	if len(token) < linkIDLength {
		return nil
	}
	id := strings.ToUpper(token[:linkIDLength])
	who, at, err := s.addressee(id, address)
	if err != nil || at == "" {
		return err
	}
	_, err = s.update(who.From(from.IP, from.UserAgent, from.RequestID), at, func(tx *kv.Tx, d *Document) ([]saving, error) {
		if err := d.running(tx.Now); err != nil {
			return nil, err
		}
		state, err := identityOf(tx, id)
		if err != nil {
			return nil, err
		}
		if err := state.note(tx.Now); err != nil {
			return nil, err
		}
		events := d.remind(tx.Now, func(inv *Invitation) bool {
			return inv.ID == id && (inv.RemindedAt == nil || tx.Now.Sub(*inv.RemindedAt) >= remindAgain)
		})
		if len(events) == 0 {
			return nil, nobodyToRemind()
		}
		return events, errors.Join(identities.Put(tx, id, state), s.schedule(tx, d))
	})
	switch fault.KindOf(err) {
	case fault.KindNotFound, fault.KindConflict, fault.KindThrottled:
		return nil
	}
	return err
}

// addressee finds the document of an invitation that was sent to an address, ""
// for none. It only reads, so that strangers do not hold up writers.
func (s *Service) addressee(invitation, address string) (who account.Actor, document string, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		at, err := invited.Get(tx, invitation)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		d, err := documents.Get(tx, documentKey(at.Company, at.Document))
		if err != nil {
			return err
		}
		if inv := d.invitation(invitation); inv != nil && strings.EqualFold(inv.Email, strings.TrimSpace(address)) {
			who, document = account.System(at.Company), at.Document
		}
		return nil
	})
	return who, document, err
}
