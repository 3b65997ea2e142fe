package account

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/limit"
	"paraph/kv"
)

// MemberInput is a person to add to a company. With a password, a person without an account can
// log in immediately, for installations without mail; without one they are sent a link.
type MemberInput struct {
	Name     string
	Email    string
	Role     Role // "" is member
	Locale   string
	Password string
}

func (in MemberInput) check(who Call) error {
	var f fault.Fields
	input.CheckEmail(&f, "email", in.Email)
	name, locale := in.Name, in.Locale
	if name != "" {
		setPerson(&f, "name", &name, &name, in.Email)
	}
	if locale != "" {
		input.SetLocale(&f, "locale", &locale, &locale)
	}
	if in.Password != "" {
		checkPassword(&f, in.Password, in.Email)
	}
	checkRole(&f, who, in.Role)
	return f.Err()
}

// checkRole adds a fault if the actor may not assign the role.
func checkRole(f *fault.Fields, who Call, r Role) {
	switch {
	case !r.Valid():
		f.Selected("role")
	case r == RoleOwner && !who.IsOwner():
		f.Add("role", "owner_required")
	}
}

// InviteMember adds a person to the company. Repeating a pending invitation sends a new link
// and invalidates the old one.
func (s *Companies) InviteMember(ctx context.Context, who Call, in MemberInput) (m Member, err error) {
	if err := staff(who, ScopeAdmin); err != nil {
		return Member{}, err
	}
	in.Name, in.Email, in.Role = strings.TrimSpace(in.Name), strings.TrimSpace(in.Email), cmp.Or(in.Role, RoleMember)
	if err := in.check(who); err != nil {
		return Member{}, err
	}
	if in.Role.Allows(ScopeAdmin) || in.Password != "" {
		if err := s.provenSession(who); err != nil {
			return Member{}, err
		}
	}
	hash := ""
	if in.Password != "" {
		if hash, err = s.passwords.hash(ctx, memberTurn(who), in.Password); err != nil {
			return Member{}, err
		}
	}
	full, err := s.full(who.CompanyID)
	if err != nil {
		return Member{}, err
	}
	err = s.discretion.run(who.CompanyID, func(tx *kv.Tx) (found bool, err error) {
		if m, found, err = s.addMember(tx, who, in, hash, full); err != nil {
			return false, err
		}
		return found, who.Once.Done(tx, m.UserID)
	})
	return m, err
}

// disclosures is how many times a day a company may find that somebody outside has an
// address. The response does not say so, but signing in with the password it set would, and so
// would choosing one with an invitation that it was shown. After that neither is possible until
// the next day.
const disclosures = 10

// discretion limits how often a company may find that somebody outside has an address.
type discretion struct {
	db         *kv.DB
	perCompany *limit.Limiter
	today      *limit.Daily // the same, for restarts not to clear them
}

// elsewhere is the refusal of an address that somebody outside the company had recently.
type elsewhere struct{ error }

// run runs a transaction that reports whether somebody outside the company has the
// address, and counts it if so. If the address is refused, it must not have written anything.
func (s *discretion) run(company string, add func(tx *kv.Tx) (found bool, err error)) error {
	if _, wait, ok := s.perCompany.Allow(company); !ok {
		return fault.Throttled(disclosures, wait)
	}
	var disclosed error
	found := false
	err := s.db.For(company).Update(func(tx *kv.Tx) error {
		wait, err := s.today.Wait(tx, company)
		if err != nil || wait > 0 {
			return cmp.Or(err, error(fault.Throttled(disclosures, wait)))
		}
		found, err = add(tx)
		if known, ok := errors.AsType[elsewhere](err); ok {
			disclosed, found, err = known.error, true, nil
		}
		if err == nil && found {
			_, err = s.today.Spend(tx, company)
		}
		return err
	})
	if err != nil || !found {
		s.perCompany.Refund(company)
	}
	return cmp.Or(err, disclosed)
}

// full reports whether a company has as many members as it may have. It counts outside a
// transaction, as it reads them all.
func (s *Companies) full(company string) (bool, error) {
	n := 0
	err := s.db.View(func(tx *kv.Tx) error {
		return members.Each(tx, "company", kv.K(company), func(string, memberRecord) (bool, error) {
			n++
			return n < s.most, nil
		})
	})
	return s.most > 0 && n >= s.most, err
}

