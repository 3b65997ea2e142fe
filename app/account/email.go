package account

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/limit"
	"paraph/app/turns"
	"paraph/kv"
)

// dailyMails is how many messages of one kind may be requested for one address in a day,
// whoever requests them: people who are not users yet can't stop them.
const dailyMails = 20

// mayMail counts a request for a message of a kind to an address.
func (s *Service) mayMail(kind LinkKind, email string) error {
	if _, wait, ok := s.perMailboxDay.Allow(mailbox(kind, email)); !ok {
		return fault.Throttled(s.perMailboxDay.Limit(), wait)
	}
	return nil
}

// countMail counts a requested message in the transaction that sends it, or returns how long to
// wait for the next one.
func (s *Service) countMail(tx *kv.Tx, kind LinkKind, email string) (wait time.Duration, err error) {
	return s.mailedToday.Spend(tx, mailbox(kind, email))
}

// mailbox is the key under which messages of a kind to an address are counted.
func mailbox(kind LinkKind, email string) string { return string(kind) + " " + input.FoldEmail(email) }

// Reverify sends a verification message to the person's current address or, if email is not "",
// to a new one, which replaces it when its link is used. It is limited to six per minute and
// user, and by the messages that one address may get in a day.
func (s *Service) Reverify(_ context.Context, who Actor, email string) (limit.Rate, error) {
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
		if err := s.mayMail(LinkVerify, who.Email); err != nil {
			return rate, err
		}
		return rate, s.db.Update(func(tx *kv.Tx) error {
			u, err := users.Get(tx, who.UserID)
			if err != nil {
				return found(err, "user")
			}
			if wait, err := s.countMail(tx, LinkVerify, u.Email); err != nil || wait > 0 {
				return cmp.Or(err, error(fault.Throttled(dailyMails, wait)))
			}
			return s.sendVerification(tx, u, u.Email)
		})
	}
	if err := s.mayMove(who, email); err != nil {
		return rate, err
	}
	if err := s.mayMail(LinkVerify, email); err != nil {
		return rate, err
	}
	return rate, s.later.add(func(tx *kv.Tx) error { return s.sendToNew(tx, who, email) })
}

// mayMove returns nil if the actor may have this address, as far as they may know: it does not
// disclose whether somebody outside their company has it.
func (s *Service) mayMove(who Actor, email string) error {
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
func (s *Service) sendToNew(tx *kv.Tx, who Actor, email string) error {
	taken, err := emailTaken(tx, email, who.UserID)
	if err != nil || taken {
		return err
	}
	u, err := users.Get(tx, who.UserID)
	if err != nil {
		return found(err, "user")
	}
	if wait, err := s.countMail(tx, LinkVerify, email); err != nil || wait > 0 {
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
	err = links.Each(tx, "reserved", kv.K(input.FoldEmail(email)), func(_ string, l linkRecord) (bool, error) {
		reserved = l.UserID != exceptUser && l.ExpiresAt.After(tx.Now)
		return !reserved, nil
	})
	return reserved, err
}

func (s *Service) sendVerification(tx *kv.Tx, u userRecord, email string) error {
	token, expires, err := s.makeLink(tx, linkRecord{Kind: LinkVerify, UserID: u.ID, Email: email}, verifyLifetime)
	if err != nil {
		return err
	}
	return s.mailTo(tx, MailVerifyEmail, u, email, map[string]string{"token": token, "expires_at": until(expires)})
}

// CheckVerification returns the address that a verification link proves, without
// using the link.
func (s *Service) CheckVerification(_ context.Context, token string) (email string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		l, _, err := linkUser(tx, LinkVerify, token)
		email = l.Email
		return err
	})
	return email, err
}

