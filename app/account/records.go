package account

import (
	"cmp"
	"errors"
	"net/netip"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/limit"
	"paraph/kv"

	"github.com/oklog/ulid/v2"
)

// userRecord is a user as stored.
type userRecord struct {
	ID              string     `json:"id"`
	Name            string     `json:"name"`
	Email           string     `json:"email"`
	EmailVerifiedAt *time.Time `json:"email_verified_at,omitempty"`
	AddressProvenAt *time.Time `json:"address_proven_at,omitempty"` // see proveAddress
	SignedInAt      *time.Time `json:"signed_in_at,omitempty"`      // for the first time
	Imported        bool       `json:"imported,omitempty"`          // came with a company from another installation
	MadeBy          string     `json:"made_by,omitempty"`           // company whose administrator entered the address
	Locale          string     `json:"locale"`
	Timezone        string     `json:"timezone"`
	Password        string     `json:"password,omitempty"`    // PHC string; "" for none chosen yet
	PasswordAt      *time.Time `json:"password_at,omitempty"` // when it was last changed
	TwoFactor       *twoFactor `json:"two_factor,omitempty"`
	Passkeys        int        `json:"passkeys,omitempty"`     // their number
	Fresh           bool       `json:"fresh,omitempty"`        // created by Bootstrap, nobody has logged in yet
	Installation    bool       `json:"installation,omitempty"` // may administer the installation
	DeactivatedAt   *time.Time `json:"deactivated_at,omitempty"`
	CreatedAt       time.Time  `json:"created_at"`
	UpdatedAt       time.Time  `json:"updated_at"`
}

