package account

import (
	"cmp"
	"context"
	"encoding/base32"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/turns"
	"paraph/kv"
)

// Bootstrapped holds the details that the first start prints for its operator, once.
type Bootstrapped struct {
	User     User
	Company  Company
	Password string // only if it was generated
	Setup    string // token of the one-time link to /setup; only if the password was generated
}

// Bootstrap creates the first administrator and company of an empty store, and reports whether
// it did. Without a password it generates one, and a link with which a browser can name the
// administrator and the company instead: using either one invalidates the other.
func (s *Operator) Bootstrap(ctx context.Context, email, password string) (b Bootstrapped, made bool, err error) {
	if empty, err := s.Empty(ctx); err != nil || !empty {
		return Bootstrapped{}, false, err
	}
	email = cmp.Or(strings.TrimSpace(email), "admin@localhost")
	// Less strict than at sign-up: the operator may use a host name known only to this machine.
	if local, domain, ok := strings.Cut(email, "@"); !ok || local == "" || domain == "" || !printable(email) {
		return Bootstrapped{}, false, fault.Invalid("email", "not_an_email")
	}
	invented := password == ""
	if invented {
		if password, err = s.random.password(); err != nil {
			return Bootstrapped{}, false, err
		}
		b.Password = password
	}
	hash, err := s.passwords.hash(ctx, turns.Key{}, password)
	if err != nil {
		return Bootstrapped{}, false, err
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		if empty, err := IsEmpty(tx); err != nil || !empty {
			return err
		}
		if b.User, b.Company, err = s.firstAdmin(tx, email, hash, invented); err != nil {
			return err
		}
		made = true
		if invented {
			b.Setup, _, err = s.links.create(tx, linkRecord{Kind: LinkSetup, UserID: b.User.ID, CompanyID: b.Company.ID}, setupLifetime)
		}
		return err
	})
	if err != nil || !made {
		return Bootstrapped{}, false, err
	}
	return b, true, nil
}

func (s *Operator) firstAdmin(tx *kv.Tx, email, hash string, fresh bool) (User, Company, error) {
	c, err := s.records.newCompany(tx, "My company", "", "")
	if err != nil {
		return User{}, Company{}, err
	}
	// The operator of the machine vouches for this address.
	u, err := s.records.newUser(tx, userRecord{Name: "Administrator", Email: email, EmailVerifiedAt: new(tx.Now), Password: hash, Fresh: fresh, Installation: true})
	if err != nil {
		return User{}, Company{}, err
	}
	m := memberRecord{CompanyID: c.ID, UserID: u.ID, Role: RoleOwner, JoinedAt: new(tx.Now), CreatedAt: tx.Now}
	if err := s.records.putMember(tx, m); err != nil {
		return User{}, Company{}, err
	}
	user, err := withCompanies(tx, u)
	return user, c, err
}

// Empty reports whether there are no users yet.
func (s *Operator) Empty(context.Context) (empty bool, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		empty, err = IsEmpty(tx)
		return err
	})
	return empty, err
}

// IsEmpty reports whether there are no users yet.
func IsEmpty(tx *kv.Tx) (bool, error) {
	empty := true
	err := users.Each(tx, "", nil, func(string, userRecord) (bool, error) {
		empty = false
		return false, nil
	})
	return empty, err
}

// password generates 100 random bits in a form that is easy to type.
func (s *randomSource) password() (string, error) {
	b, err := s.bytes(13)
	if err != nil {
		return "", err
	}
	text := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b))[:20]
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:], nil
}

// SetupInput names the first administrator and company.
type SetupInput struct {
	Company  string
	Name     string
	Email    string
	Password string
	Locale   string
	Timezone string
}

// SetupOpen reports whether nobody has set up this appliance yet: the
// administrator was generated, and neither the link nor the password was used.
func (s *Operator) SetupOpen(context.Context) (open bool, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		_, open, err = waitingAdmin(tx)
		return err
	})
	return open, err
}

