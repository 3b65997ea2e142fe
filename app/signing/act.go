package signing

import (
	"context"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// respond is the common path of everything an invited person does except signing.
func (s *Service) respond(who account.Actor, id, invitation string, change func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error), seen ...int64) (*Document, error) {
	if err := mayAct(who, id, invitation); err != nil {
		return nil, err
	}
	return s.onInvitation(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if !isIdentified(who, inv) {
			return nil, notIdentified()
		}
		return change(tx, d, inv)
	}, seen...)
}

func (s *Service) onInvitation(who account.Actor, id, invitation string, change func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error), seen ...int64) (*Document, error) {
	return s.update(who, id, func(tx *kv.Tx, d *Document) ([]saving, error) {
		inv := d.invitation(invitation)
		if inv == nil {
			return nil, fault.NotFound("invitation")
		}
		events, err := change(tx, d, inv)
		if err != nil {
			return nil, err
		}
		inv.UpdatedAt = tx.Now
		return events, s.schedule(tx, d)
	}, seen...)
}

// MarkViewed records that a person has looked at the document. Further calls change nothing.
func (s *Service) MarkViewed(_ context.Context, who account.Actor, id, invitation string, seen ...int64) (*Document, error) {
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	if inv := d.invitation(invitation); inv != nil && inv.ViewedAt != nil {
		return d, mayAct(who, id, invitation)
	}
	return s.respond(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if err := d.running(tx.Now); err != nil {
			return nil, err
		}
		inv.ViewedAt = &tx.Now
		if inv.Status == Notified {
			inv.Status = Viewed
		}
		return []saving{happened(EventInvitationViewed).to(inv.ID)}, nil
	}, seen...)
}

// Decline records that a person will not sign. The document stays sent but nobody
// else can sign, and the owner is notified; if the company is configured that
// way, it is voided at once instead.
func (s *Service) Decline(_ context.Context, who account.Actor, id, invitation string, reason *string, seen ...int64) (*Document, error) {
	var f fault.Fields
	why := lines(&f, "reason", reason, maxReason)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return s.respond(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if err := d.declinable(inv, tx.Now); err != nil {
			return nil, err
		}
		if d.DeclineReason && strings.TrimSpace(why) == "" {
			var f fault.Fields
			f.Required("reason")
			return nil, f.Err()
		}
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return nil, err
		}
		inv.Status, inv.DeclinedAt, inv.DeclinedReason = Declined, &tx.Now, why
		d.needs(Attention{Kind: AttentionDeclined, Code: "declined", Invitation: inv.ID})
		events := []saving{happened(EventInvitationDeclined).to(inv.ID).with("email", inv.Email).with("reason", why)}
		if company.OnDecline != account.OnDeclineVoid {
			return events, nil
		}
		if err := d.void(inv.Name+" declined to sign.", tx.Now); err != nil {
			return nil, err
		}
		return append(events, happened(EventDocumentVoided).with("reason", d.VoidedReason)), nil
	}, seen...)
}

// Delegate passes an invitation on to another person, who takes it over with its
// fields; the first link stops working. The reason, if there is one, is recorded
// in the journal.
func (s *Service) Delegate(_ context.Context, who account.Actor, id, invitation string, in InvitationInput, reason *string, seen ...int64) (*Document, error) {
	var f fault.Fields
	why := lines(&f, "reason", reason, maxReason)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return s.respond(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if err := d.delegable(inv, tx.Now); err != nil {
			return nil, err
		}
		event := happened(EventInvitationDelegated)
		if why != "" {
			event = event.with("reason", why)
		}
		return s.takeOver(tx, who, d, inv, in, event)
	}, seen...)
}

// Replace substitutes another person for one who has not signed. The company does
// it, and may do so after a decline too.
func (s *Service) Replace(_ context.Context, who account.Actor, id, invitation string, in InvitationInput, seen ...int64) (*Document, error) {
	if err := member(who, account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.onInvitation(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if err := d.replaceable(inv, tx.Now); err != nil {
			return nil, err
		}
		return s.takeOver(tx, who, d, inv, in, happened(EventInvitationReplaced))
	}, seen...)
}

