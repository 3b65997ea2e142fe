package account

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/app/turns"
	"paraph/kv"
)

// The right to administer the installation belongs to a person, not to a
// membership: no role of any company includes or grants it.

// RunsInstallation reports whether the actor may administer the installation.
// API tokens never may.
func (a Actor) RunsInstallation() bool {
	return a.Installation && a.Kind == ActorUser && !a.Limited
}

// runs returns nil for an administrator of the installation. For others its operations do not
// exist.
func runs(who Call) error {
	if who.RunsInstallation() || who.IsSystem() {
		return nil
	}
	return fault.NotFound("page")
}

// SetInstallation grants a person the right to administer the installation, or withdraws it.
// Like the other methods for the operator it checks no permissions.
func (s *Companies) SetInstallation(email string, granted bool) error {
	return s.db.Update(func(tx *kv.Tx) error {
		u, err := byEmail(tx, email)
		if err != nil {
			return err
		}
		u.Installation = granted
		return s.records.putUser(tx, u)
	})
}

// GrantFirst grants the right to the first person of an installation that predates it, unless
// somebody has it already.
func GrantFirst(db *kv.DB) error {
	return db.Update(func(tx *kv.Tx) error {
		var first *userRecord
		granted := false
		err := users.Each(tx, "", nil, func(_ string, u userRecord) (bool, error) {
			if first == nil && u.DeactivatedAt == nil {
				first = &u
			}
			granted = granted || u.Installation
			return !granted, nil
		})
		if err != nil || granted || first == nil {
			return err
		}
		first.Installation = true
		return users.Put(tx, first.ID, *first)
	})
}

// CompanyInput describes a company to add, with its first owner.
type CompanyInput struct {
	Name     string
	Locale   string
	Timezone string
	Email    string // of the owner
	Owner    string // their name; derived from the address if ""
}

// FoundCompany adds a company with its first owner. A new person gets a generated password and
// a one-time link to choose another, like the administrator of the first start; an existing
// user becomes the owner unchanged.
func (s *Companies) FoundCompany(ctx context.Context, who Call, in CompanyInput) (b Bootstrapped, err error) {
	if err := runs(who); err != nil {
		return Bootstrapped{}, err
	}
	in.Email = strings.TrimSpace(in.Email)
	u := userRecord{Email: in.Email, Name: nameFrom(in.Email), Fresh: true}
	if err := in.check(&u); err != nil {
		return Bootstrapped{}, err
	}
	password, err := s.random.password()
	if err != nil {
		return Bootstrapped{}, err
	}
	if u.Password, err = s.passwords.hash(ctx, turns.Key{}, password); err != nil {
		return Bootstrapped{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		b, err = s.found(tx, u, in, password)
		return err
	})
	if err != nil {
		return Bootstrapped{}, err
	}
	return b, nil
}

func (in CompanyInput) check(u *userRecord) error {
	var f fault.Fields
	setCompany(&f, "name", &in.Name, new(string))
	input.CheckEmail(&f, "email", in.Email)
	if in.Owner != "" {
		setPerson(&f, "owner", &in.Owner, &u.Name, in.Email)
	}
	return f.Err()
}

func (s *Companies) found(tx *kv.Tx, u userRecord, in CompanyInput, password string) (b Bootstrapped, err error) {
	if b.Company, err = s.records.newCompany(tx, in.Name, in.Locale, in.Timezone); err != nil {
		return b, err
	}
	known, err := byEmail(tx, in.Email)
	switch {
	case err == nil:
		u = known
	case fault.KindOf(err) != fault.KindNotFound:
		return b, err
	default:
		if reserved, err := emailReserved(tx, in.Email, ""); err != nil || reserved {
			return b, cmp.Or(err, error(fault.Invalid("email", "taken")))
		}
		u.EmailVerifiedAt = new(tx.Now) // the administrator vouches for it
		if u, err = s.records.newUser(tx, u); err != nil {
			return b, err
		}
		b.Password = password
		if b.Setup, _, err = s.links.create(tx, linkRecord{Kind: LinkSetup, UserID: u.ID, CompanyID: b.Company.ID}, inviteLifetime); err != nil {
			return b, err
		}
	}
	m := memberRecord{CompanyID: b.Company.ID, UserID: u.ID, Role: RoleOwner, JoinedAt: new(tx.Now), CreatedAt: tx.Now}
	if err := s.records.putMember(tx, m); err != nil {
		return b, err
	}
	b.User, err = withCompanies(tx, u)
	return b, err
}