// SetupLink returns a new link to /setup as long as setup is open, and "" after
// that. The token of an earlier link is stored nowhere, so each new link
// invalidates the previous one.
func (s *Operator) SetupLink(context.Context) (token string, err error) {
	err = s.db.Update(func(tx *kv.Tx) error {
		u, open, err := waitingAdmin(tx)
		if err != nil || !open {
			return err
		}
		user, err := withCompanies(tx, u)
		if err != nil || len(user.Companies) == 0 {
			return err
		}
		if err := s.links.drop(tx, u.ID, LinkSetup, ""); err != nil {
			return err
		}
		token, _, err = s.links.create(tx, linkRecord{Kind: LinkSetup, UserID: u.ID, CompanyID: user.Companies[0].ID}, setupLifetime)
		return err
	})
	return token, err
}

// waitingAdmin returns the generated administrator, if it has not been replaced: the very first
// user, since identifiers grow with time.
func waitingAdmin(tx *kv.Tx) (u userRecord, open bool, err error) {
	err = users.Each(tx, "", nil, func(_ string, first userRecord) (bool, error) {
		u = first
		return false, nil
	})
	if err != nil || !u.Fresh {
		return u, false, err
	}
	err = links.Each(tx, "user", kv.K(u.ID, string(LinkSetup)), func(string, linkRecord) (bool, error) {
		open = true
		return false, nil
	})
	return u, open, err
}

// CheckSetup reports whether the link to /setup still works.
func (s *Operator) CheckSetup(token string) error {
	_, err := s.settingUp(token)
	return err
}

// settingUp returns the company that a link to /setup is for.
func (s *Operator) settingUp(token string) (company string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		l, _, err := linkUser(tx, LinkSetup, token)
		company = l.CompanyID
		return err
	})
	return company, err
}

// Setup uses the link of [Bootstrap]: the generated administrator becomes the one
// named here, and the printed password stops working. Whoever has the link finds only
// a few addresses that somebody else has.
func (s *Operator) Setup(ctx context.Context, token string, in SetupInput) (user User, err error) {
	company, err := s.settingUp(token)
	if err != nil {
		return User{}, err
	}
	if err := in.apply(&userRecord{}, &Company{}); err != nil {
		return User{}, err
	}
	hash, err := s.passwords.hash(ctx, turns.Key{}, in.Password)
	if err != nil {
		return User{}, err
	}
	err = s.discretion.run(company, func(tx *kv.Tx) (bool, error) {
		user, err = s.setUp(tx, token, in, hash)
		return false, err
	})
	return user, err
}

func (s *Operator) setUp(tx *kv.Tx, token string, in SetupInput, hash string) (User, error) {
	l, u, err := linkUser(tx, LinkSetup, token)
	if err != nil {
		return User{}, err
	}
	c, err := LoadCompany(tx, l.CompanyID)
	if err != nil {
		return User{}, err
	}
	if err := in.apply(&u, &c); err != nil {
		return User{}, err
	}
	if taken, err := emailTaken(tx, u.Email, u.ID); err != nil || taken {
		return User{}, cmp.Or(err, error(elsewhere{fault.Invalid("email", "taken")}))
	}
	c.UpdatedAt = tx.Now
	if err := companies.Put(tx, c.ID, c); err != nil {
		return User{}, err
	}
	if err := s.credentials.setPassword(tx, u, hash, ""); err != nil {
		return User{}, err
	}
	return withCompanies(tx, u)
}

func (in SetupInput) apply(u *userRecord, c *Company) error {
	var f fault.Fields
	setCompany(&f, "company", &in.Company, &c.Name)
	setPerson(&f, "name", &in.Name, &u.Name, in.Email)
	input.CheckEmail(&f, "email", in.Email)
	checkPassword(&f, in.Password, in.Email)
	for _, to := range []*string{&u.Locale, &c.Locale} {
		if in.Locale != "" && !f.Has("locale") {
			input.SetLocale(&f, "locale", &in.Locale, to)
		}
	}
	for _, to := range []*string{&u.Timezone, &c.Timezone} {
		if in.Timezone != "" && !f.Has("timezone") {
			setTimezone(&f, &in.Timezone, to)
		}
	}
	u.Email = strings.TrimSpace(in.Email)
	return f.Err()
}
