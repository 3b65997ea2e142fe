package signing

import (
	"cmp"
	"context"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// consentText returns the text that the people invited by a company agree to; "" if no
// consent is requested.
func (s *Service) consentText(c account.Company) string {
	if c.ConsentMode == account.ConsentOff {
		return ""
	}
	return cmp.Or(c.ConsentText, s.Consent)
}

// needsConsent reports whether a person has to agree before they receive any part of the document.
func (s *Service) needsConsent(who account.Actor, c account.Company, inv *Invitation) bool {
	text := s.consentText(c)
	return c.ConsentMode == account.ConsentGate && text != "" && who.IsSignatory() && inv.Open() && !inv.AgreedTo(text)
}

func notAgreed() error {
	return fault.Forbidden("consent_required")
}

// Agree records that a person consents to signing electronically: the version of the
// text, the time, and where the request came from. Further calls have no effect.
func (s *Service) Agree(_ context.Context, who account.Actor, id, invitation string, seen ...int64) (*Document, error) {
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
func (s *Service) WithdrawConsent(
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
func (s *Service) consenting(
	who account.Actor, id, invitation string,
	change func(*kv.Tx, *Invitation, string) ([]Event, error), seen ...int64,
) (*Document, error) {
	if !who.IsSignatoryOf(id, invitation) {
		return nil, fault.NotFound("invitation")
	}
	d, err := s.respond(who, id, invitation, func(tx *kv.Tx, d *Document, inv *Invitation) ([]Event, error) {
		if err := d.Signable(inv, tx.Now); err != nil {
			return nil, err
		}
		company, err := account.LoadCompany(tx, d.Company)
		if err != nil {
			return nil, err
		}
		return change(tx, inv, s.consentText(company))
	}, seen...)
	if err == errAgreed {
		return s.Store.Get(who, id, seen...)
	}
	return d, err
}
