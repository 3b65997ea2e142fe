package signing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// MarkViewed records that a person has viewed the document. Further calls have no effect.
func (s *Signing) MarkViewed(
	who account.Call, id, invitation string,
) (*record.Document, error) {
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	if !who.IsSignatory() {
		return s.viewedByMember(who, d, invitation)
	}
	if inv := d.Invitation(invitation); inv != nil && inv.ViewedAt != nil {
		return d, mayAct(who, id, invitation)
	}
	return s.changes.respond(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.Running(tx.Now); err != nil {
			return nil, err
		}
		if inv.Unnamed() {
			return nil, d.Signable(inv, tx.Now) // nobody yet
		}
		inv.ViewedAt = &tx.Now
		if inv.Status == record.Notified {
			inv.Status = record.Viewed
		}
		return []record.Event{record.NewEvent(record.EventInvitationViewed).To(inv.ID)}, nil
	})
}

// viewedByMember answers a member's call, which is noted nowhere: only the person can open the document.
func (s *Signing) viewedByMember(who account.Call, d *record.Document, invitation string) (*record.Document, error) {
	if err := mayAct(who, d.ID, invitation); err != nil {
		return nil, err
	}
	inv := d.Invitation(invitation)
	switch {
	case inv == nil:
		return nil, fault.NotFound("invitation")
	case !record.IsIdentified(who.Actor, inv):
		return nil, notIdentified()
	case inv.Unnamed():
		return nil, d.Signable(inv, s.now(d.Company)) // nobody yet
	}
	return d, d.Running(s.now(d.Company))
}

// readReason reads the reason that somebody states for what they do.
func readReason(reason *string) (string, error) {
	var f fault.Fields
	why := input.Lines(&f, "reason", reason, record.MaxReason)
	return why, f.Err()
}

// DeclineInput says why somebody declines.
type DeclineInput struct {
	Choice record.ReasonCode // one of record.DeclineReasons, if any
	Reason *string           // in their own words
}

// read returns the reason. A choice that isn't offered counts as none.
func (in DeclineInput) read() (record.Reason, error) {
	words, err := readReason(in.Reason)
	why := record.Reason{Words: strings.TrimSpace(words)}
	if slices.Contains(record.DeclineReasons(), in.Choice) {
		why.Code = in.Choice
	}
	return why, err
}

// Decline records that a person will not sign. The document stays sent but nobody else
// can sign, and the owner is notified. If the company is configured that way, it is
// voided immediately instead.
func (s *Signing) Decline(
	who account.Call, id, invitation string, in DeclineInput,
) (*record.Document, error) {
	why, err := in.read()
	if err != nil {
		return nil, err
	}
	return s.changes.respond(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.Declinable(inv, tx.Now); err != nil {
			return nil, err
		}
		if d.DeclineReason && why == (record.Reason{}) {
			var f fault.Fields
			f.Required("reason")
			return nil, f.Err()
		}
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return nil, err
		}
		inv.Status = record.Declined
		voided := record.Reason{Code: record.ReasonDeclined, Name: inv.Name}
		if inv.Recorded(who.Actor) {
			voided.Code, inv.RecordedBy.Why = record.ReasonRecorded, why
		} else {
			inv.DeclinedAt, inv.DeclinedCode, inv.DeclinedReason = &tx.Now, why.Code, why.Words
		}
		d.SetAttention(record.Attention{Kind: record.AttentionDeclined, Code: "declined", Invitation: inv.ID})
		events := []record.Event{record.NewEvent(record.EventInvitationDeclined).To(inv.ID).With("email", inv.Email).Recorded(inv).Because(why)}
		if cmp.Or(d.OnDecline, string(company.OnDecline)) != record.OnDeclineVoid {
			return events, nil
		}
		if err := d.Void(voided, tx.Now); err != nil {
			return nil, err
		}
		return append(events, record.NewEvent(record.EventDocumentVoided).Because(voided)), nil
	})
}