// takeOver creates an invitation that replaces another: it takes over the fields
// and the signature fields in the files, which are named by position rather than
// by person, so the certified pages do not change. The new person is
// authenticated in the same way; an access code has to be set anew by the sender.
func (s *Service) takeOver(tx *kv.Tx, who account.Actor, d *Document, inv *Invitation, in InvitationInput, event saving) ([]saving, error) {
	var f fault.Fields
	if in.Name == nil {
		f.Required("name")
	}
	if in.Email == nil {
		f.Required("email")
	}
	next := inv.another(s.id(), tx.Now)
	next.Name, next.Email, next.Message, next.AccessCodeHint = "", "", "", ""
	next.SignatureFields = inv.SignatureFields
	in.inherit(&f, who, inv)
	in.Role, in.Position = nil, nil
	in.apply(&f, &next, s.proofs())
	if slices.ContainsFunc(d.Invitations, func(o Invitation) bool {
		return strings.EqualFold(o.Email, next.Email) && o.Status != Delegated
	}) {
		f.Add("email", "already_invited")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	for _, x := range d.fieldsOf(inv.ID) {
		x.Invitation = next.ID
	}
	event = event.to(inv.ID).with("from", inv.Email).with("to", next.Email).with("invitation", next.ID)
	if next.Authentication != inv.Authentication {
		event = event.with("authentication", next.Authentication)
	}
	inv.Status, inv.DelegatedTo, inv.LinkGeneration, inv.UpdatedAt = Delegated, next.ID, inv.LinkGeneration+1, tx.Now
	d.Invitations = append(d.Invitations, next)
	if d.Attention.Kind == AttentionDeclined && d.declined() == nil {
		d.needs(Attention{})
	}
	d.needsCode()
	if err := invited.Put(tx, next.ID, invitedTo{Company: d.Company, Document: d.ID}); err != nil {
		return nil, err
	}
	return append([]saving{event}, d.notify(tx.Now)...), nil
}

// SetAccessCode changes the access code of an invitation that was already sent;
// the sender passes it on to the person. Proofs made with the previous code no
// longer count, and an invitation that had no code gets its link now.
func (s *Service) SetAccessCode(_ context.Context, who account.Actor, id, invitation string, in InvitationInput, seen ...int64) (*Document, error) {
	if err := member(who, account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.onInvitation(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]saving, error) {
		if err := d.takesCode(inv, tx.Now); err != nil {
			return nil, err
		}
		var f fault.Fields
		if in.AccessCode == nil || *in.AccessCode == "" {
			f.Required("access_code")
		}
		in.applyAuthentication(&f, inv, s.proofs())
		if err := f.Err(); err != nil {
			return nil, err
		}
		inv.ProofSince = new(tx.Now.Truncate(time.Second)) // tokens count in seconds
		d.needsCode()
		events := []saving{happened(EventInvitationUpdated).to(inv.ID).with("access_code", "set")}
		return append(events, d.notify(tx.Now)...), identities.Delete(tx, inv.ID)
	}, seen...)
}

// takesCode refuses an access code for an invitation that does not use one or is
// no longer open.
func (d *Document) takesCode(inv *Invitation, now time.Time) error {
	if err := d.running(now); err != nil {
		return err
	}
	if !inv.open() || inv.Authentication != ByAccessCode {
		return conflict("no_access_code_asked")
	}
	return nil
}

// remindAgain is the minimum interval between manual reminders to a person.
const remindAgain = time.Minute

// Remind sends a reminder to a person who has not acted yet or, without an
// invitation, to everyone whose turn it is.
func (s *Service) Remind(_ context.Context, who account.Actor, id, invitation string, seen ...int64) (*Document, error) {
	if err := member(who, account.ScopeWrite); err != nil {
		return nil, err
	}
	return s.update(who, id, func(tx *kv.Tx, d *Document) ([]saving, error) {
		inv := d.invitation(invitation)
		if invitation != "" && inv == nil {
			return nil, fault.NotFound("invitation")
		}
		if err := d.remindable(invitation, tx.Now); err != nil {
			return nil, err
		}
		events := d.remind(tx.Now, remindedBefore(invitation, tx.Now))
		return events, s.schedule(tx, d)
	}, seen...)
}

// remindedBefore matches one person, or everyone, except those reminded just now.
func remindedBefore(invitation string, now time.Time) func(*Invitation) bool {
	return func(inv *Invitation) bool {
		return (invitation == "" || inv.ID == invitation) && (inv.RemindedAt == nil || now.Sub(*inv.RemindedAt) >= remindAgain)
	}
}

func nobodyToRemind() error {
	return conflict("nobody_to_remind")
}

// remind counts a reminder for everyone who matches and whose turn it is.
func (d *Document) remind(now time.Time, match func(*Invitation) bool) []saving {
	if d.declined() != nil {
		return nil
	}
	var events []saving
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.open() || inv.Status == Pending || !d.turn(inv) || !match(inv) {
			continue
		}
		inv.RemindedAt, inv.UpdatedAt = &now, now
		inv.RemindersSent++
		events = append(events, happened(EventInvitationReminded).to(inv.ID).with("email", inv.Email))
	}
	return events
}
