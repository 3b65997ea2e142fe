package signing

import (
	"errors"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Visit is an invited person's view of a document.
type Visit struct {
	Stage      record.Stage
	Document   *record.Document // without content while a code is required
	Invitation *record.Invitation
	Company    account.Company
	Consent    string // what they agree to by signing; "" if no consent is requested
	Agreed     bool   // whether they have agreed
	Answers    record.Answers
	Before     []string // names of those who act before them
	Closed     bool     // the document's content is no longer shown
	By         string   // who has acted for their group, so that they are not needed
	Version    string   // of what is shown, which the form sends back
}

// Open returns what an invitation's link shows. It changes nothing.
func (s *Signing) Open(who account.Call) (*Visit, error) {
	if !who.IsSignatory() {
		return nil, fault.NotFound("invitation")
	}
	v := &Visit{}
	err := s.db.View(func(tx *kv.Tx) (err error) {
		if v.Document, err = store.Load(tx, who, who.Document); err != nil {
			return err
		}
		v.Invitation = v.Document.Invitation(who.Invitation)
		if v.Company, err = account.LoadCompany(tx, v.Document.Company); err != nil {
			return err
		}
		v.Answers, err = store.AnswersOf(tx, who.Invitation)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Consent = s.consentAsked(v.Company, v.Invitation)
	v.Agreed = v.Invitation.AgreedTo(v.Consent)
	v.Stage = v.Document.Stage(v.Invitation, record.IsIdentified(who.Actor, v.Invitation), s.now(v.Document.Company))
	if by := record.ActedFor(v.Document, v.Invitation); by != nil {
		v.By = by.Name
	}
	if v.Version, err = s.formVersion(v.Company, v.Document, v.Invitation); err != nil {
		return nil, err
	}
	if s.needsConsent(who, v.Company, v.Invitation) {
		v.withoutConsent()
	}
	if v.Stage == record.StageConsent {
		if v.Version, err = s.consentVersion(v.Company, v.Document, v.Invitation); err != nil {
			return nil, err
		}
	}
	s.conceal(v, record.IsIdentified(who.Actor, v.Invitation))
	return v, nil
}

// withoutConsent asks somebody for their consent, or closes the document if it can't be given any
// more.
func (v *Visit) withoutConsent() {
	switch v.Stage {
	case record.StageSign:
		v.Stage = record.StageConsent
	case record.StageIdentify, record.StageWaiting:
	case record.StageCompleted:
		v.Stage, v.Closed = record.StageNotNeeded, true
	default:
		v.Closed = true
	}
}

// conceal removes what the visitor may not see.
func (s *Signing) conceal(v *Visit, identified bool) {
	v.Closed = v.Closed || v.Document.Hidden(v.Company, s.now(v.Document.Company))
	switch {
	case v.Closed:
		if v.Stage == record.StageSigned {
			v.Stage = record.StageStopped // another person has declined since
		}
		v.Document, v.Answers = v.Document.Notice(v.Invitation), record.Answers{}
		if !identified {
			v.Document.VoidedReason, v.Document.VoidedCode, v.Document.VoidedName = "", "", ""
		}
	case v.Stage == record.StageIdentify, v.Stage == record.StageConsent, !identified:
		v.Document, v.Answers = v.Document.Envelope(), record.Answers{}
	case v.Stage == record.StageWaiting:
		v.Before = v.Document.Before(v.Invitation)
	}
}

// Preview shows members who prepare the document what an invited person will see when it
// is their turn.
func (s *Signing) Preview(who account.Call, id, invitation string) (*Visit, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	v := &Visit{Stage: record.StageSign, Document: d, Invitation: d.Invitation(invitation)}
	if v.Invitation == nil {
		return nil, fault.NotFound("invitation")
	}
	if v.Company, err = s.company(who); err != nil {
		return nil, err
	}
	v.Consent = s.consentAsked(v.Company, v.Invitation)
	return v, nil
}

// Initials returns the initials of a name.
func Initials(name string) string { return mark.Initials(name) }

// NotMe records that an invitation reached the wrong person. Its link stops working, and
// the owner is notified. Like declining, it requires proof of identity and the sender's
// permission; others can report a problem.
func (s *Signing) NotMe(who account.Call, id, invitation string, note *string) (*record.Document, error) {
	var f fault.Fields
	why := input.Lines(&f, "note", note, record.MaxReason)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if !who.IsSignatoryOf(id, invitation) {
		return nil, fault.NotFound("invitation")
	}
	return s.changes.respond(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.Declinable(inv, tx.Now); err != nil {
			return nil, err
		}
		inv.Status, inv.DeclinedAt, inv.Astray = record.Declined, &tx.Now, true
		inv.DeclinedCode, inv.DeclinedReason = record.ReasonWrongPerson, why
		d.SetAttention(record.Attention{Kind: record.AttentionDeclined, Code: "declined.astray", Invitation: inv.ID})
		return []record.Event{record.NewEvent(record.EventInvitationDeclined).To(inv.ID).With("email", inv.Email).Because(inv.WhyDeclined())}, nil
	})
}

// askAgain is the minimum interval between notices to the owner that a new link is wanted.
const askAgain = time.Hour

// AskForLink tells the owner, at most once an hour, that a person wants to sign an expired
// document. Its response is always the same.
func (s *Signing) AskForLink(who account.Call, id, invitation string) error {
	if !who.IsSignatoryOf(id, invitation) {
		return fault.NotFound("invitation")
	}
	_, err := s.changes.onInvitation(who, id, invitation, func(
		tx *kv.Tx, d *record.Document, inv *record.Invitation,
	) ([]record.Event, error) {
		if d.Stage(inv, true, tx.Now) != record.StageExpired {
			return nil, fault.Conflict("document_not_expired.ask")
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
		return []record.Event{record.NewEvent(record.EventInvitationLinkRequested).To(inv.ID).With("email", inv.Email)}, identities.Put(tx, inv.ID, state)
	})
	if err == errAsked {
		return nil
	}
	return err
}

// errAsked means that the owner was already notified.
var errAsked = fault.Conflict("already_asked")

// SendLink mails the link of an invitation again to the address it was sent to, for someone
// whose copy is damaged. Callers learn neither whether such an invitation exists nor
// whether a message was sent. As their link need not be complete, this works only a few
// times a day.
func (s *Signing) SendLink(token, address string, from account.Call) error {
	if len(token) < linkIDLength {
		return nil
	}
	id := strings.ToUpper(token[:linkIDLength])
	signatory, at, err := s.addressee(id, address)
	if err != nil || at == "" {
		return err
	}
	refund, err := s.mayMail(signatory.CompanyID, address)
	if err != nil {
		return nil //nolint:nilerr // callers learn nothing
	}
	who := signatory.Call(from.From)
	_, err = s.store.Update(who, at, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		if err := d.Running(tx.Now); err != nil {
			return nil, err
		}
		state, err := identityOf(tx, id)
		if err != nil {
			return nil, err
		}
		if err := state.note(tx.Now); err != nil {
			return nil, err
		}
		events := d.Remind(tx.Now, func(inv *record.Invitation) bool {
			return inv.ID == id && (inv.RemindedAt == nil || tx.Now.Sub(*inv.RemindedAt) >= record.RemindAgain)
		})
		if len(events) == 0 {
			return nil, record.NobodyToRemind()
		}
		return events, errors.Join(identities.Put(tx, id, state), s.schedule.plan(tx, d), s.countMail(tx, who.CompanyID, address))
	})
	if err != nil {
		refund()
	}
	switch fault.KindOf(err) {
	case fault.KindNotFound, fault.KindConflict, fault.KindThrottled:
		return nil
	}
	return err
}

// addressee finds the document of an invitation that was sent to an address; "" if there is
// none. It only reads, so that strangers do not block writers.
func (s *Signing) addressee(invitation, address string) (who account.Call, document string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		at, err := store.Invited.Get(tx, invitation)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		d, err := store.Documents.Get(tx, store.DocumentKey(at.Company, at.Document))
		if err != nil {
			return err
		}
		if inv := d.Invitation(invitation); inv != nil && strings.EqualFold(inv.Email, strings.TrimSpace(address)) {
			who, document = account.System(at.Company), at.Document
		}
		return nil
	})
	return who, document, err
}