// VerifyEmail uses a verification link: the address is proven and, if it is a new
// one, becomes the person's.
func (s *Service) VerifyEmail(_ context.Context, token string) (User, error) {
	var user User
	err := s.db.Update(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkVerify, token)
		if err != nil {
			return err
		}
		if err := s.spendLink(tx, linkKey(token)); err != nil {
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

// moveEmail changes a user's address and notifies the old one, with a link to undo the change.
// Other links sent to the old address are invalidated, since its reader may no longer be the
// person.
func (s *Service) moveEmail(tx *kv.Tx, u userRecord, email string) (userRecord, error) {
	if input.FoldEmail(email) == input.FoldEmail(u.Email) {
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
		if err := s.dropLinks(tx, u.ID, kind, ""); err != nil {
			return u, err
		}
	}
	if err := s.tell(tx, u, MailEmailChanged, map[string]string{"email": email}); err != nil {
		return u, err
	}
	u.Email = email
	return u, nil
}

// ForgotPassword sends a link to choose a new password if a user has that
// address. The response does not disclose whether one does.
func (s *Service) ForgotPassword(_ context.Context, email string, from From) error {
	if input.FoldEmail(email) == "" {
		var f fault.Fields
		f.Required("email")
		return f.Err()
	}
	if _, wait, ok := s.perMailbox.Allow("ip " + turns.Network(from.IP)); !ok && from.IP != "" {
		return fault.Throttled(s.perMailbox.Limit(), wait)
	}
	if _, wait, ok := s.perMailbox.Allow(input.FoldEmail(email)); !ok {
		return fault.Throttled(s.perMailbox.Limit(), wait)
	}
	if err := s.mayMail(LinkReset, email); err != nil {
		return err
	}
	return s.later.add(func(tx *kv.Tx) error { return s.sendReset(tx, email) })
}

func (s *Service) sendReset(tx *kv.Tx, email string) error {
	_, u, err := users.Lookup(tx, "email", kv.K(input.FoldEmail(email)))
	if errors.Is(err, kv.ErrNotFound) || err == nil && u.DeactivatedAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if wait, err := s.countMail(tx, LinkReset, email); err != nil || wait > 0 {
		return err
	}
	token, expires, err := s.makeLink(tx, linkRecord{Kind: LinkReset, UserID: u.ID, Email: u.Email}, resetLifetime)
	if err != nil {
		return err
	}
	return s.mail(tx, MailReset, u, map[string]string{"token": token, "expires_at": until(expires)})
}

// Outlasting lists the credentials that still let somebody in, or partly in,
// after their password was reset.
type Outlasting struct {
	Passkeys []Passkey
	Tokens   []Token
}

// CheckReset reports whether a reset link is still valid, before somebody types a password in
// vain, and which credentials outlast the password.
func (s *Service) CheckReset(_ context.Context, token string) (o Outlasting, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		_, u, err := linkUser(tx, LinkReset, token)
		if err != nil {
			return err
		}
		keys, err := passkeysOf(tx, u.ID)
		for _, p := range keys {
			o.Passkeys = append(o.Passkeys, p.view())
		}
		return errors.Join(err, tokens.Each(tx, "user", kv.K(u.ID, string(ActorToken)), func(_ string, t tokenRecord) (bool, error) {
			o.Tokens = append(o.Tokens, t.view())
			return true, nil
		}))
	})
	return o, err
}

// Reset holds the choices of a person who follows a reset link.
type Reset struct {
	Password     string
	RevokeTokens bool // end the API tokens too
}

// ResetPassword uses a reset link: it sets the password, ends every session, and proves the address that the link was
// sent to. Two-factor login stays, because the link shows only that somebody reads the person's mail. Passkeys stay
// as a second factor and work without the password only after they were used with the new one.
func (s *Service) ResetPassword(ctx context.Context, token string, in Reset) error {
	if _, err := s.CheckReset(ctx, token); err != nil {
		return err // before spending time on the hash
	}
	var f fault.Fields
	checkPassword(&f, in.Password, "")
	if err := f.Err(); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, linkTurn(token), in.Password)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkReset, token)
		if err != nil {
			return err
		}
		if u.EmailVerifiedAt == nil && input.FoldEmail(l.Email) == input.FoldEmail(u.Email) {
			u.EmailVerifiedAt = new(tx.Now)
		}
		if in.RevokeTokens {
			if err := s.revokeAll(tx, u.ID, "", ActorToken, ""); err != nil {
				return err
			}
		}
		return errors.Join(s.setPassword(tx, u, hash, ""), s.tell(tx, u, MailPassword, nil))
	})
}

// setPassword invalidates everything the old password gave access to: reset and setup links,
// and all sessions except the one with the ID keep. It also ends any wait after failed logins.
func (s *Service) setPassword(tx *kv.Tx, u userRecord, hash, keep string) error {
	u.Password, u.PasswordAt, u.Fresh = hash, new(tx.Now), false
	if err := errors.Join(
		s.dropLinks(tx, u.ID, LinkReset, ""), s.dropLinks(tx, u.ID, LinkSetup, ""),
		s.revokeAll(tx, u.ID, "", ActorUser, keep), s.putUser(tx, u),
	); err != nil {
		return err
	}
	tx.OnCommit(func() { s.forgive(u) })
	return nil
}