// Delegate passes an invitation on to another person, who takes it over with its fields;
// the old link stops working. The reason, if any, is recorded in the journal.
func (s *Sending) Delegate(
	who account.Call, id, invitation string, in record.InvitationInput, reason *string,
) (*record.Document, error) {
	why, err := readReason(reason)
	if err != nil {
		return nil, err
	}
	return s.changes.respond(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.Delegable(inv, tx.Now); err != nil {
			return nil, err
		}
		event := record.NewEvent(record.EventInvitationDelegated)
		if !who.IsSignatory() {
			if err := mayChangeApproved(tx, who, d); err != nil {
				return nil, err
			}
			event = record.NewEvent(record.EventInvitationReplaced) // nobody has delegated anything
		}
		if why != "" {
			event = event.With("reason", why)
		}
		return s.takeOver(tx, who, d, inv, in, event)
	})
}

// Replace substitutes another person for one who has not signed. The company does so,
// even after a decline. If the person is yet to be named by another recipient, it names them.
func (s *Sending) Replace(
	who account.Call, id, invitation string, in record.InvitationInput,
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.changes.onInvitation(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.Replaceable(inv, tx.Now); err != nil {
			return nil, err
		}
		if err := mayChangeApproved(tx, who, d); err != nil {
			return nil, err
		}
		if inv.Unnamed() {
			var f fault.Fields
			named := in.NamePerson(&f, d, inv)
			return append([]record.Event{named}, d.Notify(tx.Now)...), f.Err()
		}
		return s.takeOver(tx, who, d, inv, in, record.NewEvent(record.EventInvitationReplaced))
	})
}

// takeOver creates an invitation that replaces another. It takes over the fields and the
// signature fields in the files, which are named by position rather than by person, so
// the certified pages do not change. The new person is authenticated in the same way;
// the sender has to set a new access code.
func (s *Sending) takeOver(
	tx *kv.Tx, who account.Call, d *record.Document, inv *record.Invitation, in record.InvitationInput, event record.Event,
) ([]record.Event, error) {
	var f fault.Fields
	next := inv.Copy(s.id(), tx.Now)
	next.Name, next.Email, next.Message, next.AccessCodeHint = "", "", "", ""
	next.Company, next.JobTitle = "", ""
	next.SignatureFields = inv.SignatureFields
	in.KeepAuthentication(&f, who.Actor, inv)
	in.Role, in.Position, in.Group, in.Named = nil, nil, nil, nil
	in.Apply(&f, &next, s.links.proofs())
	// Nobody is left who could name the person later.
	if next.Name == "" && !f.Has("name") {
		f.Required("name")
	}
	if next.Email == "" && !f.Has("email") {
		f.Required("email")
	}
	if slices.ContainsFunc(d.Invitations, func(o record.Invitation) bool {
		return strings.EqualFold(o.Email, next.Email) && o.Status != record.Delegated
	}) {
		f.Add("email", "already_invited")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	for _, x := range d.UnsortedFieldsOf(inv.ID) {
		x.Invitation = next.ID
	}
	if err := s.known.fillIn(tx, d, &next); err != nil {
		return nil, err
	}
	event = event.To(inv.ID).With("from", inv.Email).With("to", next.Email).With("invitation", next.ID)
	if next.Authentication != inv.Authentication {
		event = event.With("authentication", next.Authentication)
	}
	inv.Status, inv.DelegatedTo, inv.UpdatedAt = record.Delegated, next.ID, tx.Now
	inv.Recorded(who.Actor)
	inv.LinkGeneration++
	d.Invitations = append(d.Invitations, next)
	if d.Attention.Kind == record.AttentionDeclined && d.Declined() == nil {
		d.SetAttention(record.Attention{})
	}
	d.RequestMissingCode()
	if err := store.Invited.Put(tx, next.ID, store.InvitedTo{Company: d.Company, Document: d.ID}); err != nil {
		return nil, err
	}
	return append([]record.Event{event}, d.Notify(tx.Now)...), nil
}

// SetAccessCode changes the access code of an invitation that was already sent. The
// sender gives it to the person. Proofs made with the previous code no longer count, and
// an invitation that lacked a code gets its link now.
func (s *Sending) SetAccessCode(
	who account.Call, id, invitation string, in record.InvitationInput,
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.changes.onInvitation(who, id, invitation, func(tx *kv.Tx, d *record.Document, inv *record.Invitation) ([]record.Event, error) {
		if err := d.TakesCode(inv, tx.Now); err != nil {
			return nil, err
		}
		var f fault.Fields
		if in.AccessCode == nil || *in.AccessCode == "" {
			f.Required("access_code")
		}
		in.ApplyAuthentication(&f, inv, s.links.proofs())
		if err := f.Err(); err != nil {
			return nil, err
		}
		inv.ProofSince = new(tx.Now.Truncate(time.Second)) // tokens have a resolution of seconds
		d.RequestMissingCode()
		events := []record.Event{record.NewEvent(record.EventInvitationUpdated).To(inv.ID).With("access_code", "set")}
		return append(events, d.Notify(tx.Now)...), identities.Delete(tx, inv.ID)
	})
}

// Remind sends a reminder to a person who has not acted yet or, without an invitation, to
// everyone whose turn it is.
func (s *Sending) Remind(
	who account.Call, id, invitation string,
) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.store.Update(who, id, func(tx *kv.Tx, d *record.Document) ([]record.Event, error) {
		inv := d.Invitation(invitation)
		if invitation != "" && inv == nil {
			return nil, fault.NotFound("invitation")
		}
		if err := d.Remindable(invitation, tx.Now); err != nil {
			return nil, err
		}
		events := d.Remind(tx.Now, record.MayRemindAgain(invitation, tx.Now))
		return events, s.schedule.plan(tx, d)
	})
}