func notAgreed() error {
	return fault.Forbidden("consent_required")
}

// Agree records that a person consents to signing electronically: the version of the
// text, the time, and where the request came from. Further calls have no effect. shown is the version
// of what the form showed, "" if it doesn't say.
func (s *Signing) Agree(who account.Call, id, invitation, shown string) (*record.Document, error) {
	return s.consenting(who, id, invitation, func(tx *kv.Tx, d *record.Document, company account.Company, inv *record.Invitation) ([]record.Event, error) {
		text := s.consentAsked(company, inv)
		if err := s.consentCurrent(shown, company, d, inv); err != nil {
			return nil, err
		}
		if text == "" {
			return nil, fault.Conflict("no_consent_asked")
		}
		if inv.AgreedTo(text) {
			return nil, errAgreed
		}
		inv.Agreed = &record.Agreement{At: tx.Now, Version: account.ConsentName(text), Text: text}
		return []record.Event{record.NewEvent(record.EventInvitationConsented).To(inv.ID).With("consent", inv.Agreed.Version)}, nil
	})
}

// errAgreed means that the consent is already recorded.
var errAgreed = fault.Conflict("already_agreed")

// WithdrawConsent withdraws a person's consent before they sign.
func (s *Signing) WithdrawConsent(
	who account.Call, id, invitation string,
) (*record.Document, error) {
	return s.consenting(who, id, invitation, func(_ *kv.Tx, _ *record.Document, _ account.Company, inv *record.Invitation) ([]record.Event, error) {
		if inv.Agreed == nil {
			return nil, fault.Conflict("not_agreed")
		}
		version := inv.Agreed.Version
		inv.Agreed = nil
		return []record.Event{record.NewEvent(record.EventInvitationConsentWithdrawn).To(inv.ID).With("consent", version)}, nil
	})
}

// consenting is the common path of changes that only the invited person can make, while
// they may sign.
func (s *Signing) consenting(
	who account.Call, id, invitation string,
	change func(*kv.Tx, *record.Document, account.Company, *record.Invitation) ([]record.Event, error),
) (*record.Document, error) {
	if !who.IsSignatoryOf(id, invitation) {
		return nil, fault.NotFound("invitation")
	}
	d, err := s.changes.respond(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.Signable(inv, tx.Now); err != nil {
			return nil, err
		}
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return nil, err
		}
		return change(tx, d, company, inv)
	})
	if err == errAgreed {
		return s.store.Get(who, id)
	}
	return d, err
}