// addMember adds a person to the company. found reports that a password was set for somebody who
// has an account already: it has no effect, and they join with an invitation. Somebody new joins
// at the first sign-in. The company sees no difference until then.
func (s *Companies) addMember(
	tx *kv.Tx, who Call, in MemberInput, hash string, full bool,
) (m Member, found bool, err error) {
	company, err := LoadCompany(tx, who.CompanyID)
	if err != nil {
		return Member{}, false, err
	}
	u, known, err := s.personFor(tx, in, company, hash)
	if err != nil {
		return Member{}, false, err
	}
	record, err := members.Get(tx, memberKey(company.ID, u.ID))
	switch {
	case err == nil && (record.status() != MemberInvited || hash != ""):
		return Member{}, false, fault.Invalid("email", "taken")
	case errors.Is(err, kv.ErrNotFound) && full:
		return Member{}, false, fault.Conflict("company_full")
	case errors.Is(err, kv.ErrNotFound):
		record = memberRecord{CompanyID: company.ID, UserID: u.ID, InvitedAt: new(tx.Now), CreatedAt: tx.Now}
	case err != nil:
		return Member{}, false, err
	}
	record.Role = in.Role
	record.name(s.newID().String(), in)
	if err := s.tellOfAdministrator(tx, who, company, record, in.Email); err != nil {
		return Member{}, false, err
	}
	if hash != "" {
		record.JoinsAtSignIn = !known
	} else if err := s.sendInvite(tx, who, company, u.ID, in); err != nil {
		return Member{}, false, err
	}
	if err := s.records.putMember(tx, record); err != nil {
		return Member{}, false, err
	}
	record.UpdatedAt = tx.Now
	return record.view(u), known && hash != "", nil
}

// name records how somebody was invited, under the identifier used for them until they join.
func (m *memberRecord) name(id string, in MemberInput) {
	if m.Invited != nil {
		id = m.Invited.ID
	}
	m.Invited = &invited{ID: id, Name: cmp.Or(in.Name, nameFrom(in.Email)), Email: in.Email}
}

// tellOfAdministrator notifies the owners of a company that there is a new administrator.
func (s *Companies) tellOfAdministrator(tx *kv.Tx, who Call, c Company, m memberRecord, email string) error {
	if !m.Role.Allows(ScopeAdmin) || m.DeactivatedAt != nil {
		return nil
	}
	return s.messages.tellOwners(tx, c.ID, MailAdministrator, map[string]string{"company": c.Name, "inviter": who.Name, "email": email})
}

// personFor returns the user with that address and whether they are known, creating one if
// necessary. Only a new user can be given a password: the administrator of one company must not
// set the password of a member of another. An address that may still be restored to its previous owner is
// that of this person: the invitation goes to the address, and only they can accept it.
func (s *Companies) personFor(tx *kv.Tx, in MemberInput, c Company, hash string) (u userRecord, known bool, err error) {
	_, u, err = users.Lookup(tx, "email", kv.K(input.FoldEmail(in.Email)))
	if err == nil || !errors.Is(err, kv.ErrNotFound) {
		return u, true, err
	}
	switch previous, err := previousOwner(tx, in.Email, ""); {
	case err != nil:
		return userRecord{}, false, err
	case previous != "": // The address is theirs until it can't be restored; the company sees no difference.
		u, err := users.Get(tx, previous)
		return u, true, err
	}
	u, err = s.records.newUser(tx, userRecord{
		Name: cmp.Or(in.Name, nameFrom(in.Email)), Email: in.Email, Password: hash,
		Locale: cmp.Or(in.Locale, c.Locale), Timezone: c.Timezone, MadeBy: c.ID,
	})
	return u, false, err
}

// nameFrom makes a first name for a person known only by address.
func nameFrom(email string) string {
	local, _, _ := strings.Cut(email, "@")
	return local
}

// sendInvite writes to somebody with what the company entered: the message must not show that they
// have an account, or its name and language.
func (s *Companies) sendInvite(tx *kv.Tx, who Call, c Company, userID string, in MemberInput) error {
	u := userRecord{ID: userID, Name: cmp.Or(in.Name, nameFrom(in.Email)), Email: in.Email, Locale: cmp.Or(in.Locale, c.Locale)}
	if wait, err := s.messages.countMail(tx, LinkInvite+LinkKind(" "+c.ID), u.Email); err != nil || wait > 0 {
		return cmp.Or(err, error(fault.Throttled(dailyMails, wait)))
	}
	if err := s.links.drop(tx, u.ID, LinkInvite, c.ID); err != nil {
		return err
	}
	token, expires, err := s.links.create(tx, linkRecord{Kind: LinkInvite, UserID: u.ID, CompanyID: c.ID, Email: u.Email, By: who.Name}, inviteLifetime)
	if err != nil {
		return err
	}
	return s.messages.sendFrom(tx, c.ID, MailInvite, u, u.Email, map[string]string{
		"token": token, "expires_at": until(expires), "company": c.Name, "inviter": who.Name,
	})
}

