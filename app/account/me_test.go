package account_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
)

func TestMe(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	ann := h.add(a, "ann@example.org", account.RoleViewer)
	me, err := h.Profile.UpdateMe(t.Context(), h.as("ann@example.org"), account.MePatch{
		Name: new(" Ann "), Locale: new("PT-br"), Timezone: new("Europe/Berlin"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if me.ID != ann.ID || me.Name != "Ann" || me.Locale != "pt-BR" || me.Timezone != "Europe/Berlin" || me.TwoFactor || me.EmailVerifiedAt == nil {
		t.Errorf("got %+v", me)
	}
	if len(me.Companies) != 1 || me.Companies[0] != (account.UserCompany{ID: a.ID, Name: "A", Role: account.RoleViewer}) {
		t.Errorf("got companies %+v", me.Companies)
	}
	got, err := h.Profile.Me(h.as("ann@example.org"))
	if err != nil || got.Name != "Ann" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestMeFaults(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	for _, tt := range []struct {
		in     account.MePatch
		fields []string
	}{
		{account.MePatch{Name: new(" "), Locale: new("nowhere!"), Timezone: new("Mars/Base")}, []string{"name", "locale", "timezone"}},
		{account.MePatch{Name: new(strings.Repeat("x", 201)), Timezone: new("Local")}, []string{"name", "timezone"}},
		{account.MePatch{Name: new("a\nb"), Locale: new(""), Timezone: new("")}, []string{"name", "locale", "timezone"}},
		{account.MePatch{Password: new("short"), Name: new("")}, []string{"name", "password", "current_password"}},
		{account.MePatch{Password: new(""), CurrentPassword: password}, []string{"password"}},
		{account.MePatch{Password: new("ANN@example.org"), CurrentPassword: password}, []string{"password"}},
		{account.MePatch{Password: new(strings.Repeat("x", 1025)), CurrentPassword: password}, []string{"password"}},
		{account.MePatch{Password: new("another horse"), CurrentPassword: "wrong horse"}, []string{"current_password"}},
	} {
		_, err := h.Profile.UpdateMe(t.Context(), ann, tt.in)
		wantFields(t, err, tt.fields...)
	}
	h.login("ann@example.org", password)
}

func TestANewPasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	other, own := h.login("ann@example.org", password), h.login("ann@example.org", password)
	made := must[account.Token](t)(h.Profile.CreateToken(h.actor(own), account.TokenInput{Name: "CI", Scopes: account.Scopes()}))
	_, err := h.Profile.UpdateMe(t.Context(), h.actor(made.Secret), account.MePatch{Password: new("another horse"), CurrentPassword: password})
	wantKind(t, err, fault.KindForbidden, "session_required")
	if _, err := h.Profile.UpdateMe(t.Context(), h.actor(own), account.MePatch{Password: new("another horse"), CurrentPassword: password}); err != nil {
		t.Fatal(err)
	}
	h.actor(own)
	h.actor(made.Secret)
	h.refused(other, "another session")
	h.login("ann@example.org", "another horse")
}

func TestTheSamePasswordHoweverItIsTyped(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	if _, err := h.Operator.AddUser(t.Context(), account.UserInput{Email: "zoe@example.org", Password: "Zoë's horse", CompanyID: c.ID}); err != nil {
		t.Fatal(err)
	}
	h.login("zoe@example.org", "Zoe\u0308's horse")
}

func TestGuessingTheCurrentPasswordIsThrottled(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	guess := account.MePatch{Password: new("another horse"), CurrentPassword: "a guess"}
	for range 10 {
		_, err := h.Profile.UpdateMe(t.Context(), ann, guess)
		wantFields(t, err, "current_password")
	}
	_, err := h.Profile.UpdateMe(t.Context(), ann, guess)
	wantKind(t, err, fault.KindThrottled, "")
}

func TestSwitchCompany(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b, c := h.company("A"), h.company("B"), h.company("C")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(b, "ann@example.org", account.RoleViewer)
	ann := h.as("ann@example.org")
	token, err := h.Authentication.SwitchCompany(ann, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.actor(token.Secret); got.CompanyID != b.ID || got.Role != account.RoleViewer {
		t.Errorf("got %+v", got)
	}
	_, err = h.Authentication.SwitchCompany(ann, c.ID)
	wantKind(t, err, fault.KindNotFound, "")
}
