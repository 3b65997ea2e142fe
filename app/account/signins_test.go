package account_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
)

func outcomes(list list.Page[account.SignInEntry]) string {
	var out []string
	for _, e := range list.Items {
		name, _, _ := strings.Cut(e.Email, "@")
		out = append(out, fmt.Sprintf("%s %s %s", name, e.Method, e.Outcome))
	}
	return strings.Join(out, ", ")
}

func TestSignInsAreKept(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 1000 })
	c, other := h.company("A"), h.company("B")
	h.add(c, "ann@example.org", account.RoleOwner)
	h.add(c, "ben@example.org", account.RoleMember)
	h.add(other, "otto@example.org", account.RoleOwner)
	login := func(email, word, code string) (account.User, error) {
		h.advance(1e9)
		return h.Authentication.Login(t.Context(), email, word, code, account.From{IP: "192.0.2.9", UserAgent: "curl"})
	}
	ann := h.actor(must[account.User](t)(login("ann@example.org", password, "")).Companies[0].Token)
	a := newAuthenticator(t)
	codes := h.register(ann, a).RecoveryCodes
	for _, x := range [][3]string{{"ann@example.org", "a secret guess", ""}, {"ann@example.org", password, "999999"}, {"ann@example.org", password, ""},
		{"ann@example.org", password, codes[0]}, {"nobody@example.org", password, ""}, {"ben@example.org", "wrong", ""}, {"otto@example.org", "wrong", ""}} {
		if _, err := login(x[0], x[1], x[2]); err != nil && fault.KindOf(err) == fault.KindInternal {
			t.Fatal(err)
		}
	}
	h.advance(1e9)
	must[account.User](t)(h.passwordless(a))
	own := must[list.Page[account.SignInEntry]](t)(h.Authentication.ListSignIns(ann, false, 0, 50))
	want := "ann passkey ok, ann password+recovery_code ok, ann password+code wrong_second_factor, ann password wrong_password, ann password ok"
	if got := outcomes(own); got != want {
		t.Errorf("own: %s\nwant %s", got, want)
	}
	if e := own.Items[1]; e.IP != "192.0.2.9" || e.UserAgent != "curl" || e.At.IsZero() || e.ID == "" {
		t.Errorf("entry %+v", e)
	}
	for _, e := range own.Items {
		if strings.Contains(fmt.Sprintf("%+v", e), "guess") || strings.Contains(fmt.Sprintf("%+v", e), "999999") {
			t.Errorf("a secret is kept: %+v", e)
		}
	}
	all := must[list.Page[account.SignInEntry]](t)(h.Authentication.ListSignIns(ann, true, 0, 50))
	if got := outcomes(all); !strings.Contains(got, "ben password wrong_password") || strings.Contains(got, "otto") || all.Total != own.Total+1 {
		t.Errorf("company: %s", got)
	}
	if page := must[list.Page[account.SignInEntry]](t)(h.Authentication.ListSignIns(ann, true, 1, 2)); outcomes(page) != strings.Join(strings.Split(outcomes(all), ", ")[1:3], ", ") || page.Total != all.Total {
		t.Errorf("a page: %s", outcomes(page))
	}
	_, err := h.Authentication.ListSignIns(h.as("ben@example.org"), true, 0, 50)
	wantKind(t, err, fault.KindForbidden, "")
}

func TestSignInsAreBounded(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 1000 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	var last string
	for range 110 {
		last = h.login("ann@example.org", password)
	}
	for range 5 {
		_, err := h.Authentication.Login(t.Context(), "ann@example.org", "wrong", "", here)
		wantKind(t, err, fault.KindUnauthenticated, "")
	}
	all := must[list.Page[account.SignInEntry]](t)(h.Authentication.ListSignIns(h.actor(last), true, 0, 200))
	if all.Total != 100 || len(all.Items) != 100 || all.Items[0].Outcome != account.WrongPassword || all.Items[5].Outcome != account.LetIn {
		t.Errorf("%d kept, %d listed, first %+v", all.Total, len(all.Items), all.Items[0])
	}
	if problems := h.db.Check(account.Collections()...); len(problems) != 0 {
		t.Errorf("the store: %v", problems)
	}
}

func TestEndAllSessions(t *testing.T) {
	t.Parallel()
	h := open(t)
	c, other := h.company("A"), h.company("B")
	for _, email := range []string{"ann@example.org", "ben@example.org"} {
		h.add(c, email, account.RoleAdmin)
	}
	h.add(c, "mia@example.org", account.RoleMember)
	h.add(other, "otto@example.org", account.RoleOwner)
	bens, own, otto, mine := h.login("ben@example.org", password), h.login("ann@example.org", password), h.login("otto@example.org", password), h.login("ann@example.org", password)
	program := must[account.Token](t)(h.Profile.CreateToken(h.actor(bens), account.TokenInput{Name: "ci"}))
	_, err := h.Authentication.EndAllSessions(t.Context(), h.actor(h.login("mia@example.org", password)))
	wantKind(t, err, fault.KindForbidden, "")
	if n := must[int](t)(h.Authentication.EndAllSessions(t.Context(), h.actor(mine))); n != 3 {
		t.Errorf("%d sessions ended", n)
	}
	h.refused(bens, "another's session")
	h.refused(own, "one's own other session")
	h.actor(mine)
	h.actor(otto)
	h.actor(program.Secret)
	_, err = h.Authentication.EndAllSessions(t.Context(), h.actor(program.Secret))
	wantKind(t, err, fault.KindForbidden, "session_required")
}
