package account_test

import (
	"fmt"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/limit"
)

// enrolled adds a person who has an authenticator app, and returns its secret and
// the recovery codes.
func (h *house) enrolled(t *testing.T, email string) (secret string, recovery []string) {
	t.Helper()
	h.add(h.company("A"), email, account.RoleOwner)
	who := h.as(email)
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(who))
	recovery = must[[]string](t)(h.Authentication.ConfirmTwoFactor(who, code(t, setup.Secret, h.now())))
	h.advance(30 * time.Second)
	return setup.Secret, recovery
}

func TestSignInInTwoSteps(t *testing.T) {
	t.Parallel()
	h := open(t)
	secret, recovery := h.enrolled(t, "ann@example.org")
	from := account.From{IP: "192.0.2.1"}

	_, err := h.Authentication.BeginSignIn(t.Context(), "ann@example.org", "wrong", from)
	wantKind(t, err, fault.KindUnauthenticated, "")
	step := must[account.SignIn](t)(h.Authentication.BeginSignIn(t.Context(), "ann@example.org", password, from))
	if step.Pending == "" || len(step.User.Companies) != 0 {
		t.Fatalf("the password alone lets in: %+v", step)
	}
	_, err = h.Authentication.FinishSignIn("made up", code(t, secret, h.now()), from)
	wantKind(t, err, fault.KindUnauthenticated, "")
	_, err = h.Authentication.FinishSignIn(step.Pending, "000000", from)
	wantFields(t, err, "code")
	if again, ok := h.Authentication.CheckPending(step.Pending); !ok || again.Pending != step.Pending || !again.App || again.Passkey {
		t.Errorf("after one wrong code: %+v, %v", again, ok)
	}
	u := must[account.User](t)(h.Authentication.FinishSignIn(step.Pending, code(t, secret, h.now()), from))
	h.actor(u.Companies[0].Token)
	_, err = h.Authentication.FinishSignIn(step.Pending, recovery[0], from)
	wantKind(t, err, fault.KindUnauthenticated, "")

	step = must[account.SignIn](t)(h.Authentication.BeginSignIn(t.Context(), "ann@example.org", password, from))
	must[account.User](t)(h.Authentication.FinishSignIn(step.Pending, recovery[0], from))
}

func TestSignInWithoutASecondStep(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	step := must[account.SignIn](t)(h.Authentication.BeginSignIn(t.Context(), "ann@example.org", password, account.From{}))
	if step.Pending != "" {
		t.Errorf("got %+v", step)
	}
	h.actor(step.User.Companies[0].Token)
}

// TestWhatEndsAPendingSignIn lets one sign-in time out before its code is entered, and changes the
// password during another.
func TestWhatEndsAPendingSignIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	secret, _ := h.enrolled(t, "ann@example.org")
	begin := func() string {
		return must[account.SignIn](t)(h.Authentication.BeginSignIn(t.Context(), "ann@example.org", password, account.From{})).Pending
	}
	late := begin()
	h.advance(11 * time.Minute)
	_, err := h.Authentication.FinishSignIn(late, code(t, secret, h.now()), account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")

	changed := begin()
	if err := h.Operator.SetPassword(t.Context(), "ann@example.org", "another password", false); err != nil {
		t.Fatal(err)
	}
	_, err = h.Authentication.FinishSignIn(changed, code(t, secret, h.now()), account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")
}

func TestCodesCannotBeGuessed(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 4 })
	secret, _ := h.enrolled(t, "ann@example.org")
	pending := must[account.SignIn](t)(h.Authentication.BeginSignIn(t.Context(), "ann@example.org", password, account.From{})).Pending
	for i := range 4 {
		_, err := h.Authentication.FinishSignIn(pending, "000000", account.From{IP: fmt.Sprintf("192.0.2.%d", i)})
		wantFields(t, err, "code")
	}
	_, err := h.Authentication.FinishSignIn(pending, code(t, secret, h.now()), account.From{})
	wantKind(t, err, fault.KindThrottled, "")
}

