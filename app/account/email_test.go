package account_test

import (
	"fmt"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/limit"
)

func TestReverifyIsSixAMinute(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "ann@example.org", account.RoleOwner)
	h.add(c, "bob@example.org", account.RoleMember)
	ann := h.as("ann@example.org")
	for left := 5; left >= 0; left-- {
		rate, err := h.Reverify(t.Context(), ann, "")
		if err != nil || rate != (limit.Rate{Limit: 6, Remaining: left}) {
			t.Errorf("got %+v, %v, want %d left", rate, err, left)
		}
	}
	_, err := h.Reverify(t.Context(), ann, "")
	wantKind(t, err, fault.KindThrottled, "")
	if _, err := h.Reverify(t.Context(), h.as("bob@example.org"), ""); err != nil {
		t.Errorf("users share the limit: %v", err)
	}
	if got := h.mailCount(); got != 7 {
		t.Errorf("%d messages, want 7", got)
	}
	h.advance(time.Minute)
	if _, err := h.Reverify(t.Context(), ann, ""); err != nil {
		t.Error(err)
	}
}

func TestVerifyingMovesToANewAddress(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "ann@example.org", account.RoleOwner)
	h.add(c, "bob@example.org", account.RoleMember)
	ann := h.as("ann@example.org")

	_, err := h.Reverify(t.Context(), ann, "Bob@example.org")
	wantFields(t, err, "email")
	_, err = h.Reverify(t.Context(), ann, "nonsense")
	wantFields(t, err, "email")
	made := must[account.Token](t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "CI"}))
	_, err = h.Reverify(t.Context(), h.actor(made.Secret), "thief@example.org")
	wantKind(t, err, fault.KindForbidden, "session_required")

	if _, err := h.Reverify(t.Context(), ann, "new@example.org"); err != nil {
		t.Fatal(err)
	}
	if me, err := h.Profile.Me(ann); err != nil || me.Email != "ann@example.org" {
		t.Errorf("moved before it was verified: %+v, %v", me, err)
	}
	link := h.mail(account.MailVerifyEmail, "new@example.org").Data["token"]
	u, err := h.Profile.VerifyEmail(link)
	if err != nil || u.Email != "new@example.org" || u.EmailVerifiedAt == nil {
		t.Fatalf("got %+v, %v", u, err)
	}
	if got := h.mail(account.MailEmailChanged, "ann@example.org").Data["email"]; got != "new@example.org" {
		t.Errorf("the old address was told of %q", got)
	}
	_, err = h.Profile.VerifyEmail(link)
	wantFields(t, err, "token")
	h.login("new@example.org", password)
}

func TestVerifyRefusesWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	ask := func(email string) string {
		t.Helper()
		if _, err := h.Reverify(t.Context(), ann, email); err != nil {
			t.Fatal(err)
		}
		return h.mail(account.MailVerifyEmail, email).Data["token"]
	}
	late := ask("late@example.org")
	h.advance(24 * time.Hour)
	ann = must[account.Call](t)(h.Authentication.Prove(t.Context(), ann, account.Proof{Password: password}))
	taken := ask("taken@example.org")
	h.add(c, "taken@example.org", account.RoleMember)
	if err := h.ForgotPassword(t.Context(), "ann@example.org", account.From{}); err != nil {
		t.Fatal(err)
	}
	reset := h.mail(account.MailReset, "ann@example.org").Data["token"]
	for _, token := range []string{"", "nonsense", late, reset} {
		_, err := h.Profile.VerifyEmail(token)
		wantFields(t, err, "token")
	}
	_, err := h.Profile.VerifyEmail(taken)
	wantKind(t, err, fault.KindConflict, "email_taken")
}