// reportAgain is the minimum interval between problem reports by one person.
const reportAgain = 5 * time.Minute

// ReportProblem tells the owner, in an invited person's own words, what prevents them from
// signing. It requires no proof of identity.
func (s *Signing) ReportProblem(who account.Call, id, invitation, problem string) error {
	var f fault.Fields
	text := input.Lines(&f, "message", &problem, record.MaxReason)
	if text == "" && f.Empty() {
		f.Required("message")
	}
	if err := f.Err(); err != nil {
		return err
	}
	if !who.IsSignatoryOf(id, invitation) {
		return fault.NotFound("invitation")
	}
	_, err := s.changes.onInvitation(who, id, invitation, func(
		tx *kv.Tx, _ *record.Document, inv *record.Invitation,
	) ([]record.Event, error) {
		state, err := identityOf(tx, inv.ID)
		if err != nil {
			return nil, err
		}
		if state.ReportedAt != nil && tx.Now.Sub(*state.ReportedAt) < reportAgain {
			return nil, fault.Throttled(1, reportAgain-tx.Now.Sub(*state.ReportedAt))
		}
		if err := state.note(tx.Now); err != nil {
			return nil, err
		}
		state.ReportedAt = &tx.Now
		return []record.Event{record.NewEvent(record.EventInvitationProblemReported).To(inv.ID).With("email", inv.Email).With("reason", text)}, identities.Put(tx, inv.ID, state)
	})
	return err
}

// SaveAnswers stores what a person has filled in so far. Values are not validated until
// the person signs.
func (s *Signing) SaveAnswers(who account.Call, id, invitation string, in record.Answers) error {
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, inv, err := signerAt(tx, who, id, invitation)
		if err != nil {
			return err
		}
		before, err := store.AnswersOf(tx, invitation)
		if err != nil {
			return err
		}
		kept := record.Answers{Values: map[string]string{}, Handed: before.Handed, SavedAt: &tx.Now,
			Signature: store.StorableMark(in.Signature), Initials: store.StorableMark(in.Initials)}
		for _, x := range record.FieldsIn(record.AskedOf(d, inv)) {
			if v, ok := in.Values[x.ID]; ok && !x.ReadOnly && x.HasAnswer() && len(v) <= 4*record.MaxValue {
				kept.Values[x.ID] = v
			}
		}
		return store.SavedAnswers.Put(tx, invitation, kept)
	})
}

// ClearAnswers deletes what a person has filled in.
func (s *Signing) ClearAnswers(who account.Call, id, invitation string) error {
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if _, _, err := signerAt(tx, who, id, invitation); err != nil {
			return err
		}
		return store.SavedAnswers.Delete(tx, invitation)
	})
}
