package account

import (
	"cmp"
	"context"
	"errors"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// Invites lets people accept an invitation to a company.
type Invites struct {
	db        *kv.DB
	records   *records
	tokens    *tokenStore
	links     *linkStore
	passwords *hasher
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
func (s *Invites) CheckInvite(_ context.Context, token string) (in Invite, err error) {
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
func (s *Invites) AcceptInvite(ctx context.Context, token, name, password string) (user User, err error) {
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

func (s *Invites) accept(tx *kv.Tx, token, name, hash string) (User, error) {
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
	if err := s.links.drop(tx, u.ID, LinkInvite, l.CompanyID); err != nil {
		return User{}, err
	}
	if u.unclaimed() {
		if hash == "" {
			return User{}, errLink()
		}
		u.Password, u.Name = hash, cmp.Or(name, u.Name)
		if err := errors.Join(dropFactors(tx, &u), s.tokens.revokeAll(tx, u.ID, "", "", "")); err != nil {
			return User{}, err
		}
	}
	if input.FoldEmail(l.Email) == input.FoldEmail(u.Email) && u.EmailVerifiedAt == nil {
		u.EmailVerifiedAt = new(tx.Now)
	}
	m.JoinedAt = new(tx.Now)
	if err := errors.Join(s.records.putUser(tx, u), s.records.putMember(tx, m)); err != nil {
		return User{}, err
	}
	return withCompanies(tx, u)
}
