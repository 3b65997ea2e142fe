package api_test

import (
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

func TestPasskeyEndpoints(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.BaseURL = "https://sign.example.org" })
	s.URL = "http://" + s.Addr().String()
	c := s.Company(t)
	begun := c.Post(t, "/me/passkeys/begin", nil).Want(t, 200)
	if begun.Text(t, "options.publicKey.rp.id") != "sign.example.org" || begun.Text(t, "options.publicKey.challenge") == "" {
		t.Errorf("options %s", begun.Body)
	}
	failed(t, c.Post(t, "/me/passkeys", obj{"ceremony": begun.Text(t, "ceremony"), "credential": obj{"id": "x"}}), 422, "credential")
	failed(t, c.Post(t, "/me/passkeys", obj{"ceremony": begun.Text(t, "ceremony"), "credential": obj{"id": "x"}}), 422, "ceremony")
	if r := c.Get(t, "/me/passkeys").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("listed %s", r.Body)
	}
	login := s.Anonymous().Post(t, "/login/passkey/begin", nil).Want(t, 200)
	if login.Text(t, "options.publicKey.userVerification") != "required" {
		t.Errorf("options %s", login.Body)
	}
	failed(t, s.Anonymous().Post(t, "/login/passkey", obj{"ceremony": login.Text(t, "ceremony"), "credential": obj{}}), 422, "credential")
	failed(t, s.Anonymous().Post(t, "/login/passkey/begin", obj{"email": c.Email, "password": "wrong"}), 401)
	failed(t, s.Anonymous().Post(t, "/login/passkey/begin", obj{"email": c.Email, "password": apptest.Password}), 409, "no_passkey")
	failed(t, server(t).Company(t).Post(t, "/me/passkeys/begin", nil), 409, "passkeys_need_a_name")
}

// withApp enables two-factor login for a caller.
func withApp(t testing.TB, c *apptest.Client) (codes []any) {
	t.Helper()
	secret := c.Post(t, "/me/two-factor", obj{}).Want(t, 200).Text(t, "secret")
	now, _ := c.Test.Time("")
	code, err := totp.GenerateCode(secret, now)
	if err != nil {
		t.Fatal(err)
	}
	return c.Post(t, "/me/two-factor", obj{"code": code}).Want(t, 200).At(t, "recovery_codes").(list)
}

func TestTwoFactorRequiredByCompany(t *testing.T) {
	t.Parallel()
	c := company(t)
	m := c.Member(t, account.RoleMember)
	d := draft(t, m, 1).Text(t, "id")
	failed(t, m.Patch(t, "/company", obj{"require_two_factor": true}), 403)
	failed(t, c.Patch(t, "/company", obj{"require_two_factor": true}), 409, "two_factor_needed_first")
	codes := withApp(t, c)
	if r := c.Get(t, "/me").Want(t, 200); r.Int(t, "recovery_codes") != 10 || r.At(t, "two_factor") != true {
		t.Errorf("me: %s", r.Body)
	}
	if r := c.Patch(t, "/company", obj{"require_two_factor": true}).Want(t, 200); r.At(t, "require_two_factor") != true {
		t.Errorf("company: %s", r.Body)
	}
	for _, path := range []string{"/documents", "/documents/" + d, "/company", "/members", "/tokens", "/contacts", "/me/sign-ins"} {
		failed(t, m.Get(t, path), 403, "two_factor_required_by_company")
	}
	failed(t, m.Post(t, "/documents", obj{"title": "No"}), 403, "two_factor_required_by_company")
	failed(t, m.Post(t, "/documents/"+d+"/send", nil), 403, "two_factor_required_by_company")
	if r := m.Get(t, "/me").Want(t, 200); r.At(t, "companies.0.two_factor_missing") != true {
		t.Errorf("me: %s", r.Body)
	}
	withApp(t, m)
	m.Get(t, "/documents/"+d).Want(t, 200)
	failed(t, c.Post(t, "/me/recovery-codes", obj{}), 422, "code")
	fresh := c.Post(t, "/me/recovery-codes", obj{"code": codes[0]}).Want(t, 200)
	if n := len(fresh.At(t, "recovery_codes").(list)); n != 10 {
		t.Errorf("%d codes", n)
	}
}

func TestSignInEndpoints(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	m := c.Member(t, account.RoleMember)
	failed(t, s.Anonymous().Post(t, "/login", obj{"email": m.Email, "password": "wrong"}, "User-Agent", "a browser"), 401)
	r := m.Get(t, "/me/sign-ins").Want(t, 200)
	if r.Int(t, "meta.total") != 2 || r.Text(t, "data.0.outcome") != "wrong_password" || r.Text(t, "data.0.user_agent") != "a browser" || r.Text(t, "data.1.method") != "password" || r.Text(t, "data.1.ip") != "127.0.0.1" {
		t.Errorf("own: %s", r.Body)
	}
	if at, err := time.Parse(time.RFC3339, r.Text(t, "data.0.at")); err != nil || at.IsZero() {
		t.Errorf("at: %v", err)
	}
	failed(t, m.Get(t, "/sign-ins"), 403)
	if r := c.Get(t, "/sign-ins").Want(t, 200); r.Int(t, "meta.total") != 3 {
		t.Errorf("company: %s", r.Body)
	}
	failed(t, m.Post(t, "/sign-out-everybody", nil), 403)
	if r := c.Post(t, "/sign-out-everybody", nil).Want(t, 200); r.Int(t, "ended") != 1 {
		t.Errorf("ended: %s", r.Body)
	}
	failed(t, m.Get(t, "/me"), 401)
	c.Get(t, "/me").Want(t, 200)
}
