package account_test

import (
	"fmt"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/app/list"
)

// stolen is the situation of a thief who found Ann's session open, an hour after she signed in. She
// has an authenticator app and a passkey.
type stolen struct {
	*house
	company account.Company
	ann     account.User
	mate    account.Member
	who     account.Call // the thief
	secret  string
	passkey account.NewPasskey
	token   account.Token    // of a program of hers, in a walk
	begun   account.Ceremony // that she began, in a walk
	planted *authenticator   // of the thief, in a walk
}

func steal(t *testing.T) stolen {
	t.Helper()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 100 })
	s := stolen{house: h, company: h.company("A")}
	s.ann = h.add(s.company, "ann@example.org", account.RoleOwner)
	mate := h.add(s.company, "mate@example.org", account.RoleMember)
	who := h.as("ann@example.org")
	s.mate = must[account.Member](t)(h.Companies.UpdateMember(who, mate.ID, account.MemberPatch{Active: new(false)}))
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(who))
	must[[]string](t)(h.Authentication.ConfirmTwoFactor(who, code(t, setup.Secret, h.now())))
	s.secret, s.passkey = setup.Secret, h.register(who, newAuthenticator(t))
	must[account.Company](t)(h.Companies.UpdateCompany(who, account.CompanyPatch{RequireTwoFactor: new(true)}))
	h.advance(time.Hour)
	s.who = who
	return s
}

// gains returns the ways in which a session could be made permanent or give others access.
func (s stolen) gains(t *testing.T) map[string]func(who account.Call) error {
	ctx := t.Context()
	return map[string]func(who account.Call) error{
		"another address": func(who account.Call) error {
			_, err := s.Reverify(ctx, who, "thief@example.org")
			return err
		},
		"a passkey": func(who account.Call) error {
			_, err := s.Authentication.BeginPasskey(who, site)
			return err
		},
		"the answer of a passkey": func(who account.Call) error {
			_, err := s.Authentication.FinishPasskey(who, "any", "", nil)
			if fault.KindOf(err) == fault.KindInvalid {
				return nil // it was examined, so no proof was required
			}
			return err
		},
		"one passkey less": func(who account.Call) error { return s.Authentication.RemovePasskey(ctx, who, s.passkey.ID, "", "") },
		"an API token": func(who account.Call) error {
			_, err := s.Profile.CreateToken(who, account.TokenInput{Name: "CI"})
			return err
		},
		"an administrator": func(who account.Call) error {
			_, err := s.Companies.InviteMember(ctx, who, account.MemberInput{Email: "accomplice@example.org", Role: account.RoleAdmin})
			return err
		},
		"a member with a password": func(who account.Call) error {
			_, err := s.Companies.InviteMember(ctx, who, account.MemberInput{Email: "pawn@example.org", Password: "another horse"})
			return err
		},
		"a member who was put out": func(who account.Call) error {
			_, err := s.Companies.UpdateMember(who, s.mate.ID, account.MemberPatch{Active: new(true)})
			return err
		},
		"a member who becomes an owner": func(who account.Call) error {
			_, err := s.Companies.UpdateMember(who, s.mate.ID, account.MemberPatch{Role: new(account.RoleOwner)})
			return err
		},
		"no second factor of anybody": func(who account.Call) error {
			_, err := s.Companies.UpdateCompany(who, account.CompanyPatch{RequireTwoFactor: new(false)})
			return err
		},
	}
}

