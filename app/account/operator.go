package account

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/turns"
	"paraph/kv"
)

// The methods of this file check no permissions: they are for the operator of the
// machine (the commands, the test double) and are not reachable over the network.

// ActorFor returns a person as an actor in a company ("" for the only or oldest
// one), as if they had logged in.
func (s *Operator) ActorFor(email, companyID string) (who Actor, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		u, err := byEmail(tx, email)
		if err != nil {
			return err
		}
		user, err := withCompanies(tx, u)
		if err != nil {
			return err
		}
		for _, c := range user.Companies {
			if companyID == "" || c.ID == companyID {
				who = Actor{
					Kind: ActorUser, UserID: u.ID, CompanyID: c.ID, Name: u.Name, Email: u.Email,
					AddressProven: u.AddressProvenAt != nil, MadeByCompany: u.MadeBy == c.ID, Role: c.Role, Scopes: Scopes(), ProvenAt: tx.Now,
				}
				return nil
			}
		}
		return fault.NotFound("company")
	})
	return who, err
}

func byEmail(tx *kv.Tx, email string) (userRecord, error) {
	_, u, err := users.Lookup(tx, "email", kv.K(input.FoldEmail(email)))
	return u, found(err, "user")
}

// AddCompany creates a company without members.
func (s *Operator) AddCompany(name, locale, timezone string) (c Company, err error) {
	err = s.db.Update(func(tx *kv.Tx) error {
		c, err = s.records.newCompany(tx, name, locale, timezone)
		return err
	})
	return c, err
}

// UserInput is a person to add.
type UserInput struct {
	Name      string
	Email     string
	Password  string
	CompanyID string
	Role      Role
	Locale    string
	Timezone  string
}

// AddUser adds a person to a company, ready to log in. An existing user is added
// to the company too, and keeps name and password.
func (s *Operator) AddUser(ctx context.Context, in UserInput) (User, error) {
	in.Email, in.Role = strings.TrimSpace(in.Email), cmp.Or(in.Role, RoleMember)
	var f fault.Fields
	input.CheckEmail(&f, "email", in.Email)
	checkPassword(&f, in.Password, in.Email)
	if !in.Role.Valid() {
		f.Selected("role")
	}
	u := userRecord{Email: in.Email, Name: nameFrom(in.Email)}
	for _, part := range []struct {
		given string
		set   func(*string)
	}{
		{in.Name, func(v *string) { setPerson(&f, "name", v, &u.Name, in.Email) }},
		{in.Locale, func(v *string) { input.SetLocale(&f, "locale", v, &u.Locale) }},
		{in.Timezone, func(v *string) { setTimezone(&f, v, &u.Timezone) }},
	} {
		if part.given != "" {
			part.set(&part.given)
		}
	}
	if err := f.Err(); err != nil {
		return User{}, err
	}
	hash, err := s.passwords.hash(ctx, turns.Key{}, in.Password)
	if err != nil {
		return User{}, err
	}
	u.Password = hash
	var user User
	err = s.db.Update(func(tx *kv.Tx) error {
		user, err = s.addUser(tx, u, in)
		return err
	})
	return user, err
}

func (s *Operator) addUser(tx *kv.Tx, u userRecord, in UserInput) (User, error) {
	if _, err := LoadCompany(tx, in.CompanyID); err != nil {
		return User{}, err
	}
	existing, err := byEmail(tx, in.Email)
	switch {
	case err == nil:
		u = existing
	case fault.KindOf(err) != fault.KindNotFound:
		return User{}, err
	default:
		u.EmailVerifiedAt = new(tx.Now)
		if u, err = s.records.newUser(tx, u); err != nil {
			return User{}, err
		}
	}
	switch has, err := members.Has(tx, memberKey(in.CompanyID, u.ID)); {
	case err != nil:
		return User{}, err
	case has:
		return User{}, fault.Invalid("email", "taken")
	}
	m := memberRecord{CompanyID: in.CompanyID, UserID: u.ID, Role: in.Role, JoinedAt: new(tx.Now), CreatedAt: tx.Now}
	if err := s.records.putMember(tx, m); err != nil {
		return User{}, err
	}
	return withCompanies(tx, u)
}

// SetPassword sets a new password for a person and ends their sessions; if
// requested (the person lost the device), it turns off two-factor login and
// removes the passkeys.
func (s *Operator) SetPassword(ctx context.Context, email, password string, dropTwoFactor bool) error {
	var f fault.Fields
	checkPassword(&f, password, email)
	if err := f.Err(); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, turns.Key{}, password)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *kv.Tx) error {
		u, err := byEmail(tx, email)
		if err != nil {
			return err
		}
		if dropTwoFactor {
			if err := dropFactors(tx, &u); err != nil {
				return err
			}
		}
		return errors.Join(s.credentials.setPassword(tx, u, hash, ""), s.messages.tell(tx, u, MailPassword, nil))
	})
}

// SetActive lets a person log in, or bars them from all companies by revoking every token.
func (s *Operator) SetActive(email string, active bool) error {
	return s.db.Update(func(tx *kv.Tx) error {
		u, err := byEmail(tx, email)
		if err != nil {
			return err
		}
		u.DeactivatedAt = nil
		if !active {
			u.DeactivatedAt = new(tx.Now)
			err = errors.Join(s.tokens.revokeAll(tx, u.ID, "", "", ""), s.links.drop(tx, u.ID, "", ""))
		}
		return errors.Join(err, s.records.putUser(tx, u))
	})
}

// AllUsers lists everybody, with their companies.
func (s *Operator) AllUsers(context.Context) (all []User, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		return users.Each(tx, "", nil, func(_ string, u userRecord) (bool, error) {
			user, err := withCompanies(tx, u)
			all = append(all, user)
			return true, err
		})
	})
	return all, err
}

// AllCompanies lists every company.
func (s *Operator) AllCompanies(context.Context) (all []Company, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		return companies.Each(tx, "", nil, func(_ string, c Company) (bool, error) {
			all = append(all, c)
			return true, nil
		})
	})
	return all, err
}
