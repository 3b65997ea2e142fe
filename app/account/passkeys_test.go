package account_test

import (
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
)

const site = "https://sign.example.org:8443"

var here = account.From{IP: "192.0.2.7", UserAgent: "browser"}

// register registers a passkey for the actor.
func (h *house) register(who account.Call, a *authenticator) account.NewPasskey {
	h.t.Helper()
	c, err := h.Authentication.BeginPasskey(who, site)
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := h.Authentication.FinishPasskey(who, c.ID, "Key", a.create(c.Options))
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

// passwordless logs in with a passkey alone.
func (h *house) passwordless(a *authenticator) (account.User, error) {
	h.t.Helper()
	c, err := h.Authentication.BeginPasskeyLogin(site, "", here)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.Authentication.FinishPasskeyLogin(c.ID, a.get(c.Options), here)
}

func TestPasskeyLogin(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	a := newAuthenticator(t)
	begun := must[account.Ceremony](t)(h.Authentication.BeginPasskey(ann, site))
	o := a.read(begun.Options).PublicKey
	if o.RP.ID != "sign.example.org" || o.User.Name != "ann@example.org" || len(o.Challenge) < 22 || o.AuthenticatorSelection.ResidentKey != "preferred" {
		t.Errorf("options %s", begun.Options)
	}
	p := must[account.NewPasskey](t)(h.Authentication.FinishPasskey(ann, begun.ID, "Laptop", a.create(begun.Options)))
	if p.Name != "Laptop" || p.LastUsedAt != nil || len(p.RecoveryCodes) != 10 {
		t.Errorf("made %+v", p)
	}
	h.advance(time.Minute)
	for range 2 {
		u := must[account.User](t)(h.passwordless(a))
		if u.Email != "ann@example.org" || !u.TwoFactor || u.Passkeys != 1 || u.RecoveryCodes != 10 || u.AuthenticatorApp {
			t.Errorf("logged in as %+v", u)
		}
		h.actor(u.Companies[0].Token)
	}
	all := must[[]account.Passkey](t)(h.Authentication.ListPasskeys(ann))
	if len(all) != 1 || all[0].LastUsedAt == nil || !all[0].LastUsedAt.Equal(h.now()) {
		t.Errorf("listed %+v", all)
	}
	if r := must[account.Passkey](t)(h.Authentication.RenamePasskey(ann, p.ID, " Desk ")); r.Name != "Desk" {
		t.Errorf("renamed to %q", r.Name)
	}
	_, err := h.Authentication.RenamePasskey(ann, p.ID, "")
	wantFields(t, err, "name")
	// The browser is told which passkeys not to register again.
	again := must[account.Ceremony](t)(h.Authentication.BeginPasskey(ann, site))
	if x := a.read(again.Options).PublicKey.ExcludeCredentials; len(x) != 1 || x[0].ID != b64(a.id) {
		t.Errorf("excluded %+v", x)
	}
	_, err = h.Authentication.FinishPasskey(ann, again.ID, "", a.create(again.Options))
	wantKind(t, err, fault.KindConflict, "passkey_known")
}

func TestPasskeyAsSecondFactor(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 100 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	h.add(h.company("B"), "ben@example.org", account.RoleOwner)
	a := newAuthenticator(t)
	a.verify = false // enough, after the password
	p := h.register(h.as("ann@example.org"), a)

	_, err := h.Authentication.Login(t.Context(), "ann@example.org", password, "", here)
	wantKind(t, err, fault.KindInvalid, "two_factor_required")
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, "123456", here)
	wantFields(t, err, "code")
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, p.RecoveryCodes[0], here))
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, p.RecoveryCodes[0], here)
	wantFields(t, err, "code")

	step := must[account.SignIn](t)(h.Authentication.BeginSignIn(t.Context(), "ann@example.org", password, here))
	if step.Pending == "" || !step.Passkey || step.App {
		t.Fatalf("after the password: %+v", step)
	}
	c := must[account.Ceremony](t)(h.Authentication.BeginPasskeyLogin(site, step.Pending, here))
	if o := a.read(c.Options).PublicKey; len(o.AllowCredentials) != 1 || o.UserVerification != "preferred" {
		t.Errorf("options %s", c.Options)
	}
	u := must[account.User](t)(h.Authentication.FinishPasskeyLogin(c.ID, a.get(c.Options), here))
	h.actor(u.Companies[0].Token)
	if _, ok := h.Authentication.CheckPending(step.Pending); ok {
		t.Error("the password is still good for another second step")
	}

	c = must[account.Ceremony](t)(h.Authentication.BeginPasskeyAfterPassword(t.Context(), site, "ann@example.org", password, here))
	must[account.User](t)(h.Authentication.FinishPasskeyLogin(c.ID, a.get(c.Options), here))
	_, err = h.Authentication.BeginPasskeyAfterPassword(t.Context(), site, "ann@example.org", "wrong", here)
	wantKind(t, err, fault.KindUnauthenticated, "")
	_, err = h.Authentication.BeginPasskeyAfterPassword(t.Context(), site, "ben@example.org", password, here)
	wantKind(t, err, fault.KindConflict, "no_passkey")
	_, err = h.Authentication.BeginPasskeyLogin(site, "made up", here)
	wantKind(t, err, fault.KindUnauthenticated, "")

	// Another person's passkey is no second factor.
	b := newAuthenticator(t)
	b.id = []byte("ben's")
	h.register(h.as("ben@example.org"), b)
	c = must[account.Ceremony](t)(h.Authentication.BeginPasskeyAfterPassword(t.Context(), site, "ann@example.org", password, here))
	_, err = h.Authentication.FinishPasskeyLogin(c.ID, b.get(c.Options), here)
	wantKind(t, err, fault.KindUnauthenticated, "")
}

func TestPasskeyRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(h *house, a *authenticator){
		"another origin":          func(_ *house, a *authenticator) { a.origin = "https://evil.example.org:8443" },
		"another port":            func(_ *house, a *authenticator) { a.origin = "https://sign.example.org" },
		"another party":           func(_ *house, a *authenticator) { a.rp = "evil.example.org" },
		"another key":             func(_ *house, a *authenticator) { a.forging = true },
		"nobody present":          func(_ *house, a *authenticator) { a.tamper = func(d []byte) { d[32] &^= userPresent } },
		"its holder not verified": func(_ *house, a *authenticator) { a.verify = false },
		"a copy":                  func(_ *house, a *authenticator) { a.count -= 2 },
		"the same count again":    func(_ *house, a *authenticator) { a.counts = false },
		"another user's handle":   func(_ *house, a *authenticator) { a.handle = []byte("01M7Z4BMC36K290EBM3T11X3Q8") },
		"no handle":               func(_ *house, a *authenticator) { a.handle = nil },
		"it is unknown":           func(_ *house, a *authenticator) { a.id = []byte("unknown") },
		"its user was deactivated": func(h *house, _ *authenticator) {
			must[any](h.t)(nil, h.Operator.SetActive("ann@example.org", false))
		},
		"somebody took it for synced": func(_ *house, a *authenticator) { a.synced = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.add(h.company("A"), "ann@example.org", account.RoleOwner)
			a := newAuthenticator(t)
			h.register(h.as("ann@example.org"), a)
			must[account.User](t)(h.passwordless(a))
			spoil(h, a)
			_, err := h.passwordless(a)
			wantKind(t, err, fault.KindUnauthenticated, "")
		})
	}
}

func TestPasskeyWithoutACount(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	a := newAuthenticator(t)
	a.counts, a.synced = false, true // as phones do it
	h.register(h.as("ann@example.org"), a)
	for range 3 {
		must[account.User](t)(h.passwordless(a))
	}
	all := must[[]account.Passkey](t)(h.Authentication.ListPasskeys(h.actor(must[account.User](t)(h.passwordless(a)).Companies[0].Token)))
	if !all[0].Synced {
		t.Errorf("listed %+v", all)
	}
}

func TestPasskeyChallengeIsGoodOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	h.add(h.company("B"), "ben@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	a := newAuthenticator(t)
	h.register(ann, a)
	c := must[account.Ceremony](t)(h.Authentication.BeginPasskeyLogin(site, "", here))
	answer := a.get(c.Options)
	must[account.User](t)(h.Authentication.FinishPasskeyLogin(c.ID, answer, here))
	_, err := h.Authentication.FinishPasskeyLogin(c.ID, answer, here)
	wantFields(t, err, "ceremony")
	other := must[account.Ceremony](t)(h.Authentication.BeginPasskeyLogin(site, "", here))
	_, err = h.Authentication.FinishPasskeyLogin(other.ID, answer, here)
	wantKind(t, err, fault.KindUnauthenticated, "")
	late := must[account.Ceremony](t)(h.Authentication.BeginPasskeyLogin(site, "", here))
	h.advance(5*time.Minute + time.Second)
	_, err = h.Authentication.FinishPasskeyLogin(late.ID, a.get(late.Options), here)
	wantFields(t, err, "ceremony")
	for _, junk := range []string{"", "{}", "null", "[]", `{"id":"x","rawId":"x","type":"public-key","response":{}}`, strings.Repeat("[", 1000)} {
		c := must[account.Ceremony](t)(h.Authentication.BeginPasskeyLogin(site, "", here))
		_, err = h.Authentication.FinishPasskeyLogin(c.ID, []byte(junk), here)
		wantFields(t, err, "credential")
	}
	// A registration belongs to the person who began it, and is not valid as a login.
	b := newAuthenticator(t)
	b.id = []byte("b")
	ann = must[account.Call](t)(h.Authentication.Prove(t.Context(), ann, account.Proof{Password: password}))
	begun := must[account.Ceremony](t)(h.Authentication.BeginPasskey(ann, site))
	_, err = h.Authentication.FinishPasskey(h.as("ben@example.org"), begun.ID, "", b.create(begun.Options))
	wantFields(t, err, "ceremony")
	begun = must[account.Ceremony](t)(h.Authentication.BeginPasskey(ann, site))
	b.origin = "https://evil.example.org"
	_, err = h.Authentication.FinishPasskey(ann, begun.ID, "", b.create(begun.Options))
	wantFields(t, err, "credential")
}

func TestPasskeySites(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	for site, code := range map[string]string{"http://localhost:8080": "", "https://sign.example.org": "", "http://127.0.0.1:8080": "passkeys_need_a_name",
		"https://[::1]:8443": "passkeys_need_a_name", "http://sign.example.org": "passkeys_need_https"} {
		_, err := h.Authentication.BeginPasskey(ann, site)
		if code == "" && err == nil {
			continue
		}
		wantKind(t, err, fault.KindConflict, fault.Code(code))
	}
	program := must[account.Token](t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "ci"}))
	_, err := h.Authentication.BeginPasskey(h.actor(program.Secret), site)
	wantKind(t, err, fault.KindForbidden, "session_required")
}

func TestPasskeyRemoved(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 100 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	h.add(h.company("B"), "ben@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	a, b := newAuthenticator(t), newAuthenticator(t)
	b.id = []byte("b")
	first := h.register(ann, a)
	if second := h.register(ann, b); second.RecoveryCodes != nil {
		t.Error("the second passkey made new recovery codes")
	}
	wantKind(t, h.Authentication.RemovePasskey(t.Context(), h.as("ben@example.org"), first.ID, "", ""), fault.KindNotFound, "")
	if err := h.Authentication.RemovePasskey(t.Context(), ann, first.ID, "", ""); err != nil {
		t.Fatal(err)
	}
	_, err := h.passwordless(a)
	wantKind(t, err, fault.KindUnauthenticated, "")
	last := must[[]account.Passkey](t)(h.Authentication.ListPasskeys(ann))[0].ID
	wantKind(t, h.Authentication.RemovePasskey(t.Context(), ann, last, "", ""), fault.KindInvalid, "two_factor_required")
	wantFields(t, h.Authentication.RemovePasskey(t.Context(), ann, last, "wrong", ""), "password")
	if err := h.Authentication.RemovePasskey(t.Context(), ann, last, "", first.RecoveryCodes[2]); err != nil {
		t.Fatal(err)
	}
	u := must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, "", here))
	if u.TwoFactor || u.RecoveryCodes != 0 || u.Passkeys != 0 {
		t.Errorf("left with %+v", u)
	}
}

func TestPasskeysAndAnApp(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 100 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	a := newAuthenticator(t)
	codes := h.register(ann, a).RecoveryCodes
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(ann))
	// A code of an app that was not confirmed lets nobody in.
	_, err := h.Authentication.Login(t.Context(), "ann@example.org", password, code(t, setup.Secret, h.now()), here)
	wantFields(t, err, "code")
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, codes[0], here))
	renewed := must[[]string](t)(h.Authentication.ConfirmTwoFactor(ann, code(t, setup.Secret, h.now())))
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, codes[1], here)
	wantFields(t, err, "code")
	if err := h.Authentication.DisableTwoFactor(t.Context(), ann, "", renewed[0]); err != nil {
		t.Fatal(err)
	}
	me := must[account.User](t)(h.Profile.Me(ann))
	if !me.TwoFactor || me.AuthenticatorApp || me.RecoveryCodes != 9 {
		t.Errorf("without the app: %+v", me)
	}
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, "", here)
	wantKind(t, err, fault.KindInvalid, "two_factor_required")
	// The operator can restore access for somebody who has lost everything.
	if err := h.Operator.SetPassword(t.Context(), "ann@example.org", password, true); err != nil {
		t.Fatal(err)
	}
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, "", here))
	_, err = h.passwordless(a)
	wantKind(t, err, fault.KindUnauthenticated, "")
}

