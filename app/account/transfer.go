package account

import (
	"errors"
	"fmt"
	"slices"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// RecordExport describes the part of a company's accounts that leaves the installation.
type RecordExport struct {
	Company string
	Secrets bool // hashes of passwords and the secrets of authenticator apps too
	Put     func(kv.Item) error
}

// movedUser is a person being moved to another installation.
type movedUser struct {
	User   userRecord
	Secret string // of the authenticator app
	Joined bool   // false: invited, with only the data in the invitation
}

// ExportRecords exports a company with its settings and people, and returns the IDs of its
// members. Sessions, API tokens, mailed links and recovery codes stay: they are secrets of this
// installation.
func (s *Upkeep) ExportRecords(tx *kv.Tx, l RecordExport) (people []string, err error) {
	c, err := LoadCompany(tx, l.Company)
	if err != nil {
		return nil, err
	}
	if err := put(l, companies, c.ID, c); err != nil {
		return nil, err
	}
	if err := s.exportBranding(tx, l); err != nil {
		return nil, err
	}
	err = members.Each(tx, "company", kv.K(l.Company), func(_ string, m memberRecord) (bool, error) {
		if m.JoinedAt != nil {
			people = append(people, m.UserID)
		}
		return true, errors.Join(s.exportUser(tx, l, m), put(l, members, m.key(), m))
	})
	if err != nil {
		return nil, err
	}
	return people, signIns.Each(tx, "company", kv.K(l.Company), func(id string, e SignInEntry) (bool, error) {
		e.Companies = []string{l.Company}
		return true, put(l, signIns, id, e)
	})
}

func put[T any](l RecordExport, c *kv.Collection[T], id string, v T) error {
	it, err := c.Pack(id, v)
	if err != nil {
		return err
	}
	return l.Put(it)
}

func (s *Upkeep) exportBranding(tx *kv.Tx, l RecordExport) error {
	logo, err := logos.Get(tx, l.Company)
	switch {
	case err == nil:
		err = put(l, logos, l.Company, logo)
	case errors.Is(err, kv.ErrNotFound):
		err = nil
	}
	if err != nil {
		return err
	}
	return consents.Each(tx, "company", kv.K(l.Company), func(id string, v ConsentVersion) (bool, error) {
		return true, put(l, consents, id, v)
	})
}

// exportUser exports a person. For somebody who has not joined, only the data in the company's
// invitation is exported.
func (s *Upkeep) exportUser(tx *kv.Tx, l RecordExport, m memberRecord) error {
	u, err := users.Get(tx, m.UserID)
	if err != nil {
		return err
	}
	moved := movedUser{User: userRecord{ID: u.ID, Name: u.Name, Email: u.Email, Locale: u.Locale, Timezone: u.Timezone, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}}
	if m.JoinedAt == nil {
		if m.Invited != nil {
			moved.User.ID, moved.User.Name, moved.User.Email = m.Invited.ID, m.Invited.Name, m.Invited.Email
		}
	} else if moved, err = s.joined(u, l.Secrets); err != nil {
		return err
	}
	it, err := kv.NewItem(users.Name(), moved.User.ID, moved)
	if err != nil {
		return err
	}
	if err := l.Put(it); err != nil || m.JoinedAt == nil {
		return err
	}
	return passkeys.Each(tx, "", kv.Key(passkeyKey(u.ID, "")), func(id string, p passkeyRecord) (bool, error) {
		return true, put(l, passkeys, id, p)
	})
}

// joined returns a member in their export form.
func (s *Upkeep) joined(u userRecord, secrets bool) (m movedUser, err error) {
	app := u.TwoFactor
	u.Installation, u.Fresh, u.TwoFactor, u.Passkeys = false, false, nil, 0
	if !secrets {
		u.Password = ""
	} else if app.active() {
		secret, err := s.box.Open(u.ID, app.Secret)
		if err != nil {
			return m, err
		}
		m.Secret = string(secret)
		u.TwoFactor = &twoFactor{ConfirmedAt: app.ConfirmedAt, LastStep: app.LastStep}
	}
	m.User, m.Joined = u, true
	return m, nil
}

// RecordImport describes a company being imported.
type RecordImport struct {
	Company   string
	Passkeys  bool     // the address is the same, so passkeys keep working
	Newcomers []string // people who had no account here before
}

// IsNew reports whether a person had no account here before the import.
func (a RecordImport) IsNew(user string) bool { return slices.Contains(a.Newcomers, user) }

// ImportRecord returns the function that stores an item of this package, nil if it belongs to
// another. The company and its members must be stored last.
func (s *Upkeep) ImportRecord(a RecordImport, it kv.Item) func(tx *kv.Tx) error {
	switch it.In {
	case companies.Name():
		return arrives(companies, it, func(c Company) bool { return c.ID == a.Company && it.ID == c.ID })
	case logos.Name():
		return arrives(logos, it, func(Logo) bool { return it.ID == a.Company })
	case consents.Name():
		return arrives(consents, it, func(v ConsentVersion) bool { return v.CompanyID == a.Company })
	case signIns.Name():
		return arrives(signIns, it, func(e SignInEntry) bool { return slices.Equal(e.Companies, []string{a.Company}) })
	case users.Name():
		return func(tx *kv.Tx) error { _, err := s.userArrives(tx, it); return err }
	case members.Name():
		return func(tx *kv.Tx) error { return s.importMember(tx, a, it) }
	case passkeys.Name():
		return func(tx *kv.Tx) error { return s.importPasskey(tx, a, it) }
	}
	return nil
}

// errForeign reports that an export holds a record of another company.
func errForeign(it kv.Item) error {
	return fmt.Errorf("%w: %s %q belongs to another company", kv.ErrCorrupt, it.In, it.ID)
}

func arrives[T any](c *kv.Collection[T], it kv.Item, belongs func(T) bool) func(tx *kv.Tx) error {
	return func(tx *kv.Tx) error {
		v, err := kv.Read[T](it)
		if err == nil && !belongs(v) {
			err = errForeign(it)
		}
		if err != nil {
			return err
		}
		return c.Add(tx, it.ID, v)
	}
}

// userArrives adds a person and reports that they are new, unless they came with another of their
// companies. An address that belongs to somebody else here is refused: they might be different
// people, and one would get access to the other's company.
func (s *Upkeep) userArrives(tx *kv.Tx, it kv.Item) (added bool, err error) {
	m, err := kv.Read[movedUser](it)
	if err != nil {
		return false, err
	}
	known, err := users.Get(tx, it.ID)
	switch {
	case err == nil && input.FoldEmail(known.Email) != input.FoldEmail(m.User.Email):
		return false, fault.Conflict("person_known_here", fault.Text("email", m.User.Email))
	case err == nil || !errors.Is(err, kv.ErrNotFound):
		return false, err
	}
	switch taken, err := emailTaken(tx, m.User.Email, it.ID); {
	case err != nil:
		return false, err
	case taken && !m.Joined:
		return false, nil // they are invited with their account here
	case taken:
		return false, fault.Conflict("person_known_here", fault.Text("email", m.User.Email))
	}
	u, err := s.admit(m)
	if err != nil {
		return false, err
	}
	return true, users.Put(tx, u.ID, u)
}

// admit returns the record of a person from elsewhere. What another installation says about proofs
// and rights does not count here: the address has to be proven again, and nobody administers
// this installation.
func (s *Upkeep) admit(m movedUser) (userRecord, error) {
	from := m.User
	u := userRecord{
		ID: from.ID, Name: from.Name, Email: from.Email, Locale: from.Locale, Timezone: from.Timezone,
		Password: from.Password, PasswordAt: from.PasswordAt, DeactivatedAt: from.DeactivatedAt,
		CreatedAt: from.CreatedAt, UpdatedAt: from.UpdatedAt, Imported: m.Joined,
	}
	if m.Secret == "" || !from.TwoFactor.active() {
		return u, nil
	}
	sealed, err := s.box.Seal(u.ID, []byte(m.Secret))
	u.TwoFactor = &twoFactor{Secret: sealed, ConfirmedAt: from.TwoFactor.ConfirmedAt, LastStep: from.TwoFactor.LastStep}
	return u, err
}

func (s *Upkeep) importMember(tx *kv.Tx, a RecordImport, it kv.Item) error {
	m, err := kv.Read[memberRecord](it)
	if err == nil && m.CompanyID != a.Company {
		err = errForeign(it)
	}
	if err != nil {
		return err
	}
	if m.JoinedAt == nil && m.Invited != nil {
		_, u, err := users.Lookup(tx, "email", kv.K(input.FoldEmail(m.Invited.Email)))
		if err != nil {
			return err
		}
		m.UserID = u.ID
	}
	m.JoinsAtSignIn = false
	s.records.changed(tx)
	return members.Add(tx, m.key(), m)
}

// importPasskey adds a passkey if it can work here. A person whose passkeys all stayed behind
// signs in without them. An account that was here before gets none: an import must not open it.
func (s *Upkeep) importPasskey(tx *kv.Tx, a RecordImport, it kv.Item) error {
	p, err := kv.Read[passkeyRecord](it)
	if err != nil || !a.Passkeys || !a.IsNew(p.UserID) {
		return err
	}
	if has, err := passkeys.Has(tx, p.key()); err != nil || has {
		return err
	}
	u, err := users.Get(tx, p.UserID)
	if err != nil {
		return err
	}
	u.Passkeys++
	return errors.Join(passkeys.Add(tx, p.key(), p), users.Put(tx, u.ID, u))
}

// Free refuses a company that exists here.
func (s *Upkeep) Free(tx *kv.Tx, company string) error {
	switch has, err := companies.Has(tx, company); {
	case err != nil:
		return err
	case has:
		return fault.Conflict("company_known_here", fault.Text("id", company))
	}
	return nil
}

// Reserve refuses a company that exists here, and adds its people, all or none. It returns the
// identifiers of those who had no account here.
func (s *Upkeep) Reserve(tx *kv.Tx, company string, people []kv.Item) (newcomers []string, err error) {
	if err := s.Free(tx, company); err != nil {
		return nil, err
	}
	for _, it := range people {
		added, err := s.userArrives(tx, it)
		if err != nil {
			return nil, err
		}
		if added {
			newcomers = append(newcomers, it.ID)
		}
	}
	return newcomers, nil
}

// IsPerson reports whether an item is a person, who has to be stored first.
func IsPerson(it kv.Item) bool { return it.In == users.Name() }

// IsMembership reports whether an item lets a person into the company, so that it
// has to be stored last.
func IsMembership(it kv.Item) bool { return it.In == members.Name() }

// IsShared reports whether an item may be here already because it came with another company of
// the same person.
func IsShared(it kv.Item) bool { return IsPerson(it) || it.In == passkeys.Name() }