// memberRecord joins a user and a company.
type memberRecord struct {
	CompanyID     string     `json:"company_id"`
	UserID        string     `json:"user_id"`
	Role          Role       `json:"role"`
	Invited       *invited   `json:"invited,omitempty"` // name and address in the invitation
	InvitedAt     *time.Time `json:"invited_at,omitempty"`
	JoinedAt      *time.Time `json:"joined_at,omitempty"`
	JoinsAtSignIn bool       `json:"joins_at_sign_in,omitempty"` // the company chose their first password
	DeactivatedAt *time.Time `json:"deactivated_at,omitempty"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// invited holds the name and address in an invitation. Until the person joins, the company sees
// nothing else: information from another company must not leak.
type invited struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

func (m memberRecord) status() MemberStatus {
	switch {
	case m.DeactivatedAt != nil:
		return MemberDeactivated
	case m.JoinedAt == nil:
		return MemberInvited
	}
	return MemberActive
}

func (m memberRecord) active() bool { return m.status() == MemberActive }

// tokenRecord is a token as stored: everything except the token itself, which can only be made
// with the token key. A token without a record is revoked.
type tokenRecord struct {
	ID         string         `json:"id"`
	CompanyID  string         `json:"company_id"`
	UserID     string         `json:"user_id"`
	Kind       ActorKind      `json:"kind"`
	Name       string         `json:"name"`
	Scopes     []Scope        `json:"scopes"`
	IP         string         `json:"ip,omitempty"`
	LastUsedAt *time.Time     `json:"last_used_at,omitempty"`
	ExpiresAt  *time.Time     `json:"expires_at,omitempty"`
	ProvenAt   *time.Time     `json:"proven_at,omitempty"` // of a session: when its holder last proved who they are
	Networks   []netip.Prefix `json:"networks,omitempty"`
	Templates  []string       `json:"templates,omitempty"`
	Session    string         `json:"session,omitempty"` // shared by the tokens of one sign-in, in all companies
	CreatedAt  time.Time      `json:"created_at"`
}

// linkRecord is a link that was mailed and works once. Its key is the hash of the link's token.
type linkRecord struct {
	Kind      LinkKind   `json:"kind"`
	UserID    string     `json:"user_id"`
	CompanyID string     `json:"company_id,omitempty"`
	Email     string     `json:"email,omitempty"`
	By        string     `json:"by,omitempty"`    // user who invited
	Since     *time.Time `json:"since,omitempty"` // changes made since then are undone
	Shown     bool       `json:"shown,omitempty"` // to somebody other than its addressee, to be handed over
	MadeAt    time.Time  `json:"made_at"`
	ExpiresAt time.Time  `json:"expires_at"`
}

// The collections of this package. The keys of members and tokens begin with the company, so
// that no scan crosses into another.
var (
	users = kv.NewCollection("users", kv.JSON[userRecord](),
		kv.Index[userRecord]{Name: "email", Unique: true, Keys: func(u userRecord) []kv.Key {
			return []kv.Key{kv.K(input.FoldEmail(u.Email))}
		}},
		kv.Index[userRecord]{Name: "address", Counted: true, Keys: func(u userRecord) []kv.Key {
			return []kv.Key{kv.K(everybody, input.FoldEmail(u.Email))}
		}},
		kv.Index[userRecord]{Name: "installation", Keys: func(u userRecord) []kv.Key {
			if !u.Installation {
				return nil
			}
			return []kv.Key{kv.K(u.ID)}
		}})

	companies = kv.NewCollection("companies", kv.JSON[Company](),
		kv.Index[Company]{Name: "name", Counted: true, Keys: func(c Company) []kv.Key {
			return []kv.Key{kv.K(everybody, nameKey(c.Name))}
		}})

	members = kv.NewCollection("members", kv.JSON[memberRecord](),
		kv.Index[memberRecord]{Name: "invited", Keys: func(m memberRecord) []kv.Key {
			if m.Invited == nil {
				return nil
			}
			return []kv.Key{kv.K(m.CompanyID, m.Invited.ID)}
		}},
		kv.Index[memberRecord]{Name: "company", Keys: func(m memberRecord) []kv.Key {
			return []kv.Key{kv.K(m.CompanyID, m.UserID)}
		}},
		kv.Index[memberRecord]{Name: "active", Counted: true, Keys: func(m memberRecord) []kv.Key {
			if !m.active() {
				return nil
			}
			return []kv.Key{kv.K(m.CompanyID)}
		}},
		kv.Index[memberRecord]{Name: "user", Keys: func(m memberRecord) []kv.Key {
			return []kv.Key{kv.K(m.UserID, kv.KeyTime(m.CreatedAt))}
		}})

	tokens = kv.NewCollection("tokens", kv.JSON[tokenRecord](),
		kv.Index[tokenRecord]{Name: "company", Keys: func(t tokenRecord) []kv.Key {
			return []kv.Key{kv.K(t.CompanyID, string(t.Kind), t.UserID, t.ID)}
		}},
		kv.Index[tokenRecord]{Name: "user", Keys: func(t tokenRecord) []kv.Key {
			return []kv.Key{kv.K(t.UserID, string(t.Kind), t.ID)}
		}},
		kv.Index[tokenRecord]{Name: "expires", Keys: func(t tokenRecord) []kv.Key {
			if t.ExpiresAt == nil {
				return nil
			}
			return []kv.Key{kv.K(kv.KeyTime(*t.ExpiresAt))}
		}})

	links = kv.NewCollection("links", kv.JSON[linkRecord](),
		kv.Index[linkRecord]{Name: "reserved", Keys: func(l linkRecord) []kv.Key {
			if l.Kind != LinkUndo {
				return nil
			}
			return []kv.Key{kv.K(input.FoldEmail(l.Email), l.UserID)}
		}},
		kv.Index[linkRecord]{Name: "user", Keys: func(l linkRecord) []kv.Key {
			return []kv.Key{kv.K(l.UserID, string(l.Kind), l.CompanyID)}
		}},
		kv.Index[linkRecord]{Name: "expires", Keys: func(l linkRecord) []kv.Key {
			return []kv.Key{kv.K(kv.KeyTime(l.ExpiresAt))}
		}})
)

// Collections lists everything this package stores, for checking the data folder.
func Collections() []kv.Checker {
	own := []kv.Checker{users, companies, members, tokens, links, answers, logos, consents, passkeys, signIns}
	return append(own, limit.Collections()...) // their expired ones are removed here
}

// everybody is the key prefix of indexes that span the companies.
const everybody = "*"

// nameKey returns the key by which companies are sorted and found.
func nameKey(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return name[:min(len(name), maxNameKey)]
}

// maxNameKey is the number of bytes of a name that count.
const maxNameKey = 200

func memberKey(companyID, userID string) string { return companyID + "/" + userID }

func (m memberRecord) key() string { return memberKey(m.CompanyID, m.UserID) }

func tokenKey(companyID, id string) string { return companyID + "/" + id }

func (t tokenRecord) key() string { return tokenKey(t.CompanyID, t.ID) }

// found turns the store's ErrNotFound into the domain's error.
func found(err error, what string) error {
	if errors.Is(err, kv.ErrNotFound) {
		return fault.NotFound(what).Because(err)
	}
	return err
}

// LoadCompany reads a company inside a transaction of another package. The caller checks
// permissions.
func LoadCompany(tx *kv.Tx, id string) (Company, error) {
	c, err := companies.Get(tx, id)
	return c, found(err, "company")
}

// LoadMember reads a member of a company inside a transaction of another package. A person who
// is not in that company is not found.
func LoadMember(tx *kv.Tx, companyID, userID string) (Member, error) {
	m, err := findMember(tx, companyID, userID)
	if err != nil {
		return Member{}, err
	}
	u, err := users.Get(tx, m.UserID)
	return m.view(u), found(err, "member")
}

// Writer returns a member on whose behalf something is done that they arranged earlier, with the
// rights they have now, and whether they may still change documents. Somebody who is no longer a
// member may not.
func Writer(tx *kv.Tx, companyID, userID string) (who Actor, may bool, err error) {
	m, err := LoadMember(tx, companyID, userID)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		return Actor{}, false, nil
	case err != nil:
		return Actor{}, false, err
	}
	who = Actor{Kind: ActorUser, UserID: m.UserID, CompanyID: companyID, Name: m.Name, Email: m.Email,
		Role: m.Role, Scopes: []Scope{ScopeRead, ScopeWrite}}
	return who, m.Status == MemberActive && m.Role.Allows(ScopeWrite), nil
}

// Works reports whether the credential with which somebody arranged something still works. A
// program's does until its token is revoked or expires; a person's doesn't depend on their session.
func Works(tx *kv.Tx, companyID string, kind ActorKind, tokenID string) (bool, error) {
	if kind != ActorToken {
		return true, nil
	}
	t, err := tokens.Get(tx, tokenKey(companyID, tokenID))
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && (t.ExpiresAt == nil || t.ExpiresAt.After(tx.Now)), err
}

// UserOf returns the ID of the user behind the ID by which a company knows a person.
func UserOf(tx *kv.Tx, companyID, id string) (string, error) {
	m, err := findMember(tx, companyID, id)
	return m.UserID, err
}

// findMember finds a membership by the ID of its user, or by the one used before the user
// joined.
func findMember(tx *kv.Tx, companyID, id string) (memberRecord, error) {
	m, err := members.Get(tx, memberKey(companyID, id))
	if err == nil && m.shownID() == id {
		return m, nil
	}
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return memberRecord{}, err
	}
	err = kv.ErrNotFound
	each := members.Each(tx, "invited", kv.K(companyID, id), func(_ string, known memberRecord) (bool, error) {
		m, err = known, nil
		return false, nil
	})
	return m, found(errors.Join(each, err), "member")
}

// shownID returns the ID by which the company knows a person.
func (m memberRecord) shownID() string {
	if m.JoinedAt == nil && m.Invited != nil {
		return m.Invited.ID
	}
	return m.UserID
}

// CountMembers counts the active members of a company.
func CountMembers(tx *kv.Tx, companyID string) (int, error) {
	return members.Count(tx, "active", kv.K(companyID))
}

// CountCompanies returns the number of companies.
func CountCompanies(tx *kv.Tx) (int, error) {
	return companies.Count(tx, "name", kv.K(everybody))
}

func (u userRecord) view() User {
	return User{
		ID: u.ID, Name: u.Name, Email: u.Email, EmailVerifiedAt: u.EmailVerifiedAt,
		Locale: u.Locale, Timezone: u.Timezone, TwoFactor: u.guarded(),
		AuthenticatorApp: u.TwoFactor.active(), Passkeys: u.Passkeys, RecoveryCodes: u.TwoFactor.recovery(),
		Installation: u.Installation, DeactivatedAt: u.DeactivatedAt, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}
}

func (m memberRecord) view(u userRecord) Member {
	if m.JoinedAt == nil && m.Invited != nil {
		u = userRecord{ID: m.Invited.ID, Name: m.Invited.Name, Email: m.Invited.Email}
	}
	return Member{
		ID: m.shownID(), UserID: m.shownID(), CompanyID: m.CompanyID, Name: u.Name, Email: u.Email, Role: m.Role,
		Status: m.status(), TwoFactor: u.guarded(), InvitedAt: m.InvitedAt, JoinedAt: m.JoinedAt,
		DeactivatedAt: m.DeactivatedAt, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

// records writes users, members and companies.
type records struct {
	live  *liveTokens
	newID func() ulid.ULID
}

// changed clears the token cache once the transaction is committed, so that the next request of
// every caller is looked up again. Changes are rare and a look-up takes microseconds, while a
// mistake about the affected users would grant access.
func (s *records) changed(tx *kv.Tx) { tx.OnCommit(s.live.clear) }

// putUser stores a user and sets the time of the change.
func (s *records) putUser(tx *kv.Tx, u userRecord) error {
	u.UpdatedAt = tx.Now
	s.changed(tx)
	return users.Put(tx, u.ID, u)
}

// putMember stores a membership and sets the time of the change.
func (s *records) putMember(tx *kv.Tx, m memberRecord) error {
	m.UpdatedAt = tx.Now
	s.changed(tx)
	return members.Put(tx, m.key(), m)
}

func (s *records) newUser(tx *kv.Tx, u userRecord) (userRecord, error) {
	u.ID, u.CreatedAt, u.UpdatedAt = s.newID().String(), tx.Now, tx.Now
	u.Locale, u.Timezone = cmp.Or(u.Locale, "en"), cmp.Or(u.Timezone, "UTC")
	return u, users.Put(tx, u.ID, u)
}

// newCompany stores a company with the initial settings.
func (s *records) newCompany(tx *kv.Tx, name, locale, timezone string) (Company, error) {
	c := Company{
		ID: s.newID().String(), Locale: "en", Timezone: "UTC", OnDecline: OnDeclineNotify,
		CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	p := CompanyPatch{Name: &name}
	if locale != "" {
		p.Locale = &locale
	}
	if timezone != "" {
		p.Timezone = &timezone
	}
	if err := p.apply(&c); err != nil {
		return Company{}, err
	}
	return c, companies.Put(tx, c.ID, c)
}
