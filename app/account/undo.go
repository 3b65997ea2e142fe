package account

import (
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// CheckUndo returns the address that an account would have after using a notice's link, without
// using it.
func (s *Authentication) CheckUndo(token string) (email string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		l, _, err := linkUser(tx, LinkUndo, token)
		email = l.Email
		return err
	})
	return email, err
}

// Undo reverts the changes to a person's credentials since a notice was sent to them: the
// address, passkeys, the authenticator app, recovery codes and API tokens. It also invalidates
// sessions and the password. Notices sent before this one keep their links: whoever took over
// the account was sent only later ones. It returns the token of a link to choose a new password.
func (s *Authentication) Undo(token string) (reset string, err error) {
	err = s.db.Update(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkUndo, token)
		if err != nil {
			return err
		}
		if err := s.takeBack(tx, &u, l); err != nil {
			return err
		}
		reset, _, err = s.links.create(tx, linkRecord{Kind: LinkReset, UserID: u.ID, Email: u.Email, Shown: l.Shown}, resetLifetime)
		return err
	})
	return reset, err
}

func (s *Authentication) takeBack(tx *kv.Tx, u *userRecord, l linkRecord) error {
	taken, err := emailTaken(tx, l.Email, u.ID)
	switch {
	case err != nil:
		return err
	case taken:
		return fault.Conflict("email_taken")
	}
	u.moveTo(l, tx.Now)
	u.Password, u.PasswordAt = s.passwords.dummy, new(tx.Now)
	if err := dropPasskeys(tx, u, *l.Since); err != nil {
		return err
	}
	u.dropCodes(*l.Since)
	return errors.Join(s.links.dropSince(tx, u.ID, *l.Since), s.tokens.revokeAll(tx, u.ID, "", ActorUser, ""),
		s.tokens.revokeSince(tx, u.ID, *l.Since), s.records.putUser(tx, *u))
}

// dropPasskeys removes the passkeys that a user has added since a time.
func dropPasskeys(tx *kv.Tx, u *userRecord, since time.Time) error {
	all, err := passkeysOf(tx, u.ID)
	for _, p := range all {
		if !p.CreatedAt.Before(since) {
			u.Passkeys--
			err = errors.Join(err, passkeys.Delete(tx, p.key()))
		}
	}
	return err
}

// dropCodes removes the authenticator app and the recovery codes that a user has set up since a time.
func (u *userRecord) dropCodes(since time.Time) {
	if u.TwoFactor == nil {
		return
	}
	next := *u.TwoFactor
	if next.ConfirmedAt == nil || !next.ConfirmedAt.Before(since) {
		next.Secret, next.ConfirmedAt = nil, nil
	}
	if !next.RecoveryAt.Before(since) {
		next.Recovery = nil
	}
	u.TwoFactor = &next
	if !u.guarded() {
		u.TwoFactor = nil
	}
}
