package account

import (
	"context"
	"errors"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// Me returns the caller, with their companies.
func (s *Profile) Me(who Call) (user User, err error) {
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
	setPerson(&f, "name", p.Name, &u.Name, u.Email)
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
func (s *Profile) UpdateMe(ctx context.Context, who Call, p MePatch) (user User, err error) {
	if err := self(who, ScopeWrite); err != nil {
		return User{}, err
	}
	hash := ""
	if p.Password != nil {
		if hash, err = s.newPassword(ctx, who, p); err != nil {
			return User{}, err
		}
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, who.UserID)
		if err != nil {
			return found(err, "user")
		}
		if err := p.apply(&u); err != nil {
			return err
		}
		if hash != "" {
			err = errors.Join(s.credentials.setPassword(tx, u, hash, who.TokenID), s.messages.tell(tx, u, MailPassword, nil))
		} else {
			err = s.records.putUser(tx, u)
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
func (s *Profile) newPassword(ctx context.Context, who Call, p MePatch) (string, error) {
	if err := session(who); err != nil {
		return "", err
	}
	// Report all faults of the request before spending time on hashing.
	if err := p.apply(&userRecord{Email: who.Email}); err != nil {
		return "", err
	}
	attempt, err := s.attempts.countInside(who)
	if err != nil {
		return "", err
	}
	if err := s.credentials.provePassword(ctx, who, "current_password", p.CurrentPassword); err != nil {
		return "", err
	}
	attempt.succeeded()
	return s.passwords.hash(ctx, memberTurn(who), *p.Password)
}
