package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// showLink lets somebody else see a link before its addressee does, as the outbox would.
func (h *house) showLink(m account.Mail) {
	h.t.Helper()
	if err := h.db.Update(func(tx *kv.Tx) error { return account.LinkShown(tx, m.Link) }); err != nil {
		h.t.Fatal(err)
	}
}

// invite invites somebody to a company on behalf of its owner, and returns the message.
func (h *house) invite(boss account.Call, email string) account.Mail {
	h.t.Helper()
	must[account.Member](h.t)(h.Companies.InviteMember(h.t.Context(), boss, account.MemberInput{Email: email, Name: "As Typed"}))
	return h.mail(account.MailInvite, email)
}

// TestALinkThatOthersHaveSeenOpensNoAccountInUse walks the accounts that an invitation may be for: a company that reads
// its link gets into none that somebody may be using, and sees no difference before it tries.
func TestALinkThatOthersHaveSeenOpensNoAccountInUse(t *testing.T) {
	t.Parallel()
	const bob = "bob@example.org"
	for name, x := range map[string]struct {
		make  func(h *house, b account.Company, evil account.Call)
		opens bool // with the link that the company has seen
		reads bool // whoever reads the mail chooses a password with a link that nobody else has seen
	}{
		"nobody": {func(*house, account.Company, account.Call) {}, true, true},
		"invited by another company": {func(h *house, b account.Company, _ account.Call) {
			h.invite(h.as("owner@example.org"), bob)
		}, true, true},
		"a member of another company": {func(h *house, b account.Company, _ account.Call) {
			h.add(b, bob, account.RoleMember)
		}, false, false},
		"given a password by another company": {func(h *house, _ account.Company, _ account.Call) {
			must[account.Member](h.t)(h.Companies.InviteMember(h.t.Context(), h.as("owner@example.org"), account.MemberInput{Email: bob, Password: password}))
		}, false, true},
		"signed in, and removed since": {func(h *house, _ account.Company, _ account.Call) {
			owner := h.as("owner@example.org")
			must[account.Member](h.t)(h.Companies.InviteMember(h.t.Context(), owner, account.MemberInput{Email: bob, Password: password}))
			u := must[account.User](h.t)(h.Authentication.Login(h.t.Context(), bob, password, "", here))
			must[any](h.t)(nil, h.Companies.RemoveMember(owner, u.ID))
		}, false, true},
		"joined another company with its link": {func(h *house, _ account.Company, _ account.Call) {
			m := h.invite(h.as("owner@example.org"), bob)
			h.showLink(m)
			must[account.User](h.t)(h.Companies.AcceptInvite(h.t.Context(), account.Call{}, m.Data["token"], "Bob", password))
		}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, shown := range []bool{true, false} {
				h := open(t)
				a, b := h.company("A"), h.company("B")
				h.add(a, "evil@example.org", account.RoleOwner)
				h.add(b, "owner@example.org", account.RoleOwner)
				evil := h.as("evil@example.org")
				x.make(h, b, evil)
				m := h.invite(evil, bob)
				if m.Name != "As Typed" || m.Locale != a.Locale {
					t.Errorf("the message tells of an account: %+v", m)
				}
				want := x.reads
				if shown {
					h.showLink(m)
					want = x.opens
				}
				in := must[account.Invite](t)(h.Companies.CheckInvite(account.Call{}, m.Data["token"]))
				if in.Name != "As Typed" || shown && (!in.New || !in.Known) {
					t.Errorf("the page tells of an account: %+v", in)
				}
				u, err := h.Companies.AcceptInvite(t.Context(), account.Call{}, m.Data["token"], "", "the chosen horse")
				if want != (err == nil) || err != nil && fault.CodeOf(err) != "sign_in_to_join" {
					t.Errorf("shown %v: got %v", shown, err)
				}
				if _, err := h.Authentication.Login(t.Context(), bob, "the chosen horse", "", here); want != (err == nil) {
					t.Errorf("shown %v: signing in with the chosen password: %v", shown, err)
				}
				if want && (u.EmailVerifiedAt != nil) == shown {
					t.Errorf("shown %v: the address counts as proven: %v", shown, u.EmailVerifiedAt)
				}
			}
		})
	}
}