func TestRenewSession(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.TokenLifetime = time.Hour })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	h.advance(59 * time.Minute)
	renewed := must[account.Token](t)(h.Authentication.RenewSession(h.actor(bearer)))
	h.refused(bearer, "the session that was renewed")
	h.advance(59 * time.Minute)
	who := h.actor(renewed.Secret)
	if want := h.now().Add(time.Minute); !who.Until.Equal(want) {
		t.Errorf("it runs out at %v, want %v", who.Until, want)
	}
	_, err := h.Profile.CreateToken(who, account.TokenInput{Name: "ci"})
	wantKind(t, err, fault.KindForbidden, "proof_required")
	who = must[account.Call](t)(h.Authentication.Prove(t.Context(), who, account.Proof{Password: password}))
	token := must[account.Token](t)(h.Profile.CreateToken(who, account.TokenInput{Name: "ci"}))
	_, err = h.Authentication.RenewSession(h.actor(token.Secret))
	wantKind(t, err, fault.KindForbidden, "session_required")
}

func TestEndOtherSessions(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(b, "ann@example.org", account.RoleMember)
	other := must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, "", account.From{}))
	mine := h.as("ann@example.org")
	token := must[account.Token](t)(h.Profile.CreateToken(mine, account.TokenInput{Name: "ci"}))
	if err := h.Authentication.EndOtherSessions(mine); err != nil {
		t.Fatal(err)
	}
	for _, c := range other.Companies {
		h.refused(c.Token, "a session elsewhere, in "+c.Name)
	}
	h.actor(token.Secret)
	if list, err := h.Authentication.ListSessions(mine, account.TokenQuery{}); err != nil || list.Total != 1 || list.Items[0].ID != mine.TokenID {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestTheLinkToSetupIsGivenAnewUntilItIsUsed(t *testing.T) {
	t.Parallel()
	h := open(t)
	if open, err := h.Operator.SetupOpen(t.Context()); err != nil || open {
		t.Errorf("an empty store: %v, %v", open, err)
	}
	b, _, err := h.Operator.Bootstrap(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	again := must[string](t)(h.Operator.SetupLink(t.Context()))
	wantFields(t, h.Operator.CheckSetup(b.Setup), "token")
	if open, err := h.Operator.SetupOpen(t.Context()); err != nil || !open {
		t.Errorf("before: %v, %v", open, err)
	}
	_, err = h.Operator.Setup(t.Context(), again, account.SetupInput{Company: "A", Name: "Ann", Email: "ann@example.org", Password: password})
	if err != nil {
		t.Fatal(err)
	}
	if open, err := h.Operator.SetupOpen(t.Context()); err != nil || open {
		t.Errorf("after: %v, %v", open, err)
	}
	if token := must[string](t)(h.Operator.SetupLink(t.Context())); token != "" {
		t.Error("a link is given when it is closed")
	}
}

func TestInvitationsTellWhoInvited(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	must[account.Member](t)(h.Companies.InviteMember(t.Context(), h.as("ann@example.org"), account.MemberInput{Email: "ben@example.org", Role: account.RoleApprover}))
	in := must[account.Invite](t)(h.Companies.CheckInvite(account.Call{}, h.mail(account.MailInvite, "ben@example.org").Data["token"]))
	if in.Inviter != "ann" || in.Role != account.RoleApprover || in.CompanyID != a.ID || !in.New {
		t.Errorf("got %+v", in)
	}
}

func TestCheckVerification(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	must[limit.Rate](t)(h.Reverify(t.Context(), h.as("ann@example.org"), "new@example.org"))
	token := h.mail(account.MailVerifyEmail, "new@example.org").Data["token"]
	for range 2 {
		if email, err := h.Profile.CheckVerification(token); err != nil || email != "new@example.org" {
			t.Errorf("got %q, %v", email, err)
		}
	}
	must[account.User](t)(h.Profile.VerifyEmail(token))
	_, err := h.Profile.CheckVerification(token)
	wantFields(t, err, "token")
}
