package account

import (
	"context"
	"errors"
	"slices"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// From describes where a call comes from, and for a login what the browser brought along.
type From struct {
	IP        string
	UserAgent string
	Device    string // the marks of earlier sign-ins kept by the browser, see [Devices.RememberDevice]
	Invite    string // token of an invitation that the person accepts by signing in
}

// Login checks an e-mail address and password, and the code of an authenticator
// app (or a recovery code) if the person uses one. It returns the person and, for
// each company, a fresh bearer token. A wrong address and a wrong password result
// in the same [fault.ErrUnauthenticated] after the same time; a missing or wrong
// code is a fault of the field "code", reported only after the correct password.
func (s *Authentication) Login(ctx context.Context, email, password, code string, from From) (User, error) {
	u, upgraded, attempt, err := s.firstStep(ctx, email, password, from)
	if err != nil {
		return User{}, err
	}
	second, err := s.secondStep(u, code, from)
	if err != nil {
		return User{}, err
	}
	user, err := s.letIn(u, proof{code: code}, upgraded, from)
	if err == nil {
		attempt.succeeded()
		second.succeeded()
	}
	return user, err
}

// secondStep counts a code entered with the password.
func (s *Authentication) secondStep(u userRecord, code string, from From) (attempt, error) {
	if !u.guarded() || code == "" {
		return attempt{}, nil
	}
	return s.attempts.countCode(u.Email, from)
}

// firstStep checks a password and returns its user, and a new hash of it if the
// stored one is outdated. The attempt is counted.
func (s *Authentication) firstStep(
	ctx context.Context, email, password string, from From,
) (u userRecord, upgraded string, a attempt, err error) {
	var f fault.Fields
	if input.FoldEmail(email) == "" {
		f.Required("email")
	}
	if password == "" {
		f.Required("password")
	}
	if err := f.Err(); err != nil {
		return u, "", a, err
	}
	if a, err = s.attempts.count(email, from); err != nil {
		return u, "", a, err
	}
	if u, err = s.checkPassword(ctx, email, password, from); err != nil {
		if fault.KindOf(err) != fault.KindUnauthenticated {
			a.takeBack() // nothing was checked
		}
		return u, "", a, err
	}
	if s.passwords.outdated(u.Password) {
		upgraded, err = s.passwords.hash(ctx, s.attempts.turn(email, from), password)
	}
	return u, upgraded, a, err
}

// checkPassword returns the active user with that address and password.
func (s *Authentication) checkPassword(ctx context.Context, email, password string, from From) (userRecord, error) {
	var u userRecord
	err := s.db.View(func(tx *kv.Tx) (err error) {
		_, u, err = users.Lookup(tx, "email", kv.K(input.FoldEmail(email)))
		return err
	})
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return userRecord{}, err
	}
	ok, err := s.passwords.verify(ctx, s.attempts.turn(email, from), password, u.Password)
	if err != nil {
		return userRecord{}, err
	}
	switch {
	case !ok:
		s.signInLog.refused(u, ByPassword, WrongPassword, from)
		return userRecord{}, fault.NotAccepted("credentials_wrong")
	case u.DeactivatedAt != nil:
		s.signInLog.refused(u, ByPassword, Deactivated, from)
		return userRecord{}, fault.NotAccepted("credentials_wrong")
	}
	return u, nil
}

// letIn issues the tokens for the user as they were when the password was checked.
func (s *Authentication) letIn(checked userRecord, p proof, upgraded string, from From) (user User, err error) {
	how := ByPassword
	err = s.db.Update(func(tx *kv.Tx) error {
		u, err := users.Get(tx, checked.ID)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return fault.Unauthenticated().Because(err)
		case err != nil:
			return err
		case u.Password != checked.Password || u.DeactivatedAt != nil:
			return fault.Unauthenticated().Because(errInactive)
		}
		before := u
		if how, err = s.prove(tx, &u, p); err != nil {
			return err
		}
		if upgraded != "" {
			u.Password = upgraded
		}
		if u.Fresh {
			u.Fresh = false
			if err := s.links.drop(tx, u.ID, LinkSetup, ""); err != nil {
				return err
			}
		}
		u.signedIn(tx.Now)
		if err := s.joining.atSignIn(tx, &u, from.Invite); err != nil {
			return err
		}
		if u != before {
			if err := users.Put(tx, u.ID, u); err != nil {
				return err
			}
		}
		if user, err = s.withTokens(tx, u, from); err != nil {
			return err
		}
		return s.signInLog.signedIn(tx, user, how, from)
	})
	err = s.codes.noted(checked.ID, err)
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code != "two_factor_required" {
		why := WrongProof
		if errors.Is(err, errInactive) {
			why = Deactivated
		}
		s.signInLog.refused(checked, how, why, from)
	}
	return user, err
}

// proof is presented in addition to the password or, for a passkey that verified its holder,
// instead of it.
type proof struct {
	code    string
	passkey *usedPasskey
}

// prove checks the proof and returns how the person signs in. A code cannot be used again.
func (s *Authentication) prove(tx *kv.Tx, u *userRecord, p proof) (how Method, err error) {
	switch {
	case p.passkey != nil:
		return p.passkey.method(), p.passkey.note(tx)
	case !u.guarded():
		return ByPassword, nil
	}
	how = ByCode
	before := u.TwoFactor.recovery()
	next, err := s.codes.use(tx, *u, p.code)
	if err != nil {
		return how, err
	}
	if u.TwoFactor = next; next.recovery() < before {
		how = ByRecoveryCode
	}
	return how, nil
}

// withTokens returns the user with a new session, which has a token for every company.
func (s *Authentication) withTokens(tx *kv.Tx, u userRecord, from From) (User, error) {
	user, err := withCompanies(tx, u)
	if err != nil {
		return User{}, err
	}
	if len(user.Companies) == 0 {
		return User{}, fault.Unauthenticated().Because(errInactive)
	}
	session := s.tokens.newID().String()
	for i, c := range user.Companies {
		if err := s.tokens.trimSessions(tx, c.ID, u.ID); err != nil {
			return User{}, err
		}
		t, err := s.tokens.issue(tx, tokenRecord{
			CompanyID: c.ID, UserID: u.ID, Kind: ActorUser, Name: clip(from.UserAgent, 200), Scopes: Scopes(),
			IP: from.IP, ExpiresAt: new(tx.Now.Add(s.lifetime)), ProvenAt: new(tx.Now), Session: session,
		})
		if err != nil {
			return User{}, err
		}
		user.Companies[i].Token = t.Secret
	}
	return user, nil
}

// withCompanies returns a user with the companies of which they are an active member.
func withCompanies(tx *kv.Tx, u userRecord) (User, error) {
	user := u.view()
	user.Companies = []UserCompany{}
	err := members.Each(tx, "user", kv.K(u.ID), func(_ string, m memberRecord) (bool, error) {
		if !m.active() {
			return true, nil
		}
		c, err := companies.Get(tx, m.CompanyID)
		if err != nil {
			return false, err
		}
		user.Companies = append(user.Companies, UserCompany{ID: c.ID, Name: c.Name, Role: m.Role, Limited: c.RequireTwoFactor && !u.guarded()})
		return true, nil
	})
	return user, err
}

func hasScope(who Call, scope Scope) bool { return slices.Contains(who.Scopes, scope) }

// clip cuts a text to at most n bytes, at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
