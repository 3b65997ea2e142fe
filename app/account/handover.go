package account

import (
	"errors"
	"slices"

	"paraph/app/fault"
	"paraph/kv"
)

// MayHandOver returns nil if the actor may see a link written for another person, to hand it
// over. Invitations are kept in the outbox of their company for its administrators, links into an
// account in that of the installation ("") for its own: these could also read them by setting a
// mail server. Either must have proven their identity recently. Nobody may see the invitation of
// a person with more rights, nor a link of their own, which would prove nothing.
//
// A link that was handed over does not prove who reads the address, see [LinkShown].
func MayHandOver(tx *kv.Tx, who Call, company, userID string, kind MailKind) error {
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
	case userID == who.UserID || rank(m.Role) < rank(who.Role) || kind != MailInvite:
		return fault.Forbidden("not_yours_to_hand_over")
	}
	return provenAt(who, tx.Now)
}

// mayHandOverAny is MayHandOver for the outbox of the installation.
func mayHandOverAny(tx *kv.Tx, who Call, userID string) error {
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

// MailHandedOver notifies the owners of a company that an administrator of the installation was
// shown the link with which a member chooses another password. Data: company, inviter (the
// administrator), inviter_email, email (of the member).
const MailHandedOver MailKind = "handed_over"

// HandedOver returns the messages that notify the owners of a person's companies that an
// administrator of the installation was shown a link with which the person chooses another
// password.
func HandedOver(tx *kv.Tx, who Call, userID, address string, kind MailKind) (all []Mail, err error) {
	if kind != MailReset && !slices.Contains(Notices(), kind) {
		return nil, nil
	}
	u, err := users.Get(tx, userID)
	if err != nil {
		return nil, found(err, "user")
	}
	user, err := withCompanies(tx, u)
	for _, c := range user.Companies {
		data := map[string]string{"company": c.Name, "inviter": who.Name, "inviter_email": who.Email, "email": address}
		err = errors.Join(err, members.Each(tx, "company", kv.K(c.ID), func(_ string, m memberRecord) (bool, error) {
			if !m.owns() {
				return true, nil
			}
			owner, err := users.Get(tx, m.UserID)
			all = append(all, Mail{Kind: MailHandedOver, To: owner.Email, Name: owner.Name, Locale: owner.Locale, Data: data,
				User: owner.ID, Company: c.ID})
			return true, err
		}))
	}
	return all, err
}