func TestAnOldSessionChangesNothingAboutGettingIn(t *testing.T) {
	t.Parallel()
	s := steal(t)
	for name, gain := range s.gains(t) {
		wantKind(t, gain(s.who), fault.KindForbidden, "proof_required")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	wantFields(t, s.Authentication.DisableTwoFactor(t.Context(), s.who, "", ""), "code")
	_, err := s.Authentication.NewRecoveryCodes(t.Context(), s.who, "", "")
	wantFields(t, err, "code")
	_, err = s.Profile.UpdateMe(t.Context(), s.who, account.MePatch{Password: new("another horse")})
	wantFields(t, err, "current_password")
	// Nothing that a session may do refreshes the proof.
	renewed := must[account.Token](t)(s.Authentication.RenewSession(s.who))
	switched := must[account.Token](t)(s.Authentication.SwitchCompany(s.actor(renewed.Secret), s.company.ID))
	for _, bearer := range []string{renewed.Secret, switched.Secret} {
		_, err = s.Profile.CreateToken(s.actor(bearer), account.TokenInput{Name: "CI"})
		wantKind(t, err, fault.KindForbidden, "proof_required")
	}
}

func TestProofOpensAFewMinutes(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]func(s stolen) account.Proof{
		"password": func(stolen) account.Proof { return account.Proof{Password: password} },
		"code":     func(s stolen) account.Proof { return account.Proof{Code: code(t, s.secret, s.now())} },
		"recovery": func(s stolen) account.Proof {
			codes := must[[]string](t)(s.Authentication.NewRecoveryCodes(t.Context(), s.who, password, ""))
			return account.Proof{Code: codes[0]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := steal(t)
			bearer := must[account.Token](t)(s.Authentication.SwitchCompany(s.who, s.company.ID)).Secret
			must[account.Call](t)(s.Authentication.Prove(t.Context(), s.actor(bearer), p(s)))
			for name, gain := range s.gains(t) {
				if name == "one passkey less" {
					continue // later ones would require it
				}
				if err := gain(s.actor(bearer)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			// The proof belongs to this session only.
			_, err := s.Profile.CreateToken(s.who, account.TokenInput{Name: "CI"})
			wantKind(t, err, fault.KindForbidden, "proof_required")
			s.advance(5 * time.Minute)
			_, err = s.Profile.CreateToken(s.actor(bearer), account.TokenInput{Name: "CI"})
			wantKind(t, err, fault.KindForbidden, "proof_required")
		})
	}
}

func TestProofByPasskey(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	a := newAuthenticator(t)
	bearer := h.login("ann@example.org", password)
	h.register(h.actor(bearer), a)
	h.advance(time.Hour)
	begun := must[account.Ceremony](t)(h.Authentication.BeginPasskeyProof(h.actor(bearer), site))
	who := must[account.Call](t)(h.Authentication.FinishPasskeyProof(h.actor(bearer), begun.ID, a.get(begun.Options)))
	if !h.Authentication.Proven(who) || !h.Authentication.Proven(h.actor(bearer)) {
		t.Error("the passkey has proven nothing")
	}
	h.advance(time.Hour)
	a.verify = false // a key left in the computer
	begun = must[account.Ceremony](t)(h.Authentication.BeginPasskeyProof(h.actor(bearer), site))
	if o := a.read(begun.Options).PublicKey; o.UserVerification != "required" {
		t.Errorf("options %s", begun.Options)
	}
	_, err := h.Authentication.FinishPasskeyProof(h.actor(bearer), begun.ID, a.get(begun.Options))
	wantFields(t, err, "credential")
	a.verify = true
	h.advance(time.Hour)
	login := must[account.Ceremony](t)(h.Authentication.BeginPasskeyLogin(site, "", here))
	_, err = h.Authentication.FinishPasskeyProof(h.actor(bearer), login.ID, a.get(login.Options))
	wantFields(t, err, "ceremony")
}

func TestWrongProofsAreCountedAndDoNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	who := h.as("ann@example.org")
	for range 10 {
		_, err := h.Authentication.Prove(t.Context(), who, account.Proof{Password: "a guess"})
		wantFields(t, err, "current_password")
	}
	_, err := h.Authentication.Prove(t.Context(), who, account.Proof{Password: password})
	wantKind(t, err, fault.KindThrottled, "")
	h.login("ann@example.org", password)
}

func TestATokenProvesEveryRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	made := must[account.Token](t)(h.Profile.CreateToken(h.as("ann@example.org"), account.TokenInput{Name: "CI", Scopes: account.Scopes()}))
	who := h.actor(made.Secret)
	_, err := h.Profile.CreateToken(who, account.TokenInput{Name: "more"})
	wantKind(t, err, fault.KindForbidden, "proof_required")
	proven := must[account.Call](t)(h.Authentication.Prove(t.Context(), who, account.Proof{Password: password}))
	must[account.Token](t)(h.Profile.CreateToken(proven, account.TokenInput{Name: "more"}))
	_, err = h.Profile.CreateToken(h.actor(made.Secret), account.TokenInput{Name: "even more"})
	wantKind(t, err, fault.KindForbidden, "proof_required")
}