// RenameCompany changes the name of any company.
func (s *Companies) RenameCompany(who Call, id, name string) (c Company, err error) {
	if err := runs(who); err != nil {
		return Company{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if c, err = LoadCompany(tx, id); err != nil {
			return err
		}
		var f fault.Fields
		setCompany(&f, "name", &name, &c.Name)
		if err := f.Err(); err != nil {
			return err
		}
		c.UpdatedAt = tx.Now
		s.records.changed(tx)
		return companies.Put(tx, c.ID, c)
	})
	if err != nil {
		return Company{}, err
	}
	return c, nil
}

// Tenant is a company with the number of its active members.
type Tenant struct {
	Company
	Members int
}

// Tenants lists every company of the installation.
func (s *Companies) Tenants(ctx context.Context, who Call) (all []Tenant, err error) {
	if err := runs(who); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		return companies.Each(tx, "", nil, func(_ string, c Company) (bool, error) {
			n, err := CountMembers(tx, c.ID)
			all = append(all, Tenant{c, n})
			return true, errors.Join(err, ctx.Err())
		})
	})
	return all, err
}

// ListTenants lists the companies whose name begins with a text, by name.
func (s *Companies) ListTenants(
	who Call, name string, offset, limit int,
) (found list.Page[Tenant], err error) {
	if err := runs(who); err != nil {
		return found, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		p, err := companies.Page(tx, kv.Query{Index: "name", Prefix: kv.K(everybody).Starting(nameKey(name)), Offset: offset, Limit: limit})
		if err != nil {
			return err
		}
		found.Total = p.Total
		for _, c := range p.Items {
			n, err := CountMembers(tx, c.ID)
			if err != nil {
				return err
			}
			found.Items = append(found.Items, Tenant{c, n})
		}
		return nil
	})
	return found, err
}

// GetTenant returns a company.
func (s *Companies) GetTenant(who Call, id string) (t Tenant, err error) {
	if err := runs(who); err != nil {
		return t, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		if t.Company, err = LoadCompany(tx, id); err != nil {
			return err
		}
		t.Members, err = CountMembers(tx, id)
		return err
	})
	return t, err
}

// Person is somebody with an account, as shown to administrators of the installation.
type Person struct {
	User
	LastSignIn *time.Time // nil: never, or too long ago to be recorded
}

// ListPeople lists the people whose address begins with a text, by address.
func (s *Companies) ListPeople(
	who Call, address string, offset, limit int,
) (found list.Page[Person], err error) {
	if err := runs(who); err != nil {
		return found, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		prefix := kv.K(everybody).Starting(input.FoldEmail(strings.TrimSpace(address)))
		p, err := users.Page(tx, kv.Query{Index: "address", Prefix: prefix, Offset: offset, Limit: limit})
		if err != nil {
			return err
		}
		found.Total = p.Total
		for _, u := range p.Items {
			user, err := withCompanies(tx, u)
			if err != nil {
				return err
			}
			at, err := lastSignIn(tx, u.ID)
			if err != nil {
				return err
			}
			found.Items = append(found.Items, Person{user, at})
		}
		return nil
	})
	return found, err
}

// lastSignIn returns when a person last signed in successfully, nil if that is not
// recorded.
func lastSignIn(tx *kv.Tx, userID string) (at *time.Time, err error) {
	for offset := 0; offset < maxSignIns; offset += 10 {
		p, err := signIns.Page(tx, kv.Query{Index: "user", Prefix: kv.K(userID), Descending: true, Offset: offset, Limit: 10})
		if err != nil {
			return nil, err
		}
		for _, e := range p.Items {
			if e.Outcome == LetIn {
				return &e.At, nil
			}
		}
		if len(p.Items) < 10 {
			break
		}
	}
	return nil, nil
}

// Administrators lists the people who may administer the installation, for messages
// to them.
func Administrators(tx *kv.Tx) (all []User, err error) {
	err = users.Each(tx, "installation", nil, func(_ string, u userRecord) (bool, error) {
		if u.DeactivatedAt == nil {
			all = append(all, u.view())
		}
		return true, nil
	})
	return all, err
}

// MigrateIndexes adds the index entries needed for administering the installation. It may run
// repeatedly.
func MigrateIndexes(db *kv.DB) error {
	return errors.Join(users.Rebuild(db), companies.Rebuild(db), members.Rebuild(db))
}
