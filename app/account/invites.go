package account

import (
	"cmp"
	"context"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// Invite is the information shown on the page of a pending invitation: what the company entered,
// and nothing about an account that the person may have.
type Invite struct {
	CompanyID string
	Company   string
	Inviter   string // name of the person who invited, "" if unknown
	Role      Role
	Name      string
	Email     string

	// Theirs means that the person is signed in with the account that the invitation is for. For
	// others, New offers to choose a password, and Known to sign in. If somebody else was shown the
	// link, both are offered, whether or not there is an account.
	Theirs, New, Known bool
}

// CheckInvite reads an invitation without using it. who is the person signed in, if any.
func (s *Companies) CheckInvite(who Call, token string) (in Invite, err error) {
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
		shown := m.view(u)
		in = Invite{CompanyID: c.ID, Company: c.Name, Inviter: l.By, Role: m.Role, Name: shown.Name, Email: shown.Email}
		switch {
		case isTheirs(who, u):
			in.Theirs = true
		case l.Shown:
			in.New, in.Known = true, true
		default:
			in.New = u.unclaimed()
			in.Known = !in.New
		}
		return nil
	})
	return in, err
}

// isTheirs reports whether the actor is signed in with an account.
func isTheirs(who Call, u userRecord) bool { return session(who) == nil && who.UserID == u.ID }

// unclaimed reports whether the address has not been proven yet. The password, if there is one,
// was chosen by somebody else or before that proof.
func (u userRecord) unclaimed() bool { return u.Password == "" || u.EmailVerifiedAt == nil }

// used reports whether an account may be somebody's already: it was signed in to, was imported,
// or belongs to another company. A link that others than its addressee have seen must not open it.
func (u userRecord) used(tx *kv.Tx, company string) (used bool, err error) {
	if u.EmailVerifiedAt != nil || u.PasswordAt != nil || u.SignedInAt != nil || u.Imported || u.guarded() {
		return true, nil
	}
	err = members.Each(tx, "user", kv.K(u.ID), func(_ string, m memberRecord) (bool, error) {
		used = m.JoinedAt != nil || m.CompanyID != company && u.Password != ""
		return !used, nil
	})
	if err != nil || used {
		return used, err
	}
	at, err := lastSignIn(tx, u.ID) // from before SignedInAt was recorded
	return at != nil, err
}

// AcceptInvite uses an invitation: the person joins the company. Somebody who is signed in with
// the account just joins. Otherwise the holder of the link chooses a name and a password, if the
// address was not proven before: everything open under that address is closed, since somebody
// else may have opened it. If others have seen the link, that is only possible for an account that
// nobody has used. All others have to sign in, see [From.Invite].
func (s *Companies) AcceptInvite(ctx context.Context, who Call, token, name, password string) (user User, err error) {
	in, err := s.CheckInvite(who, token)
	if err != nil {
		return User{}, err
	}
	if in.Theirs {
		err = s.db.For(in.CompanyID).Update(func(tx *kv.Tx) error {
			l, u, err := linkUser(tx, LinkInvite, token)
			if err != nil {
				return err
			}
			if err := s.joining.join(tx, l, &u); err != nil {
				return err
			}
			user, err = withCompanies(tx, u)
			return err
		})
		return user, err
	}
	var f fault.Fields
	checkPassword(&f, password, in.Email)
	if name != "" {
		setPerson(&f, "name", &name, &name, in.Email)
	}
	if err := f.Err(); err != nil {
		return User{}, err
	}
	hash, err := s.passwords.hash(ctx, linkTurn(token), password)
	if err != nil {
		return User{}, err
	}
	claim := func(tx *kv.Tx) error {
		user, err = s.claim(tx, token, name, hash)
		return err
	}
	if !in.New || !in.Known { // the link was not shown to the company
		err = s.db.For(in.CompanyID).Update(claim)
		return user, err
	}
	err = s.discretion.run(in.CompanyID, func(tx *kv.Tx) (bool, error) { return false, claim(tx) })
	return user, err
}

func errSignInToJoin() *fault.Error { return fault.Forbidden("sign_in_to_join") }

// claim opens an account for the holder of an invitation, who joins the company.
func (s *Companies) claim(tx *kv.Tx, token, name, hash string) (User, error) {
	l, u, err := linkUser(tx, LinkInvite, token)
	if err != nil {
		return User{}, err
	}
	taken := !u.unclaimed()
	if l.Shown {
		taken, err = u.used(tx, l.CompanyID)
	}
	switch {
	case err != nil:
		return User{}, err
	case taken && l.Shown:
		return User{}, elsewhere{errSignInToJoin()}
	case taken:
		return User{}, errSignInToJoin()
	}
	u.Password, u.PasswordAt, u.Name = hash, new(tx.Now), cmp.Or(name, u.Name)
	err = errors.Join(dropFactors(tx, &u), s.joining.tokens.revokeAll(tx, u.ID, "", "", ""), s.joining.join(tx, l, &u))
	if err != nil {
		return User{}, err
	}
	return withCompanies(tx, u)
}

// joining makes people members of the companies that invited them.
type joining struct {
	records *records
	tokens  *tokenStore
	links   *linkStore
}

// join uses an invitation of a person who has shown that the account is theirs.
func (s *joining) join(tx *kv.Tx, l linkRecord, u *userRecord) error {
	m, err := members.Get(tx, memberKey(l.CompanyID, u.ID))
	if errors.Is(err, kv.ErrNotFound) || err == nil && m.status() != MemberInvited {
		return errLink()
	}
	if err != nil {
		return err
	}
	u.proveAddress(l, tx.Now)
	m.JoinedAt, m.JoinsAtSignIn = new(tx.Now), false
	return errors.Join(s.links.drop(tx, u.ID, LinkInvite, l.CompanyID), s.records.putUser(tx, *u), s.records.putMember(tx, m))
}

// atSignIn makes a person who signs in a member of the company whose invitation they have opened,
// and of those that chose their first password. An invitation of somebody else, or one that no
// longer works, is ignored.
func (s *joining) atSignIn(tx *kv.Tx, u *userRecord, invite string) error {
	var waiting []memberRecord
	err := members.Each(tx, "user", kv.K(u.ID), func(_ string, m memberRecord) (bool, error) {
		if m.JoinsAtSignIn {
			waiting = append(waiting, m)
		}
		return true, nil
	})
	for _, m := range waiting {
		if m.JoinsAtSignIn = false; m.JoinedAt == nil {
			m.JoinedAt = new(tx.Now)
		}
		err = errors.Join(err, s.records.putMember(tx, m))
	}
	if err != nil || invite == "" {
		return err
	}
	l, holder, err := linkUser(tx, LinkInvite, invite)
	switch {
	case fault.KindOf(err) == fault.KindInvalid || err == nil && holder.ID != u.ID:
		return nil
	case err != nil:
		return err
	}
	return s.join(tx, l, u)
}

// signedIn records the first time that somebody signs in to an account.
func (u *userRecord) signedIn(now time.Time) {
	if u.SignedInAt == nil {
		u.SignedInAt = &now
	}
}
