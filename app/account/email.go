package account

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/limit"
	"paraph/kv"
)

// Reverify sends a verification message to the person's current address or, if email is not "",
// to a new one, which replaces it when its link is used. It is limited to six per minute and
// user, and by the messages that one address may get in a day.
func (s *Profile) Reverify(who Call, email string) (limit.Rate, error) {
	if err := self(who, ScopeWrite); err != nil {
		return limit.Rate{}, err
	}
	remaining, wait, ok := s.perReverif.Allow(who.UserID)
	if !ok {
		return limit.Rate{Limit: s.perReverif.Limit()}, fault.Throttled(s.perReverif.Limit(), wait)
	}
	rate := limit.Rate{Limit: s.perReverif.Limit(), Remaining: remaining}
	email = strings.TrimSpace(email)
	if email == "" || input.FoldEmail(email) == input.FoldEmail(who.Email) {
		if err := s.messages.mayMail(LinkVerify, who.Email); err != nil {
			return rate, err
		}
		return rate, s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
			u, err := users.Get(tx, who.UserID)
			if err != nil {
				return found(err, "user")
			}
			if wait, err := s.messages.countMail(tx, LinkVerify, u.Email); err != nil || wait > 0 {
				return cmp.Or(err, error(fault.Throttled(dailyMails, wait)))
			}
			return s.sendVerification(tx, u, u.Email)
		})
	}
	if err := s.mayMove(who, email); err != nil {
		return rate, err
	}
	if err := s.messages.mayMail(LinkVerify, email); err != nil {
		return rate, err
	}
	return rate, s.later.add(func(tx *kv.Tx) error { return s.sendToNew(tx, who, email) })
}

// mayMove returns nil if the actor may have this address, as far as they may know: it does not
// disclose whether somebody outside their company has it.
func (s *Profile) mayMove(who Call, email string) error {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return err
	}
	var f fault.Fields
	input.CheckEmail(&f, "email", email)
	if err := f.Err(); err != nil {
		return err
	}
	return s.db.View(func(tx *kv.Tx) error {
		id, _, err := users.Lookup(tx, "email", kv.K(input.FoldEmail(email)))
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		colleague, err := members.Has(tx, memberKey(who.CompanyID, id))
		if colleague {
			f.Taken("email")
		}
		return errors.Join(err, f.Err())
	})
}

// sendToNew sends a verification message to a new address, unless somebody else has it.
func (s *Profile) sendToNew(tx *kv.Tx, who Call, email string) error {
	taken, err := emailTaken(tx, email, who.UserID)
	if err != nil || taken {
		return err
	}
	u, err := users.Get(tx, who.UserID)
	if err != nil {
		return found(err, "user")
	}
	if wait, err := s.messages.countMail(tx, LinkVerify, email); err != nil || wait > 0 {
		return err
	}
	return s.sendVerification(tx, u, email)
}

func emailTaken(tx *kv.Tx, email, exceptUser string) (bool, error) {
	id, _, err := users.Lookup(tx, "email", kv.K(input.FoldEmail(email)))
	if errors.Is(err, kv.ErrNotFound) {
		return emailReserved(tx, email, exceptUser)
	}
	return err == nil && id != exceptUser, err
}

// emailReserved reports whether an address may still be restored to a previous owner.
func emailReserved(tx *kv.Tx, email, exceptUser string) (reserved bool, err error) {
	owner, err := previousOwner(tx, email, exceptUser)
	return owner != "", err
}

// previousOwner returns the user to whom an address may still be restored, "" if there is none.
func previousOwner(tx *kv.Tx, email, exceptUser string) (user string, err error) {
	err = links.Each(tx, "reserved", kv.K(input.FoldEmail(email)), func(_ string, l linkRecord) (bool, error) {
		if l.UserID != exceptUser && l.ExpiresAt.After(tx.Now) {
			user = l.UserID
		}
		return user == "", nil
	})
	return user, err
}

func (s *Profile) sendVerification(tx *kv.Tx, u userRecord, email string) error {
	token, expires, err := s.links.create(tx, linkRecord{Kind: LinkVerify, UserID: u.ID, Email: email}, verifyLifetime)
	if err != nil {
		return err
	}
	return s.messages.sendTo(tx, MailVerifyEmail, u, email, map[string]string{"token": token, "expires_at": until(expires)})
}

// CheckVerification returns the address that a verification link proves, without
// using the link.
func (s *Profile) CheckVerification(token string) (email string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		l, _, err := linkUser(tx, LinkVerify, token)
		email = l.Email
		return err
	})
	return email, err
}

// VerifyEmail uses a verification link: the address is proven, unless somebody else was shown the
// link to hand it over, and, if it is a new one, becomes the person's.
func (s *Profile) VerifyEmail(token string) (User, error) {
	var user User
	err := s.db.Update(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkVerify, token)
		if err != nil {
			return err
		}
		if err := s.links.spend(tx, linkKey(token)); err != nil {
			return err
		}
		if u, err = s.moveEmail(tx, u, l); err != nil {
			return err
		}
		user = u.view()
		return s.records.putUser(tx, u)
	})
	return user, err
}

// moveEmail changes a user's address and notifies the old one, with a link to undo the change.
// Other links sent to the old address are invalidated, since its reader may no longer be the
// person.
func (s *Profile) moveEmail(tx *kv.Tx, u userRecord, l linkRecord) (userRecord, error) {
	email := l.Email
	if input.FoldEmail(email) == input.FoldEmail(u.Email) {
		u.proveAddress(l, tx.Now)
		return u, nil
	}
	taken, err := emailTaken(tx, email, u.ID)
	if err != nil {
		return u, err
	}
	if taken {
		return u, fault.Conflict("email_taken")
	}
	for _, kind := range []LinkKind{LinkVerify, LinkReset, LinkInvite} {
		if err := s.links.drop(tx, u.ID, kind, ""); err != nil {
			return u, err
		}
	}
	if err := s.messages.tell(tx, u, MailEmailChanged, map[string]string{"email": email}); err != nil {
		return u, err
	}
	u.moveTo(l, tx.Now)
	return u, nil
}

// moveTo changes a user's address to the one that the link was sent to.
func (u *userRecord) moveTo(l linkRecord, now time.Time) {
	u.Email, u.EmailVerifiedAt, u.AddressProvenAt = l.Email, nil, nil
	u.proveAddress(l, now)
}

// proveAddress records that somebody who reads the mail of a user's address used a link that was
// sent there. A link that somebody else was shown, to hand it over, proves nothing.
//
// AddressProvenAt is stricter than EmailVerifiedAt: the operator of the machine vouches for the
// addresses of the accounts that they make, which evidence about a person can't rely on.
func (u *userRecord) proveAddress(l linkRecord, now time.Time) {
	if l.Shown || input.FoldEmail(l.Email) != input.FoldEmail(u.Email) {
		return
	}
	if u.EmailVerifiedAt == nil || l.Kind == LinkVerify {
		u.EmailVerifiedAt = &now
	}
	u.AddressProvenAt = &now
}
