package account

import (
	"context"
	"errors"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/turns"
	"paraph/kv"
)

// ForgotPassword sends a link to choose a new password if a user has that
// address. The response does not disclose whether one does.
func (s *Authentication) ForgotPassword(email string, from From) error {
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
	if err := s.messages.mayMail(LinkReset, email); err != nil {
		return err
	}
	return s.later.add(func(tx *kv.Tx) error { return s.sendReset(tx, email) })
}

func (s *Authentication) sendReset(tx *kv.Tx, email string) error {
	_, u, err := users.Lookup(tx, "email", kv.K(input.FoldEmail(email)))
	if errors.Is(err, kv.ErrNotFound) || err == nil && u.DeactivatedAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if wait, err := s.messages.countMail(tx, LinkReset, email); err != nil || wait > 0 {
		return err
	}
	token, expires, err := s.links.create(tx, linkRecord{Kind: LinkReset, UserID: u.ID, Email: u.Email}, resetLifetime)
	if err != nil {
		return err
	}
	return s.messages.send(tx, MailReset, u, map[string]string{"token": token, "expires_at": until(expires)})
}

// Outlasting lists the credentials that still let somebody in, or partly in,
// after their password was reset.
type Outlasting struct {
	Passkeys []Passkey
	Tokens   []Token
}

// CheckReset reports whether a reset link is still valid, before somebody types a password in
// vain, and which credentials outlast the password.
func (s *Authentication) CheckReset(token string) (o Outlasting, err error) {
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
// sent to, unless it was handed over by somebody else. API tokens made before the address was first proven are revoked:
// somebody else may have made them. Two-factor login stays, because the link shows only that somebody reads the person's mail. Passkeys stay
// as a second factor and work without the password only after they were used with the new one.
func (s *Authentication) ResetPassword(ctx context.Context, token string, in Reset) error {
	if _, err := s.CheckReset(token); err != nil {
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
		first := u.EmailVerifiedAt == nil
		u.proveAddress(l, tx.Now)
		if in.RevokeTokens || first && u.EmailVerifiedAt != nil {
			if err := s.tokens.revokeAll(tx, u.ID, "", ActorToken, ""); err != nil {
				return err
			}
		}
		return errors.Join(s.credentials.setPassword(tx, u, hash, ""), s.messages.tell(tx, u, MailPassword, nil))
	})
}