func TestASessionIsNotRenewedForEver(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	for range 4 {
		h.advance(6 * 24 * time.Hour)
		bearer = must[account.Token](t)(h.Authentication.RenewSession(h.actor(bearer))).Secret
	}
	who := h.actor(bearer)
	if want := start.Add(30 * 24 * time.Hour); !who.Until.Equal(want) {
		t.Errorf("it ends at %v, want %v", who.Until, want)
	}
	h.advance(6*24*time.Hour + time.Second)
	h.refused(bearer, "a session that nobody has proven for a month")
}

func TestThePersonIsToldOfEveryChange(t *testing.T) {
	t.Parallel()
	s := steal(t)
	bearer := must[account.Token](t)(s.Authentication.SwitchCompany(s.who, s.company.ID)).Secret
	who := must[account.Call](t)(s.Authentication.Prove(t.Context(), s.actor(bearer), account.Proof{Password: password}))
	codes := must[[]string](t)(s.Authentication.NewRecoveryCodes(t.Context(), who, password, ""))
	must[account.Call](t)(s.Authentication.Prove(t.Context(), who, account.Proof{Code: codes[0]}))
	must[account.Token](t)(s.Profile.CreateToken(who, account.TokenInput{Name: "CI"}))
	must[any](t)(nil, s.Authentication.DisableTwoFactor(t.Context(), who, password, ""))
	must[any](t)(nil, s.Authentication.RemovePasskey(t.Context(), who, s.passkey.ID, password, ""))
	must[account.User](t)(s.Profile.UpdateMe(t.Context(), who, account.MePatch{Password: new("another horse"), CurrentPassword: password}))
	must[account.Member](t)(s.Companies.InviteMember(t.Context(), who, account.MemberInput{Email: "new@example.org", Role: account.RoleAdmin}))
	must[limit.Rate](t)(s.Reverify(t.Context(), who, "thief@example.org"))
	must[account.User](t)(s.Profile.VerifyEmail(s.mail(account.MailVerifyEmail, "thief@example.org").Data["token"]))
	for _, kind := range account.Notices() {
		if kind == account.MailCodesTried {
			continue // no change: see TestPatientGuessingOfCodesEnds
		}
		if m := s.mail(kind, "ann@example.org"); m.Data["token"] == "" || m.Data["expires_at"] == "" {
			t.Errorf("%s has no way back: %v", kind, m.Data)
		}
	}
	if m := s.mail(account.MailAdministrator, "ann@example.org"); m.Data["email"] != "new@example.org" || m.Data["company"] != "A" {
		t.Errorf("told %v", m.Data)
	}
}

func TestTheOwnerTakesATakeoverBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "ann@example.org", account.RoleOwner)
	own := newAuthenticator(t)
	before := h.register(h.as("ann@example.org"), own)
	h.advance(time.Hour)
	bearer := must[account.User](t)(h.passwordless(own)).Companies[0].Token
	thief := h.actor(bearer)
	planted := newAuthenticator(t)
	planted.id = []byte("planted")
	h.register(thief, planted)
	told := h.mail(account.MailPasskeyAdded, "ann@example.org")
	made := must[account.Token](t)(h.Profile.CreateToken(thief, account.TokenInput{Name: "back door"}))
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(thief))
	must[[]string](t)(h.Authentication.ConfirmTwoFactor(thief, code(t, setup.Secret, h.now())))
	for _, address := range []string{"thief@example.org", "thief2@example.org"} {
		must[limit.Rate](t)(h.Reverify(t.Context(), thief, address))
		must[account.User](t)(h.Profile.VerifyEmail(h.mail(account.MailVerifyEmail, address).Data["token"]))
	}
	// The old address can't be taken in the meantime, and who tries sees no difference to an unknown one.
	h.add(h.company("B"), "boss@example.net", account.RoleOwner)
	boss := h.as("boss@example.net")
	invite := func(address string) account.Member {
		return must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: address, Name: "Ann"}))
	}
	old, unknown := invite("ann@example.org"), invite("unknown@example.org")
	unknown.Email, unknown.ID, unknown.UserID, unknown.InvitedAt = old.Email, old.ID, old.UserID, old.InvitedAt
	if fmt.Sprintf("%+v", old) != fmt.Sprintf("%+v", unknown) {
		t.Errorf("the company sees\n%+v and of somebody unknown\n%+v", old, unknown)
	}
	_, err := h.Companies.AcceptInvite(t.Context(), account.Call{}, h.mail(account.MailInvite, "ann@example.org").Data["token"], "Ann", "another horse")
	wantKind(t, err, fault.KindForbidden, "sign_in_to_join")

	if email := must[string](t)(h.Authentication.CheckUndo(told.Data["token"])); email != "ann@example.org" {
		t.Errorf("it would go back to %q", email)
	}
	reset := must[string](t)(h.Authentication.Undo(told.Data["token"]))
	h.refused(bearer, "the stolen session")
	h.refused(made.Secret, "a token that was made with it")
	_, err = h.passwordless(planted)
	wantKind(t, err, fault.KindUnauthenticated, "")
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, "", here)
	wantKind(t, err, fault.KindUnauthenticated, "")
	for _, link := range []string{told.Data["token"], h.mail(account.MailEmailChanged, "thief@example.org").Data["token"]} {
		_, err = h.Authentication.Undo(link)
		wantFields(t, err, "token")
	}

	must[any](t)(nil, h.Authentication.ResetPassword(t.Context(), reset, account.Reset{Password: "a new horse"}))
	h.advance(time.Minute)
	c1 := must[account.Ceremony](t)(h.Authentication.BeginPasskeyAfterPassword(t.Context(), site, "ann@example.org", "a new horse", here))
	u := must[account.User](t)(h.Authentication.FinishPasskeyLogin(c1.ID, own.get(c1.Options), here))
	keys := must[[]account.Passkey](t)(h.Authentication.ListPasskeys(h.actor(u.Companies[0].Token)))
	if len(keys) != 1 || keys[0].ID != before.ID || u.AuthenticatorApp || u.Email != "ann@example.org" {
		t.Errorf("what is left: %+v, %+v", u, keys)
	}
	must[account.User](t)(h.passwordless(own))
	if errs := h.db.Check(account.Collections()...); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestAPasskeyDoesNotOutliveTheResetOfAPassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	planted := newAuthenticator(t)
	h.register(h.actor(bearer), planted)
	made := must[account.Token](t)(h.Profile.CreateToken(h.actor(bearer), account.TokenInput{Name: "back door"}))
	must[any](t)(nil, h.ForgotPassword(t.Context(), "ann@example.org", account.From{}))
	link := h.mail(account.MailReset, "ann@example.org").Data["token"]
	left := must[account.Outlasting](t)(h.Authentication.CheckReset(link))
	if len(left.Passkeys) != 1 || len(left.Tokens) != 1 {
		t.Errorf("outlasting: %+v", left)
	}
	must[any](t)(nil, h.Authentication.ResetPassword(t.Context(), link, account.Reset{Password: "another horse", RevokeTokens: true}))
	h.refused(made.Secret, "a token that was to end")
	_, err := h.passwordless(planted)
	wantKind(t, err, fault.KindForbidden, "passkey_needs_password")

	// After being used once with the new password, the passkey is enough on its own again.
	h.advance(time.Minute)
	c := must[account.Ceremony](t)(h.Authentication.BeginPasskeyAfterPassword(t.Context(), site, "ann@example.org", "another horse", here))
	must[account.User](t)(h.Authentication.FinishPasskeyLogin(c.ID, planted.get(c.Options), here))
	must[account.User](t)(h.passwordless(planted))
}

func TestStrangersDoNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	h.add(h.company("B"), "ben@example.org", account.RoleOwner)
	kept := must[string](t)(h.Authentication.RememberDevice("ann@example.org", ""))
	kept = must[string](t)(h.Authentication.RememberDevice("ben@example.org", kept))
	office := account.From{IP: "198.51.100.7"}
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, "", office))
	throttled := 0
	for i := range 200 {
		_, err := h.Authentication.Login(t.Context(), "ann@example.org", "a guess", "", account.From{IP: addressOf(i)})
		if fault.KindOf(err) == fault.KindThrottled {
			throttled++
		}
	}
	if throttled != 100 {
		t.Errorf("%d of 200 guesses from everywhere were refused unseen, want 100", throttled)
	}
	for _, from := range []account.From{{IP: "203.0.113.200", Device: kept}, {IP: addressOf(1), Device: kept}, office} {
		if _, err := h.Authentication.Login(t.Context(), "ann@example.org", password, "", from); err != nil {
			t.Errorf("the owner is locked out: %v", err)
		}
	}
	// A browser's mark belongs to one account and does not allow more guesses on others.
	foreign := must[string](t)(h.Authentication.RememberDevice("ben@example.org", ""))
	for _, device := range []string{"", foreign, "x.y", kept[:20]} {
		_, err := h.Authentication.Login(t.Context(), "ann@example.org", password, "", account.From{IP: "203.0.113.201", Device: device})
		wantKind(t, err, fault.KindThrottled, "")
	}
	for range 10 {
		_, err := h.Authentication.Login(t.Context(), "ben@example.org", "a guess", "", account.From{IP: "203.0.113.9", Device: kept})
		wantKind(t, err, fault.KindUnauthenticated, "")
	}
	_, err := h.Authentication.Login(t.Context(), "ben@example.org", password, "", account.From{IP: "203.0.113.9", Device: kept})
	wantKind(t, err, fault.KindThrottled, "")
}

func TestAnInvitationShowsNoMoreThanWasTyped(t *testing.T) {
	t.Parallel()
	h := open(t)
	known := h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	must[account.User](t)(h.Profile.UpdateMe(t.Context(), h.as("ann@example.org"), account.MePatch{Name: new("Ann Secret")}))
	ann := h.as("ann@example.org")
	h.register(ann, newAuthenticator(t))
	b := h.company("B")
	h.add(b, "boss@example.net", account.RoleOwner)
	boss := h.as("boss@example.net")
	for _, email := range []string{"ANN@example.org", "nobody@example.org"} {
		m := must[account.Member](t)(h.Companies.InviteMember(t.Context(), boss, account.MemberInput{Email: email, Name: "A. N. Other"}))
		got := must[account.Member](t)(h.Companies.GetMember(boss, m.ID))
		for _, m := range []account.Member{m, got} {
			if m.Name != "A. N. Other" || m.Email != email || m.TwoFactor || m.ID == known.ID || m.UserID != m.ID || m.Status != account.MemberInvited {
				t.Errorf("shows %+v", m)
			}
		}
	}
	_, err := h.Companies.GetMember(boss, known.ID)
	wantKind(t, err, fault.KindNotFound, "")
	for search, want := range map[string]int{"Secret": 0, "other": 2} {
		list := must[list.Page[account.Member]](t)(h.Companies.ListMembers(boss, account.MemberQuery{Search: search}))
		if list.Total != want {
			t.Errorf("a search for %s finds %d", search, list.Total)
		}
	}
	// After joining, a person is also found under the identifier from before.
	invited := must[list.Page[account.Member]](t)(h.Companies.ListMembers(boss, account.MemberQuery{Search: "ann"})).Items[0]
	must[account.User](t)(h.Companies.AcceptInvite(t.Context(), ann, h.mail(account.MailInvite, "ANN@example.org").Data["token"], "", ""))
	for _, id := range []string{known.ID, invited.ID} {
		if m := must[account.Member](t)(h.Companies.GetMember(boss, id)); m.ID != known.ID || m.Name != "Ann Secret" || !m.TwoFactor {
			t.Errorf("after joining: %+v", m)
		}
	}
	if errs := h.db.Check(account.Collections()...); len(errs) > 0 {
		t.Error(errs)
	}
}
