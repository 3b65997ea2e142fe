package account

import (
	"errors"

	"paraph/app/fault"
	"paraph/kv"
)

// MayHandOver returns nil if the actor may see a link written for another person, to hand it
// over. Messages in the outbox of a company are for its administrators, those in the outbox of
// the installation ("") for its own; either must have proven their identity recently. Nobody
// may see a link of a person with more rights, which would let them take these over, nor their
// own, which would prove nothing.
func MayHandOver(tx *kv.Tx, who Actor, company, userID string, kind MailKind) error {
	if company == "" {
		return mayHandOverAny(tx, who, userID)
	}
	if err := errors.Join(session(who), who.Require(ScopeAdmin)); err != nil {
		return err
	}
	m, err := members.Get(tx, memberKey(who.CompanyID, userID))
	switch {
	case errors.Is(err, kv.ErrNotFound) || company != who.CompanyID:
		return fault.NotFound("message")
	case err != nil:
		return err
	case userID == who.UserID || rank(m.Role) < rank(who.Role):
		return fault.Forbidden("not_yours_to_hand_over")
	}
	only, err := onlyCompany(tx, userID)
	if err == nil && only != who.CompanyID && kind != MailInvite {
		err = fault.Forbidden("not_yours_to_hand_over") // they have joined another company since
	}
	return errors.Join(err, provenAt(who, tx.Now))
}

// mayHandOverAny is MayHandOver for the outbox of the installation.
func mayHandOverAny(tx *kv.Tx, who Actor, userID string) error {
	if !who.RunsInstallation() {
		return fault.NotFound("message")
	}
	if userID == who.UserID {
		return fault.Forbidden("not_yours_to_hand_over")
	}
	if _, err := users.Get(tx, userID); err != nil {
		return found(err, "message")
	}
	return provenAt(who, tx.Now)
}

// Without a mail server, the only owner of a company who forgets the password would be locked
// out: nobody in the company may see the link for choosing another one. Administrators of the
// installation may hand over that link, and no other message of a company. They could also read
// it by setting a mail server. The owners are notified each time.

// MailHandedOver notifies the owners of a company that an administrator of the installation was
// shown the link with which a member chooses another password. Data: company, inviter (the
// administrator), inviter_email, email (of the member).
const MailHandedOver MailKind = "handed_over"

// stranded reports whether a message lets a person choose another password, and nobody else in
// their company may hand it over.
func stranded(tx *kv.Tx, company, userID string, kind MailKind) (bool, error) {
	if company == "" || kind != MailReset {
		return false, nil
	}
	theirs, err := members.Get(tx, memberKey(company, userID))
	if errors.Is(err, kv.ErrNotFound) || err == nil && !theirs.active() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	alone := true
	err = members.Each(tx, "company", kv.K(company), func(_ string, m memberRecord) (bool, error) {
		if m.UserID == userID || !m.active() || !m.Role.Allows(ScopeAdmin) || rank(theirs.Role) < rank(m.Role) {
			return true, nil
		}
		u, err := users.Get(tx, m.UserID)
		alone = u.DeactivatedAt != nil
		return alone, err
	})
	return alone && err == nil, err
}

// MayHandOverStranded returns nil if the actor, an administrator of the installation, may see a
// link that a company keeps for one of its members.
func MayHandOverStranded(tx *kv.Tx, who Actor, company, userID string, kind MailKind) error {
	if err := mayHandOverAny(tx, who, userID); err != nil {
		return err
	}
	switch only, err := onlyCompany(tx, userID); {
	case err != nil:
		return err
	case only != company:
		return fault.NotFound("message") // they have joined another company since
	}
	switch alone, err := stranded(tx, company, userID, kind); {
	case err != nil:
		return err
	case !alone:
		return fault.Forbidden("not_yours_to_hand_over")
	}
	return nil
}

// HandedOver returns the messages that notify the owners of a company that an administrator of
// the installation was shown a link of one of its members.
func HandedOver(tx *kv.Tx, who Actor, company, address string) (all []Mail, err error) {
	c, err := LoadCompany(tx, company)
	if err != nil {
		return nil, err
	}
	data := map[string]string{"company": c.Name, "inviter": who.Name, "inviter_email": who.Email, "email": address}
	err = members.Each(tx, "company", kv.K(company), func(_ string, m memberRecord) (bool, error) {
		if !m.owns() {
			return true, nil
		}
		u, err := users.Get(tx, m.UserID)
		all = append(all, Mail{
			Kind: MailHandedOver, To: u.Email, Name: u.Name, Locale: u.Locale, Data: data, User: u.ID, Company: company,
		})
		return true, err
	})
	return all, err
}