// MemberPatch holds the changes to a membership; nil leaves a value unchanged.
type MemberPatch struct {
	Role   *Role
	Active *bool // false: deactivated
}

// UpdateMember changes the role of a member or (de)activates them, effective immediately:
// tokens of a deactivated member are revoked.
func (s *Companies) UpdateMember(who Call, id string, p MemberPatch) (Member, error) {
	if err := staff(who, ScopeAdmin); err != nil {
		return Member{}, err
	}
	var member Member
	err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		m, err := manage(tx, who, id)
		if err != nil {
			return err
		}
		if p.Role != nil {
			var f fault.Fields
			checkRole(&f, who, *p.Role)
			if err := f.Err(); err != nil {
				return err
			}
		}
		before := m
		if err := s.change(tx, &m, p); err != nil {
			return err
		}
		if err := s.opens(tx, who, before, m); err != nil {
			return err
		}
		if err := s.records.putMember(tx, m); err != nil {
			return err
		}
		member, err = LoadMember(tx, who.CompanyID, id)
		return err
	})
	return member, err
}

// opens requires a proof of identity if a change restores somebody's access or makes them an
// administrator, and notifies the owners of the latter.
func (s *Companies) opens(tx *kv.Tx, who Call, before, after memberRecord) error {
	raised := after.Role.Allows(ScopeAdmin) && rank(after.Role) < rank(before.Role)
	back := before.DeactivatedAt != nil && after.DeactivatedAt == nil
	if !raised && !back {
		return nil
	}
	if err := s.provenSession(who); err != nil {
		return err
	}
	company, err := LoadCompany(tx, after.CompanyID)
	if err != nil {
		return err
	}
	u, err := users.Get(tx, after.UserID)
	if err != nil {
		return found(err, "user")
	}
	return s.tellOfAdministrator(tx, who, company, after, after.view(u).Email)
}

func (s *Companies) change(tx *kv.Tx, m *memberRecord, p MemberPatch) error {
	before := *m
	if p.Role != nil {
		m.Role = *p.Role
	}
	if p.Active != nil {
		switch {
		case *p.Active:
			m.DeactivatedAt = nil
		case m.DeactivatedAt == nil:
			m.DeactivatedAt = new(tx.Now)
		}
	}
	if before.owns() && !m.owns() {
		if err := keepsOwner(tx, before); err != nil {
			return err
		}
	}
	if m.DeactivatedAt == nil {
		return nil
	}
	return errors.Join(s.tokens.revokeAll(tx, m.UserID, m.CompanyID, "", ""), s.links.drop(tx, m.UserID, LinkInvite, m.CompanyID))
}

// RemoveMember removes a member from the company, or lets them leave. Their documents stay.
func (s *Companies) RemoveMember(who Call, id string) error {
	if err := staff(who, ScopeRead); err != nil {
		return err
	}
	leaving := who.Kind == ActorUser && id == who.UserID
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		m, err := manage(tx, who, id)
		if err != nil {
			return err
		}
		if !leaving {
			if err := staff(who, ScopeAdmin); err != nil {
				return err
			}
		}
		if m.owns() {
			if err := keepsOwner(tx, m); err != nil {
				return err
			}
		}
		s.records.changed(tx)
		return errors.Join(
			s.tokens.revokeAll(tx, m.UserID, m.CompanyID, "", ""), s.links.drop(tx, m.UserID, LinkInvite, m.CompanyID),
			members.Delete(tx, m.key()),
		)
	})
}

// manage loads a membership that the actor may change: an owner's only if the
// actor is an owner.
func manage(tx *kv.Tx, who Call, id string) (memberRecord, error) {
	m, err := findMember(tx, who.CompanyID, id)
	if err != nil {
		return memberRecord{}, err
	}
	if m.Role == RoleOwner && !who.IsOwner() && m.UserID != who.UserID {
		return memberRecord{}, fault.Forbidden("role_not_allowed.owner")
	}
	return m, nil
}

func (m memberRecord) owns() bool { return m.Role == RoleOwner && m.active() }

// keepsOwner refuses a change that would leave a company without an owner.
func keepsOwner(tx *kv.Tx, leaving memberRecord) error {
	others := 0
	err := members.Each(tx, "company", kv.K(leaving.CompanyID), func(_ string, m memberRecord) (bool, error) {
		if m.owns() && m.UserID != leaving.UserID {
			others++
		}
		return others == 0, nil
	})
	if err == nil && others == 0 {
		err = fault.Conflict("last_owner")
	}
	return err
}
