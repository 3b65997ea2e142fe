package signing

import (
	"cmp"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Get returns a document. Like every method that reads or changes one, it refuses a document that is
// at none of the versions that the caller has seen; a caller who names none may read any.
func (s *core) Get(who account.Call, id string) (*record.Document, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if fault.CodeOf(err) != codeClosed {
		return d, err
	}
	// Invited people still learn how the document ended.
	if d, err = s.store.Get(who, id); err != nil {
		return nil, err
	}
	return d.Notice(d.Invitation(who.Invitation)), nil
}

// see loads a document for display. People who need a code see nothing before they have
// entered it.
func (s *core) see(who account.Call, id string) (*record.Document, error) {
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	inv := d.Invitation(who.Invitation)
	if inv == nil {
		return d, nil
	}
	if !record.IsIdentified(who.Actor, inv) {
		return nil, notIdentified()
	}
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	switch {
	case d.Hidden(company, s.now(d.Company)):
		return nil, fault.Conflict(codeClosed)
	case s.needsConsent(who, company, inv):
		return nil, notAgreed()
	}
	record.HideUploads(d)
	return d, nil
}

func (s *core) company(who account.Call) (account.Company, error) {
	return s.companyOf(who.CompanyID)
}

func (s *core) companyOf(id string) (company account.Company, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		company, err = account.LoadCompany(tx, id)
		return err
	})
	return company, err
}

// consentText returns the text that the people invited by a company agree to; "" if no
// consent is requested.
func (s *core) consentText(c account.Company) string {
	if c.ConsentMode == account.ConsentOff {
		return ""
	}
	return cmp.Or(c.ConsentText, s.consent)
}

// consentAsked returns the text that an invited person agrees to; "" if they don't sign.
func (s *core) consentAsked(c account.Company, inv *record.Invitation) string {
	if !inv.Signs() {
		return ""
	}
	return s.consentText(c)
}

// needsConsent reports whether a person has to agree before they receive any part of the document.
// Who is not asked to sign any more without having agreed receives none.
func (s *core) needsConsent(who account.Call, c account.Company, inv *record.Invitation) bool {
	text := s.consentText(c)
	return c.ConsentMode == account.ConsentGate && text != "" && who.IsSignatory() &&
		inv.InvitedToSign() && !inv.Acted() && !inv.AgreedTo(text)
}
