package signing

import (
	"context"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

func notAgreed() error {
	return fault.Forbidden("consent_required")
}

// Agree records that a person consents to signing electronically: the version of the
// text, the time, and where the request came from. Further calls have no effect.
func (s *Visits) Agree(_ context.Context, who account.Actor, id, invitation string, seen ...int64) (*Document, error) {
	return s.consenting(who, id, invitation, func(tx *kv.Tx, inv *Invitation, text string) ([]Event, error) {
		if text == "" {
			return nil, fault.Conflict("no_consent_asked")
		}
		if inv.AgreedTo(text) {
			return nil, errAgreed
		}
		inv.Agreed = &Agreement{At: tx.Now, Version: account.ConsentName(text)}
		return []Event{record.NewEvent(record.EventInvitationConsented).To(inv.ID).With("consent", inv.Agreed.Version)}, nil
	}, seen...)
}

// errAgreed means that the consent is already recorded.
var errAgreed = fault.Conflict("already_agreed")

// WithdrawConsent withdraws a person's consent before they sign.
func (s *Visits) WithdrawConsent(
	_ context.Context, who account.Actor, id, invitation string, seen ...int64,
) (*Document, error) {
	return s.consenting(who, id, invitation, func(_ *kv.Tx, inv *Invitation, _ string) ([]Event, error) {
		if inv.Agreed == nil {
			return nil, fault.Conflict("not_agreed")
		}
		version := inv.Agreed.Version
		inv.Agreed = nil
		return []Event{record.NewEvent(record.EventInvitationConsentWithdrawn).To(inv.ID).With("consent", version)}, nil
	}, seen...)
}

// consenting is the common path of changes that only the invited person can make, while
// they may sign.
func (s *Visits) consenting(
	who account.Actor, id, invitation string,
	change func(*kv.Tx, *Invitation, string) ([]Event, error), seen ...int64,
) (*Document, error) {
	if !who.IsSignatoryOf(id, invitation) {
		return nil, fault.NotFound("invitation")
	}
	d, err := s.changes.respond(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]Event, error) {
		if err := d.Signable(inv, tx.Now); err != nil {
			return nil, err
		}
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return nil, err
		}
		return change(tx, inv, s.documents.consentAsked(company, inv))
	}, seen...)
	if err == errAgreed {
		return s.store.Get(who, id, seen...)
	}
	return d, err
}