func TestForgottenPasswords(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	made := must[account.Token](t)(h.Profile.CreateToken(h.actor(bearer), account.TokenInput{Name: "CI"}))
	for _, email := range []string{"nobody@example.org", "ANN@example.org", "ann@example.org"} {
		if err := h.ForgotPassword(t.Context(), email, account.From{IP: "192.0.2.1"}); err != nil {
			t.Errorf("%s: %v", email, err)
		}
	}
	if got := h.mailCount(); got != 3 { // one of them reports the token
		t.Errorf("%d messages, want 2", got)
	}
	link := h.mail(account.MailReset, "ann@example.org").Data["token"]
	if _, err := h.Authentication.CheckReset(link); err != nil {
		t.Error(err)
	}
	wantFields(t, h.Authentication.ResetPassword(t.Context(), link, account.Reset{Password: "short"}), "password")
	wantFields(t, h.Authentication.ResetPassword(t.Context(), "nonsense", account.Reset{Password: "another horse"}), "token")
	if err := h.Authentication.ResetPassword(t.Context(), link, account.Reset{Password: "another horse"}); err != nil {
		t.Fatal(err)
	}
	wantFields(t, h.Authentication.ResetPassword(t.Context(), link, account.Reset{Password: "a third horse"}), "token")
	h.refused(bearer, "a session from before")
	h.actor(made.Secret)
	h.login("ann@example.org", "another horse")
	h.mail(account.MailPassword, "ann@example.org")
	_, err := h.Authentication.Login(t.Context(), "ann@example.org", password, "", account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")
}

func TestResetLinksRunOutAndEndEachOther(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ask := func() string {
		t.Helper()
		if err := h.ForgotPassword(t.Context(), "ann@example.org", account.From{}); err != nil {
			t.Fatal(err)
		}
		return h.mail(account.MailReset, "ann@example.org").Data["token"]
	}
	late := ask()
	h.advance(time.Hour)
	first, second := ask(), ask()
	wantFields(t, h.Authentication.ResetPassword(t.Context(), late, account.Reset{Password: "another horse"}), "token")
	if err := h.Authentication.ResetPassword(t.Context(), first, account.Reset{Password: "another horse"}); err != nil {
		t.Error(err)
	}
	wantFields(t, h.Authentication.ResetPassword(t.Context(), second, account.Reset{Password: "a third horse"}), "token")
}

func TestForgottenPasswordsAreThrottled(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, tt := range []struct{ email, ip string }{{"ann@example.org", "192.0.2.1"}, {"ann@example.org", "192.0.2.2"}, {"bob@example.org", "192.0.2.3"}} {
		h.Reset()
		for range 5 {
			if err := h.ForgotPassword(t.Context(), tt.email, account.From{IP: tt.ip}); err != nil {
				t.Error(err)
			}
		}
		wantKind(t, h.ForgotPassword(t.Context(), tt.email, account.From{IP: "192.0.2.9"}), fault.KindThrottled, "")
	}
	wantFields(t, h.ForgotPassword(t.Context(), "", account.From{}), "email")
}

// TestOneAddressGetsFewMailsADay requests messages for one address from many networks and as
// several users.
func TestOneAddressGetsFewMailsADay(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	users := []string{"ann@example.org", "bob@example.org"}
	for _, email := range append(users, "victim@example.org") {
		h.add(c, email, account.RoleMember)
	}
	count := func(kind account.MailKind) (n int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, m := range h.mails {
			if m.Kind == kind {
				n++
			}
		}
		return n
	}
	for i := range 23 * 6 {
		from := account.From{IP: fmt.Sprintf("192.0.%d.%d", i/250, i%250)}
		if err := h.ForgotPassword(t.Context(), "Victim@example.org", from); err != nil {
			wantKind(t, err, fault.KindThrottled, "")
		}
		if _, err := h.Reverify(t.Context(), h.as(users[i%2]), "Nobody@example.org"); err != nil {
			wantKind(t, err, fault.KindThrottled, "")
		}
		h.advance(10 * time.Minute)
	}
	for kind, want := range map[account.MailKind]int{account.MailReset: 20, account.MailVerifyEmail: 20} {
		if got := count(kind); got != want {
			t.Errorf("%d messages %s in a day, want %d", got, kind, want)
		}
	}
	h.advance(time.Hour + time.Minute)
	if err := h.ForgotPassword(t.Context(), "victim@example.org", account.From{IP: "192.0.2.1"}); err != nil {
		t.Errorf("the day after: %v", err)
	}
}
