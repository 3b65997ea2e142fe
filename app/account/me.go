package account

import (
	"context"
	"errors"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// Me returns the caller, with their companies.
func (s *Service) Me(_ context.Context, who Actor) (user User, err error) {
	who.Limited = false // people who have to set up two-factor sign-in may see their own record
	if err := self(who, ScopeRead); err != nil {
		return User{}, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		user, err = withCompanies(tx, u)
		return err
	})
	return user, err
}

// MePatch holds changes to the caller's own record; nil leaves a setting
// unchanged. A new password requires the current one.
type MePatch struct {
	Name            *string
	Locale          *string
	Timezone        *string
	Password        *string
	CurrentPassword string
}

func (p MePatch) apply(u *userRecord) error {
	var f fault.Fields
	setName(&f, "name", p.Name, &u.Name)
	input.SetLocale(&f, "locale", p.Locale, &u.Locale)
	setTimezone(&f, p.Timezone, &u.Timezone)
	if p.Password != nil {
		checkPassword(&f, *p.Password, u.Email)
		if p.CurrentPassword == "" {
			f.Required("current_password")
		}
	}
	return f.Err()
}

// UpdateMe changes the caller's own record. A new password ends their other sessions.
func (s *Service) UpdateMe(ctx context.Context, who Actor, p MePatch) (user User, err error) {
	if err := self(who, ScopeWrite); err != nil {
		return User{}, err
	}
	hash := ""
	if p.Password != nil {
		if hash, err = s.newPassword(ctx, who, p); err != nil {
			return User{}, err
		}
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		if err := p.apply(&u); err != nil {
			return err
		}
		if hash != "" {
			err = errors.Join(s.setPassword(tx, u, hash, who.TokenID), s.tell(tx, u, MailPassword, nil))
		} else {
			err = s.putUser(tx, u)
		}
		if err != nil {
			return err
		}
		u.UpdatedAt = tx.Now
		user, err = withCompanies(tx, u)
		return err
	})
	return user, err
}

// newPassword checks the whole change and returns the new hash.
func (s *Service) newPassword(ctx context.Context, who Actor, p MePatch) (string, error) {
	if err := session(who); err != nil {
		return "", err
	}
	// Report all faults of the request before spending time on hashing.
	if err := p.apply(&userRecord{Email: who.Email}); err != nil {
		return "", err
	}
	attempt, err := s.attemptInside(who)
	if err != nil {
		return "", err
	}
	if err := s.provePassword(ctx, who, "current_password", p.CurrentPassword); err != nil {
		return "", err
	}
	attempt.succeeded()
	return s.passwords.hash(ctx, memberTurn(who), *p.Password)
}

// provePassword returns nil if it is the caller's password, else a fault of the
// field. The caller of provePassword counts the attempt.
func (s *Service) provePassword(ctx context.Context, who Actor, field, password string) error {
	var u userRecord
	err := s.db.View(func(tx *kv.Tx) (err error) {
		u, err = users.Get(tx, who.UserID)
		return found(err, "user")
	})
	if err != nil {
		return err
	}
	ok, err := s.passwords.verify(ctx, memberTurn(who), password, u.Password)
	if err == nil && !ok {
		err = fault.Invalid(field, "not_correct")
	}
	return err
}

// SwitchCompany returns a token for another company of the person who logged in. The session's
// last proof of identity is carried over.
func (s *Service) SwitchCompany(_ context.Context, who Actor, companyID string) (t Token, err error) {
	if err := session(who); err != nil {
		return Token{}, err
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		m, err := members.Get(tx, memberKey(companyID, who.UserID))
		if err != nil {
			return found(err, "company")
		}
		if !m.active() {
			return fault.NotFound("company")
		}
		if err := s.trimSessions(tx, companyID, who.UserID); err != nil {
			return err
		}
		t, err = s.issue(tx, tokenRecord{
			CompanyID: companyID, UserID: who.UserID, Kind: ActorUser, Name: clip(who.UserAgent, 200),
			Scopes: Scopes(), IP: who.IP, ExpiresAt: new(s.sessionEnd(tx.Now, who.ProvenAt)), ProvenAt: new(who.ProvenAt),
		})
		return err
	})
	return t, err
}