// TestSigningInAcceptsAnInvitation also covers people whom no company has as a member, and links of others.
func TestSigningInAcceptsAnInvitation(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "boss@example.org", account.RoleOwner)
	h.add(b, "owner@example.org", account.RoleOwner)
	bob := h.add(b, "bob@example.org", account.RoleMember)
	h.add(b, "ben@example.org", account.RoleMember)
	must[any](t)(nil, h.Companies.RemoveMember(h.as("owner@example.org"), bob.ID))
	m := h.invite(h.as("boss@example.org"), "bob@example.org")
	h.showLink(m)
	from := account.From{IP: "192.0.2.9", Invite: m.Data["token"]}
	if u := must[account.User](t)(h.Authentication.Login(t.Context(), "ben@example.org", password, "", from)); len(u.Companies) != 1 {
		t.Errorf("somebody else has joined with the link: %+v", u.Companies)
	}
	u := must[account.User](t)(h.Authentication.Login(t.Context(), "bob@example.org", password, "", from))
	if len(u.Companies) != 1 || u.Companies[0].ID != a.ID {
		t.Errorf("got %+v", u.Companies)
	}
	if h.actor(u.Companies[0].Token).AddressProven {
		t.Error("a link that the company has seen proves the address")
	}
	must[account.User](t)(h.Authentication.Login(t.Context(), "bob@example.org", password, "", from)) // it is used up
}

// TestACompanyFindsFewAccountsWithItsLinks lets a company try links that it has seen.
func TestACompanyFindsFewAccountsWithItsLinks(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "evil@example.org", account.RoleOwner)
	evil := h.as("evil@example.org")
	var all []account.Mail
	for i := range 15 {
		email := fmt.Sprintf("p%d@example.org", i)
		h.add(b, email, account.RoleMember)
		all = append(all, h.invite(evil, email))
		h.showLink(all[i])
	}
	found := 0
	for _, m := range all {
		_, err := h.Companies.AcceptInvite(t.Context(), account.Call{}, m.Data["token"], "", "the chosen horse")
		if fault.CodeOf(err) == "sign_in_to_join" {
			found++
		} else {
			wantKind(t, err, fault.KindThrottled, "")
		}
	}
	if found != 10 {
		t.Errorf("%d accounts were found in a day", found)
	}
}

// TestWhatProvesAnAddress uses every link that leads into an account, seen by nobody else and by somebody.
func TestWhatProvesAnAddress(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(h *house, ann account.Call, see func(account.Mail) string) error{
		"verification": func(h *house, ann account.Call, see func(account.Mail) string) error {
			must[any](h.t)(h.Reverify(h.t.Context(), ann, ""))
			_, err := h.Profile.VerifyEmail(see(h.mail(account.MailVerifyEmail, ann.Email)))
			return err
		},
		"a new password": func(h *house, ann account.Call, see func(account.Mail) string) error {
			must[any](h.t)(nil, h.ForgotPassword(h.t.Context(), ann.Email, here))
			return h.Authentication.ResetPassword(h.t.Context(), see(h.mail(account.MailReset, ann.Email)), account.Reset{Password: password + "2"})
		},
		"undoing": func(h *house, ann account.Call, see func(account.Mail) string) error {
			must[any](h.t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "T"}))
			reset, err := h.Authentication.Undo(see(h.mail(account.MailTokenCreated, ann.Email)))
			return errors.Join(err, h.Authentication.ResetPassword(h.t.Context(), reset, account.Reset{Password: password + "2"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, shown := range []bool{false, true} {
				h := open(t)
				h.add(h.company("A"), "boss@example.org", account.RoleOwner)
				must[account.Member](t)(h.Companies.InviteMember(t.Context(), h.as("boss@example.org"), account.MemberInput{Email: "ann@example.org", Password: password}))
				ann := h.as("ann@example.org")
				if ann.AddressProven {
					t.Error("the company's word proves the address")
				}
				err := use(h, ann, func(m account.Mail) string {
					if m.Company != "" {
						t.Errorf("the company's administrators could read %s", m.Kind)
					}
					if shown {
						h.showLink(m)
					}
					return m.Data["token"]
				})
				if err != nil {
					t.Fatal(err)
				}
				pass := password + "2"
				if name == "verification" {
					pass = password
				}
				if got := h.actor(h.login("ann@example.org", pass)); got.AddressProven == shown {
					t.Errorf("shown %v: the address counts as proven: %v", shown, got.AddressProven)
				}
			}
		})
	}
}

