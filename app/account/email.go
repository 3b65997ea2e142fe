package account

import (
	"context"
	"errors"
	"strings"

	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/kv"
)

// Rate is how many of something are allowed in a window and how many are left.
type Rate struct {
	Limit     int
	Remaining int
}

// Reverify sends a verification message, to the address that the person has or
// (email not "") to a new one, which becomes the person's when its link is used.
// Six a minute per user.
func (s *Service) Reverify(_ context.Context, who Actor, email string) (Rate, error) {
	if err := self(who, ScopeWrite); err != nil {
		return Rate{}, err
	}
	remaining, wait, ok := s.perReverif.Allow(who.UserID)
	if !ok {
		return Rate{Limit: s.perReverif.Limit()}, fault.Throttled(s.perReverif.Limit(), wait)
	}
	rate := Rate{Limit: s.perReverif.Limit(), Remaining: remaining}
	email = strings.TrimSpace(email)
	return rate, s.db.Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		if email == "" {
			email = u.Email
		}
		if FoldEmail(email) != FoldEmail(u.Email) {
			if err := newEmail(tx, who, email); err != nil {
				return err
			}
		}
		return s.sendVerification(tx, u, email)
	})
}

// newEmail is nil if the actor may take this address.
func newEmail(tx *kv.Tx, who Actor, email string) error {
	if err := session(who); err != nil {
		return err
	}
	var f fault.Fields
	CheckEmail(&f, "email", email)
	if err := f.Err(); err != nil {
		return err
	}
	taken, err := emailTaken(tx, email, who.UserID)
	if taken {
		f.Taken("email")
	}
	return errors.Join(err, f.Err())
}

func emailTaken(tx *kv.Tx, email, exceptUser string) (bool, error) {
	id, _, err := users.Lookup(tx, "email", kv.K(FoldEmail(email)))
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && id != exceptUser, err
}

func (s *Service) sendVerification(tx *kv.Tx, u userRecord, email string) error {
	token, expires, err := s.makeLink(tx, linkRecord{Kind: LinkVerify, UserID: u.ID, Email: email}, verifyLifetime)
	if err != nil {
		return err
	}
	return s.mailTo(tx, MailVerifyEmail, u, email, map[string]string{"token": token, "expires_at": until(expires)})
}

// CheckVerification gives the address that a verification link proves, without
// using the link.
func (s *Service) CheckVerification(_ context.Context, token string) (email string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		l, _, err := linkUser(tx, LinkVerify, token)
		email = l.Email
		return err
	})
	return email, err
}

// VerifyEmail uses a verification link: the address is proven, and the person's
// if it was not before.
func (s *Service) VerifyEmail(_ context.Context, token string) (User, error) {
	var user User
	err := s.db.Update(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkVerify, token)
		if err != nil {
			return err
		}
		if err := links.Delete(tx, linkKey(token)); err != nil {
			return err
		}
		if u, err = s.moveEmail(tx, u, l.Email); err != nil {
			return err
		}
		u.EmailVerifiedAt = new(tx.Now)
		user = u.view()
		return s.putUser(tx, u)
	})
	return user, err
}

// moveEmail gives a user a new address and tells the old one. Links sent to the
// old address end: who reads it may no longer be the person.
func (s *Service) moveEmail(tx *kv.Tx, u userRecord, email string) (userRecord, error) {
	if FoldEmail(email) == FoldEmail(u.Email) {
		return u, nil
	}
	taken, err := emailTaken(tx, email, u.ID)
	if err != nil {
		return u, err
	}
	if taken {
		return u, fault.Conflict("email_taken")
	}
	if err := dropLinks(tx, u.ID, "", ""); err != nil {
		return u, err
	}
	if err := s.mailTo(tx, MailEmailChanged, u, u.Email, map[string]string{"email": email}); err != nil {
		return u, err
	}
	u.Email = email
	return u, nil
}

// ForgotPassword sends a link to choose a new password, if there is somebody
// with that address. Whether there is cannot be told from the answer.
func (s *Service) ForgotPassword(_ context.Context, email string, from From) error {
	if FoldEmail(email) == "" {
		var f fault.Fields
		f.Required("email")
		return f.Err()
	}
	if _, wait, ok := s.perMailbox.Allow("ip " + network(from.IP)); !ok && from.IP != "" {
		return fault.Throttled(s.perMailbox.Limit(), wait)
	}
	if _, wait, ok := s.perMailbox.Allow(FoldEmail(email)); !ok {
		return fault.Throttled(s.perMailbox.Limit(), wait)
	}
	return s.db.Update(func(tx *kv.Tx) error {
		_, u, err := users.Lookup(tx, "email", kv.K(FoldEmail(email)))
		if errors.Is(err, kv.ErrNotFound) || err == nil && u.DeactivatedAt != nil {
			return nil
		}
		if err != nil {
			return err
		}
		token, expires, err := s.makeLink(tx, linkRecord{Kind: LinkReset, UserID: u.ID, Email: u.Email}, resetLifetime)
		if err != nil {
			return err
		}
		return s.mail(tx, MailReset, u, map[string]string{"token": token, "expires_at": until(expires)})
	})
}

// CheckReset reports whether a reset link can still be used, before somebody
// types a password for nothing.
func (s *Service) CheckReset(_ context.Context, token string) error {
	return s.db.View(func(tx *kv.Tx) error {
		_, _, err := linkUser(tx, LinkReset, token)
		return err
	})
}

// ResetPassword uses a reset link: it sets the password, ends every session, and
// proves the address that the link was sent to. API tokens and two-factor login
// stay.
func (s *Service) ResetPassword(ctx context.Context, token, password string) error {
	if err := s.CheckReset(ctx, token); err != nil {
		return err // before the hash is paid for
	}
	var f fault.Fields
	checkPassword(&f, "password", password, "")
	if err := f.Err(); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkReset, token)
		if err != nil {
			return err
		}
		if u.EmailVerifiedAt == nil && FoldEmail(l.Email) == FoldEmail(u.Email) {
			u.EmailVerifiedAt = new(tx.Now)
		}
		return errors.Join(s.setPassword(tx, u, hash, ""), s.mail(tx, MailPassword, u, nil))
	})
}

// setPassword ends what the old password opened: reset and setup links, and all
// sessions but the one with the id keep. Waiting for a wait is over too.
func (s *Service) setPassword(tx *kv.Tx, u userRecord, hash, keep string) error {
	u.Password, u.Fresh = hash, false
	if err := errors.Join(
		dropLinks(tx, u.ID, LinkReset, ""), dropLinks(tx, u.ID, LinkSetup, ""),
		s.revokeAll(tx, u.ID, "", ActorUser, keep), s.putUser(tx, u),
	); err != nil {
		return err
	}
	account := FoldEmail(u.Email)
	tx.OnCommit(func() { s.perAccount.Reset(account) })
	return nil
}

// CheckEmail says what is wrong with an address somebody gives.
func CheckEmail(f *fault.Fields, field, email string) {
	email = strings.TrimSpace(email)
	switch {
	case email == "":
		f.Required(field)
	case len(email) > maxEmail:
		f.TooLong(field, maxEmail)
	case !mail.ValidEmail(email):
		f.Add(field, "not_an_email")
	}
}