func TestNewRecoveryCodes(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 100 })
	secret, old := h.enrolled(t, "ann@example.org")
	ann := h.actor(must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, old[9], here)).Companies[0].Token)
	_, err := h.Authentication.NewRecoveryCodes(t.Context(), ann, "", "")
	wantKind(t, err, fault.KindInvalid, "two_factor_required")
	_, err = h.Authentication.NewRecoveryCodes(t.Context(), ann, "wrong", "")
	wantFields(t, err, "password")
	fresh := must[[]string](t)(h.Authentication.NewRecoveryCodes(t.Context(), ann, "", code(t, secret, h.now())))
	if me := must[account.User](t)(h.Profile.Me(ann)); me.RecoveryCodes != 10 || len(fresh) != 10 {
		t.Errorf("%d codes, %d left", len(fresh), me.RecoveryCodes)
	}
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, old[0], here)
	wantFields(t, err, "code")
	must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, fresh[0], here))
	if me := must[account.User](t)(h.Profile.Me(ann)); me.RecoveryCodes != 9 {
		t.Errorf("%d codes left", me.RecoveryCodes)
	}
	if err := h.Authentication.DisableTwoFactor(t.Context(), ann, password, ""); err != nil {
		t.Fatal(err)
	}
	_, err = h.Authentication.NewRecoveryCodes(t.Context(), ann, password, "")
	wantKind(t, err, fault.KindConflict, "two_factor_off")
}

func TestCompanyAsksForTwoFactor(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "ann@example.org", account.RoleOwner)
	h.add(c, "ben@example.org", account.RoleMember)
	ann, ben := h.as("ann@example.org"), h.login("ben@example.org", password)
	program := must[account.Token](t)(h.Profile.CreateToken(h.actor(ben), account.TokenInput{Name: "ci"}))
	yes := true
	_, err := h.Companies.UpdateCompany(ann, account.CompanyPatch{RequireTwoFactor: &yes})
	wantKind(t, err, fault.KindConflict, "two_factor_needed_first")
	h.register(ann, newAuthenticator(t))
	if c := must[account.Company](t)(h.Companies.UpdateCompany(h.actor(h.tokenOf(ann)), account.CompanyPatch{RequireTwoFactor: &yes})); !c.RequireTwoFactor {
		t.Error("it was not turned on")
	}
	for _, bearer := range []string{ben, program.Secret} {
		who := h.actor(bearer)
		if !who.Limited || who.Can(account.ScopeRead) {
			t.Errorf("%s may go on", who.Kind)
		}
		wantKind(t, who.Require(account.ScopeRead), fault.KindForbidden, "two_factor_required_by_company")
		_, err = h.Companies.Company(who)
		wantKind(t, err, fault.KindForbidden, "two_factor_required_by_company")
		_, err = h.Profile.UpdateMe(t.Context(), who, account.MePatch{})
		wantKind(t, err, fault.KindForbidden, "two_factor_required_by_company")
	}
	who := h.actor(ben)
	if me := must[account.User](t)(h.Profile.Me(who)); !me.Companies[0].Limited {
		t.Errorf("it does not show: %+v", me)
	}
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(who))
	must[[]string](t)(h.Authentication.ConfirmTwoFactor(who, code(t, setup.Secret, h.now())))
	if who := h.actor(ben); who.Limited || !who.Can(account.ScopeWrite) {
		t.Errorf("two-factor login is set up and %+v", who)
	}
	if me := must[account.User](t)(h.Profile.Me(h.actor(ben))); me.Companies[0].Limited {
		t.Errorf("it still shows: %+v", me)
	}
}

// tokenOf returns a fresh bearer token of the same session.
func (h *house) tokenOf(who account.Call) string {
	h.t.Helper()
	t, err := h.Authentication.RenewSession(who)
	if err != nil {
		h.t.Fatal(err)
	}
	return t.Secret
}
