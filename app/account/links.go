package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// LinkKind is the purpose of a mailed link.
type LinkKind string

// The kinds of links, each of which works once.
const (
	LinkVerify LinkKind = "verify" // proves that an address is read by its user
	LinkReset  LinkKind = "reset"  // chooses a new password
	LinkInvite LinkKind = "invite" // joins a company
	LinkSetup  LinkKind = "setup"  // names the first administrator
	LinkUndo   LinkKind = "undo"   // reverts changes to a person's credentials
)

// How long links work.
const (
	verifyLifetime = 24 * time.Hour
	resetLifetime  = time.Hour
	inviteLifetime = 7 * 24 * time.Hour
	undoLifetime   = 7 * 24 * time.Hour
	setupLifetime  = 10 * 365 * 24 * time.Hour // until the appliance is set up
)

// linkSize is 256 bits: as hard to guess as the hash is to invert.
const linkSize = 32

// linkKey returns the key of a link's record. The token itself is not stored; a
// plain hash is enough for 256 random bits.
func linkKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// makeLink records a link and returns its token, which is not stored.
func (s *Service) makeLink(tx *kv.Tx, l linkRecord, lifetime time.Duration) (token string, expires time.Time, err error) {
	secret, err := s.random(linkSize)
	if err != nil {
		return "", time.Time{}, err
	}
	token = base64.RawURLEncoding.EncodeToString(secret)
	l.ExpiresAt = tx.Now.Add(lifetime)
	return token, l.ExpiresAt, links.Put(tx, linkKey(token), l)
}

// errLink returns the same error for every link that does not work, whether it
// never existed, was used, or expired.
func errLink() *fault.Error {
	return fault.Invalid("token", "link_expired")
}

// findLink returns the record of a link that can still be used.
func findLink(tx *kv.Tx, kind LinkKind, token string) (linkRecord, error) {
	if token == "" {
		var f fault.Fields
		f.Required("token")
		return linkRecord{}, f.Err()
	}
	l, err := links.Get(tx, linkKey(token))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return linkRecord{}, errLink().Because(err)
	case err != nil:
		return linkRecord{}, err
	case l.Kind != kind || !l.ExpiresAt.After(tx.Now):
		return linkRecord{}, errLink()
	}
	return l, nil
}

// linkUser returns the user that a link which can still be used is for.
func linkUser(tx *kv.Tx, kind LinkKind, token string) (linkRecord, userRecord, error) {
	l, err := findLink(tx, kind, token)
	if err != nil {
		return linkRecord{}, userRecord{}, err
	}
	u, err := users.Get(tx, l.UserID)
	if errors.Is(err, kv.ErrNotFound) || err == nil && u.DeactivatedAt != nil {
		return linkRecord{}, userRecord{}, errLink()
	}
	return l, u, err
}

// dropLinks removes a user's links of one kind ("" for all kinds), for one
// company or ("") for all.
func (s *Service) dropLinks(tx *kv.Tx, userID string, kind LinkKind, companyID string) error {
	prefix := kv.K(userID)
	if kind != "" {
		prefix = kv.K(userID, string(kind))
	}
	var keys []string
	err := links.Each(tx, "user", prefix, func(key string, l linkRecord) (bool, error) {
		if companyID == "" || l.CompanyID == companyID {
			keys = append(keys, key)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.spendLink(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// spendLink removes a link that was used or replaced, also from stored messages.
func (s *Service) spendLink(tx *kv.Tx, key string) error {
	if s.forget == nil {
		return links.Delete(tx, key)
	}
	return errors.Join(links.Delete(tx, key), s.forget(tx, key))
}

// Invite is the information shown on the page of a pending invitation.
type Invite struct {
	UserID        string
	CompanyID     string
	Company       string
	Inviter       string // name of the person who invited, "" if unknown
	Role          Role
	Name          string
	Email         string
	NeedsPassword bool
}

// CheckInvite reads an invitation without using it.
func (s *Service) CheckInvite(_ context.Context, token string) (in Invite, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		l, u, err := linkUser(tx, LinkInvite, token)
		if err != nil {
			return err
		}
		c, err := LoadCompany(tx, l.CompanyID)
		if err != nil {
			return err
		}
		m, err := members.Get(tx, memberKey(c.ID, u.ID))
		if err != nil {
			return found(err, "member")
		}
		in = Invite{UserID: u.ID, CompanyID: c.ID, Company: c.Name, Inviter: l.By, Role: m.Role, Name: u.Name, Email: u.Email, NeedsPassword: u.unclaimed()}
		return nil
	})
	return in, err
}

// unclaimed reports whether the address has not been proven yet. The password, if there is one,
// was chosen by somebody else or before that proof.
func (u userRecord) unclaimed() bool { return u.Password == "" || u.EmailVerifiedAt == nil }

// AcceptInvite uses an invitation: the person joins the company. A person whose address was not
// proven before chooses a name and a password, and everything open under that address is
// closed, since somebody else may have opened it.
func (s *Service) AcceptInvite(ctx context.Context, token, name, password string) (user User, err error) {
	in, err := s.CheckInvite(ctx, token)
	if err != nil {
		return User{}, err
	}
	hash := ""
	if in.NeedsPassword {
		var f fault.Fields
		checkPassword(&f, password, in.Email)
		if name != "" {
			setName(&f, "name", &name, &name)
		}
		if err := f.Err(); err != nil {
			return User{}, err
		}
		if hash, err = s.passwords.hash(ctx, linkTurn(token), password); err != nil {
			return User{}, err
		}
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		user, err = s.accept(tx, token, name, hash)
		return err
	})
	return user, err
}

func (s *Service) accept(tx *kv.Tx, token, name, hash string) (User, error) {
	l, u, err := linkUser(tx, LinkInvite, token)
	if err != nil {
		return User{}, err
	}
	m, err := members.Get(tx, memberKey(l.CompanyID, u.ID))
	if errors.Is(err, kv.ErrNotFound) || err == nil && m.status() != MemberInvited {
		return User{}, errLink()
	}
	if err != nil {
		return User{}, err
	}
	if err := s.dropLinks(tx, u.ID, LinkInvite, l.CompanyID); err != nil {
		return User{}, err
	}
	if u.unclaimed() {
		if hash == "" {
			return User{}, errLink()
		}
		u.Password, u.Name = hash, cmp.Or(name, u.Name)
		if err := errors.Join(dropFactors(tx, &u), s.revokeAll(tx, u.ID, "", "", "")); err != nil {
			return User{}, err
		}
	}
	if input.FoldEmail(l.Email) == input.FoldEmail(u.Email) && u.EmailVerifiedAt == nil {
		u.EmailVerifiedAt = new(tx.Now)
	}
	m.JoinedAt = new(tx.Now)
	if err := errors.Join(s.putUser(tx, u), s.putMember(tx, m)); err != nil {
		return User{}, err
	}
	return withCompanies(tx, u)
}