// TestTheThiefsNoticeDoesNotEndTheOwners has a stolen session change the address and then the password.
func TestTheThiefsNoticeDoesNotEndTheOwners(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	thief := h.as("ann@example.org")
	must[any](t)(h.Reverify(t.Context(), thief, "thief@example.org"))
	must[account.User](t)(h.Profile.VerifyEmail(h.mail(account.MailVerifyEmail, "thief@example.org").Data["token"]))
	owners := h.mail(account.MailEmailChanged, "ann@example.org").Data["token"]
	h.advance(time.Minute)
	must[account.User](t)(h.Profile.UpdateMe(t.Context(), thief, account.MePatch{Password: new("the thief's"), CurrentPassword: password}))
	thiefs := h.mail(account.MailPassword, "thief@example.org").Data["token"]
	h.advance(time.Minute)
	reset := must[string](t)(h.Authentication.Undo(thiefs))
	must[any](t)(nil, h.Authentication.ResetPassword(t.Context(), reset, account.Reset{Password: "the thief's"}))
	h.advance(time.Minute)
	reset = must[string](t)(h.Authentication.Undo(owners))
	must[any](t)(nil, h.Authentication.ResetPassword(t.Context(), reset, account.Reset{Password: "the owner's"}))
	h.login("ann@example.org", "the owner's")
	_, err := h.Authentication.Undo(thiefs)
	wantFields(t, err, "token")
}

// TestSigningOutEndsTheSessionEverywhere has the tokens of one sign-in, and one that was made by switching, end together.
func TestSigningOutEndsTheSessionEverywhere(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(b, "ann@example.org", account.RoleMember)
	u := must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, "", here))
	other := h.login("ann@example.org", password)
	first := h.actor(u.Companies[0].Token)
	switched := must[account.Token](t)(h.Authentication.SwitchCompany(first, b.ID))
	renewed := must[account.Token](t)(h.Authentication.RenewSession(first))
	must[any](t)(nil, h.Authentication.Logout(h.actor(renewed.Secret)))
	for name, token := range map[string]string{"renewed": renewed.Secret, "of the other company": u.Companies[1].Token, "switched to": switched.Secret} {
		h.refused(token, name)
	}
	h.actor(other)
}

// TestPatientGuessingOfCodesEnds tries a few codes at a time, through every way in, over a day.
func TestPatientGuessingOfCodesEnds(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(h.actor(bearer)))
	recovery := must[[]string](t)(h.Authentication.ConfirmTwoFactor(h.actor(bearer), code(t, setup.Secret, h.now())))
	checked := 0
	for i := range 80 {
		h.advance(6 * time.Minute)
		var err error
		switch i % 3 {
		case 0:
			_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, "000000", account.From{IP: fmt.Sprintf("198.51.100.%d", i)})
		case 1:
			_, err = h.Authentication.Prove(t.Context(), h.actor(bearer), account.Proof{Code: "000000"})
		case 2:
			err = h.Authentication.DisableTwoFactor(t.Context(), h.actor(bearer), "", "000000")
		}
		if fault.KindOf(err) == fault.KindInvalid {
			checked++
		} else {
			wantKind(t, err, fault.KindThrottled, "")
		}
	}
	if checked != 50 {
		t.Errorf("%d codes were checked in a day", checked)
	}
	h.mail(account.MailCodesTried, "ann@example.org")
	_, err := h.Authentication.Login(t.Context(), "ann@example.org", password, code(t, setup.Secret, h.now()), here)
	wantKind(t, err, fault.KindThrottled, "")
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, recovery[0], here))
	h.advance(24 * time.Hour)
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, code(t, setup.Secret, h.now()), here))
}
