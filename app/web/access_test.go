package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// at returns the path that the window shows.
func (w *window) at() string {
	w.t.Helper()
	u, err := url.Parse(get(w, chromedp.Location()))
	if err != nil {
		w.t.Fatal(err)
	}
	return u.RequestURI()
}

// send submits the form with a given action.
func (w *window) send(action string) {
	w.t.Helper()
	w.click(chromedp.CSS(`form[action="` + action + `"] button.btn:not([type=button])`))
}

// fits fails the test if the page is wider than the window.
func (w *window) fits() {
	w.t.Helper()
	if wide := get(w, chromedp.Evaluate[int]("document.documentElement.scrollWidth - innerWidth")); wide > 0 {
		w.t.Errorf("%s is %d px wider than the window", w.at(), wide)
	}
}

// cookies returns the browser's cookies, by name.
func (w *window) cookies() map[string]*network.Cookie {
	w.t.Helper()
	got, err := chromedp.Call(w.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]*network.Cookie{}
	for _, c := range got.Cookies {
		all[c.Name] = c
	}
	return all
}

func TestFirstRun(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"wide": {}, "plain and narrow": {width: 320, height: 640, plain: true, dark: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.Empty(t)
			w := open(t, l)
			call(w, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
			w.visit(s.URL + "/")
			w.heading("Now set it up")
			w.visit(s.URL + "/setup?token=" + s.First.Setup)
			w.heading("Set up Paraph")
			w.fits()
			w.write(`[name="name"]`, "Ann Example")
			w.write(`[name="email"]`, "ann@example.org")
			w.write(`[name="password"]`, "short")
			w.write(`[name="company"]`, "Acme")
			if got := w.value(`[name="timezone"]`); got != map[bool]string{true: "UTC", false: "Asia/Tokyo"}[l.plain] {
				t.Errorf("the time zone is %q", got)
			}
			w.send("/setup")
			w.see("#errors")
			if got := w.value(`[name="company"]`); got != "Acme" {
				t.Errorf("the company was forgotten: %q", got)
			}
			w.fits()
			w.write(`[name="password"]`, apptest.Password)
			w.send("/setup")
			w.heading("Welcome, Ann Example")
			w.fits()
			w.click(`main a.primary`)
			w.see("header.shell")
			if at := w.at(); !strings.HasPrefix(at, "/app/documents") {
				t.Errorf("the first run leads to %s", at)
			}
			w.visit(s.URL + "/setup?token=" + s.First.Setup)
			w.heading("already set up")
		})
	}
}

// TestSetupNeedsItsLink opens addresses other than the one printed.
func TestSetupNeedsItsLink(t *testing.T) {
	t.Parallel()
	s := apptest.Empty(t)
	for _, path := range []string{"/setup", "/setup?token=wrong"} {
		if res, html := fetch(t, s.URL+path); res.StatusCode != http.StatusNotFound || !strings.Contains(html, "Restart Paraph") {
			t.Errorf("%s: %d %s", path, res.StatusCode, html)
		}
	}
	s.Anonymous().Post(t, "/login", apptest.Map{"email": s.First.User.Email, "password": s.First.Password}).Want(t, http.StatusOK)
	if res, _ := fetch(t, s.URL+"/setup?token="+s.First.Setup); res.StatusCode != http.StatusGone {
		t.Errorf("setup after the printed password was used: %d", res.StatusCode)
	}
	if res, _ := fetch(t, s.URL+"/"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("the first page after setup: %d", res.StatusCode)
	}
}

// enrol sets up an authenticator app with the pages, and returns its secret and
// the recovery codes.
func (w *window) enrol(s *apptest.Server) (secret string, codes []string) {
	w.t.Helper()
	w.visit(s.URL + "/app/me/security")
	w.send("/app/me/two-factor")
	w.see("svg.qr")
	w.fits()
	secret = strings.ReplaceAll(w.read("#secret"), " ", "")
	w.write(`[name="code"]`, "000000")
	w.send("/app/me/two-factor/confirm")
	w.see("#errors")
	if again := strings.ReplaceAll(w.read("#secret"), " ", ""); again != secret {
		w.t.Errorf("a wrong code changes the secret from %s to %s", secret, again)
	}
	w.write(`[name="code"]`, code(w.t, s, secret))
	w.send("/app/me/two-factor/confirm")
	w.heading("Save your recovery codes")
	w.fits()
	codes = strings.Fields(w.read("#codes"))
	if len(codes) != 10 {
		w.t.Fatalf("got the recovery codes %q", codes)
	}
	file := get(w, chromedp.Evaluate[string](`decodeURIComponent(document.querySelector('a[download]').href)`))
	if !strings.HasPrefix(file, "data:text/plain") || !strings.Contains(file, codes[9]) {
		w.t.Errorf("the file to download is %.200s", file)
	}
	return secret, codes
}

func code(t testing.TB, s *apptest.Server, secret string) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// password submits the first step of signing in.
func (w *window) password(s *apptest.Server, email, password string) {
	w.t.Helper()
	w.visit(s.URL + "/signin?next=/app/me")
	w.write(`[name="email"]`, email)
	w.write(`[name="password"]`, password)
	w.send("/signin")
}

func TestTwoFactorSignIn(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]look{"wide": {}, "plain and narrow": {width: 320, height: 640, plain: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.New(t)
			owner := s.Company(t)
			w := signedIn(t, owner, l)
			secret, codes := w.enrol(s)
			w.visit(s.URL + "/app/me/security")
			w.see(".chip.ok")

			w.close()
			w = open(t, l)
			s.Advance(t, "1m")
			w.password(s, owner.Email, apptest.Password)
			w.heading("One more step")
			w.fits()
			if html := get(w, chromedp.Evaluate[string]("document.documentElement.outerHTML")); strings.Contains(html, apptest.Password) {
				t.Error("the password stands in the page of the second step")
			}
			pending := w.cookies()["paraph_pending"]
			if pending == nil || !pending.HTTPOnly || pending.SameSite != network.CookieSameSiteLax || pending.Path != "/signin" {
				t.Errorf("the cookie of the second step is %+v", pending)
			}
			if _, let := w.cookies()["paraph_session"]; let {
				t.Error("the password alone gives a session")
			}
			w.write(`[name="code"]`, "12345")
			w.send("/signin/verify")
			w.see("#errors")
			w.write(`[name="code"]`, code(t, s, secret))
			w.send("/signin/verify")
			w.see("header.shell")
			if at := w.at(); at != "/app/me" {
				t.Errorf("the second step leads to %s", at)
			}
			session := w.cookies()["paraph_session"]
			if session == nil || !session.HTTPOnly || session.SameSite != network.CookieSameSiteLax {
				t.Errorf("the cookie of the session is %+v", session)
			}

			w.close()
			w = open(t, l)
			w.password(s, owner.Email, apptest.Password)
			w.heading("One more step")
			w.click(`a[href*="with=recovery"]`)
			w.see(`[name="with"][value="recovery"] ~ div input[name="code"]`)
			w.write(`[name="code"]`, strings.ToLower(codes[3]))
			w.send("/signin/verify")
			w.see("header.shell")
		})
	}
}

func TestTheSecondStepEnds(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := signedIn(t, owner, look{})
	w.enrol(s)
	w.close()
	w = open(t, look{})
	w.visit(s.URL + "/signin/verify")
	w.heading("Sign in")
	w.password(s, owner.Email, apptest.Password)
	w.heading("One more step")
	s.Advance(t, "11m")
	w.write(`[name="code"]`, "123456")
	w.send("/signin/verify")
	w.see(".notice.warn")
	w.heading("Sign in")
}

func TestLockout(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Auth.LoginAttempts = 2 })
	owner := s.Company(t)
	w := open(t, look{})
	for range 2 {
		w.password(s, owner.Email, "wrong password")
		w.see("#errors")
	}
	w.password(s, owner.Email, apptest.Password)
	if text := w.read("#errors"); !strings.Contains(text, "5 minutes") {
		t.Errorf("the page says %q", text)
	}
	s.Advance(t, "5m")
	w.password(s, owner.Email, apptest.Password)
	w.see("header.shell")
}

func TestTurnOffTwoFactor(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := signedIn(t, s.Company(t), look{})
	w.enrol(s)
	w.visit(s.URL + "/app/me/security")
	w.click("details:has([name=proof]) summary")
	w.write(`[name="proof"]`, "not the password")
	w.send("/app/me/two-factor/off")
	w.see("#errors")
	w.write(`[name="proof"]`, apptest.Password)
	w.send("/app/me/two-factor/off")
	w.see(".notice.ok")
	w.see(`form[action="/app/me/two-factor"] button`)
}

func TestForgotAndReset(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := open(t, look{width: 320, height: 640})
	w.visit(s.URL + "/signin")
	w.click(`a[href="/forgot"]`)
	w.heading("Forgot your password?")
	w.fits()
	for _, email := range []string{"nobody@example.org", owner.Email} {
		w.visit(s.URL + "/forgot")
		w.write(`[name="email"]`, email)
		w.send("/forgot")
		w.heading("Check your inbox")
	}
	if len(s.Mails(t, "nobody@example.org")) != 0 {
		t.Error("nobody got a message")
	}
	link := "/reset/" + s.Link(t, owner.Email, "/reset/")
	w.visit(s.URL + link)
	w.heading("Choose a new password")
	w.fits()
	w.write(`[name="password"]`, "short")
	w.click("main form button.primary")
	w.see("#errors")
	w.write(`[name="password"]`, "a new password")
	w.click("main form button.primary")
	w.see(".notice.ok")
	w.password(s, owner.Email, "a new password")
	w.see("header.shell")
	w.visit(s.URL + link)
	w.heading("no longer works")
}

func TestJoin(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	owner.Post(t, "/members", apptest.Map{"email": "new@example.org", "role": "approver"}).Want(t, http.StatusCreated)
	link := "/join/" + s.Link(t, "new@example.org", "/join/")
	w := signedIn(t, owner, look{width: 320, height: 640, plain: true})
	w.visit(s.URL + link)
	w.heading("Join Company")
	w.fits()
	for _, want := range []string{"Owner Person has invited you", "Approver", "new@example.org", "You are signed in as " + owner.Email} {
		if text := w.read("main"); !strings.Contains(text, want) {
			t.Errorf("%q is not on the page: %s", want, text)
		}
	}
	w.write(`[name="name"]`, "New Person")
	w.write(`[name="password"]`, apptest.Password)
	w.click("main form button.primary")
	w.see("header.shell")
	if text := w.read("header.shell"); !strings.Contains(text, "Company") {
		t.Errorf("the header says %q", text)
	}
	w.visit(s.URL + "/app/me")
	if got := w.value(`[name="name"]`); got != "New Person" {
		t.Errorf("it is the account of %q", got)
	}
	w.visit(s.URL + link)
	w.heading("no longer works")
}

// TestJoinWithAnAccount invites somebody who is already a member of another
// company.
func TestJoinWithAnAccount(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	first, second := s.Company(t), s.Company(t)
	second.Post(t, "/members", apptest.Map{"email": first.Email, "role": "viewer"}).Want(t, http.StatusCreated)
	w := open(t, look{})
	w.visit(s.URL + "/join/" + s.Link(t, first.Email, "/join/"))
	w.click("main form button.primary")
	w.heading("Sign in")
	w.password(s, first.Email, apptest.Password)
	w.see("header.shell")
	company := second.Get(t, "/company").Want(t, http.StatusOK).Text(t, "name")
	if text := w.read("header.shell .brand"); !strings.Contains(text, company) {
		t.Errorf("it leads into %q, want %q", text, company)
	}
}

func TestConfirmAnAddress(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := signedIn(t, owner, look{})
	w.visit(s.URL + "/app/me")
	w.write(`[name="email"]`, "moved@example.org")
	w.click(`form[action="/app/me/email"]:has([name=email]) button`)
	w.see(".notice.ok")
	link := s.URL + "/confirm/" + s.Link(t, "moved@example.org", "/confirm/")
	for range 3 { // a mail scanner opens it, which changes nothing
		if res, _ := fetch(t, link); res.StatusCode != http.StatusOK {
			t.Errorf("looking at the link: %d", res.StatusCode)
		}
	}
	w.visit(link)
	w.heading("Is this your address?")
	w.click("main form button.primary")
	w.see(".notice.ok")
	if text := w.read("main"); !strings.Contains(text, "moved@example.org") {
		t.Errorf("the page says %s", text)
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := signedIn(t, s.Company(t), look{width: 320, height: 640})
	w.visit(s.URL + "/app/me")
	w.fits()
	w.write(`[name="timezone"]`, "Nowhere/Land")
	w.send("/app/me")
	w.see("#errors")
	w.write(`[name="timezone"]`, "Pacific/Auckland")
	w.write(`[name="name"]`, "Another Name")
	w.send("/app/me")
	w.see(".notice.ok")
	if name, zone := w.value(`[name="name"]`), w.value(`[name="timezone"]`); name != "Another Name" || zone != "Pacific/Auckland" {
		t.Errorf("got %q, %q", name, zone)
	}
	w.run(chromedp.SetValue(chromedp.CSS(`select[name="theme"]`), "dark"))
	w.click(`form[action="/theme"]:has(select) button`)
	w.see(`:root[data-theme=dark] body`)
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := signedIn(t, owner, look{})
	w.visit(s.URL + "/app/me/security")
	w.fits()
	change := func(current string) {
		w.write(`[name="current_password"]`, current)
		w.write(`[name="password"]`, "another password")
		w.send("/app/me/password")
	}
	change("not the password")
	w.see("#errors")
	change(apptest.Password)
	w.see(".notice.ok")
	if res := owner.Get(t, "/me"); res.Status != http.StatusUnauthorized {
		t.Errorf("another session is left: %d", res.Status)
	}
	w.visit(s.URL + "/app/me")
	w.see("header.shell")
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	other := s.Login(t, owner.Email)
	w := signedIn(t, owner, look{})
	w.visit(s.URL + "/app/me/sessions")
	w.fits()
	if text := w.read("[aria-labelledby=sessions-h] .sessions"); !strings.Contains(text, "Chrome ") || !strings.Contains(text, " on Linux") || strings.Count(text, "This browser") != 1 || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the sessions are %s", text)
	}
	w.send("/app/me/sessions/end-others")
	w.see(".notice.ok")
	if got := get(w, chromedp.Evaluate[int](`document.querySelectorAll('[aria-labelledby=sessions-h] li').length`)); got != 1 {
		t.Errorf("%d sessions are left", got)
	}
	for _, c := range []*apptest.Client{owner, other} {
		if res := c.Get(t, "/me"); res.Status != http.StatusUnauthorized {
			t.Errorf("another session is left: %d", res.Status)
		}
	}
}

// TestSessionOfSomebodyElse submits a form that names another person's session.
func TestSessionOfSomebodyElse(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member := owner.Member(t, account.RoleMember)
	who, err := s.Accounts.Authentication.Authenticate(owner.Token)
	if err != nil {
		t.Fatal(err)
	}
	w := signedIn(t, member, look{})
	member.Member(t, account.RoleViewer)
	s.Login(t, member.Email)
	w.visit(s.URL + "/app/me/sessions")
	w.see(`form[action="/app/me/sessions/end"] button`)
	w.run(chromedp.Evaluate[chromedp.Void](`document.querySelector('form[action="/app/me/sessions/end"] button').value = '` + who.TokenID + `'`))
	w.click(`form[action="/app/me/sessions/end"] button`)
	w.heading("Page not found")
	owner.Get(t, "/me").Want(t, http.StatusOK)
}

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Auth.TokenLifetime = 2*time.Minute + 3*time.Second })
	owner := s.Company(t)
	w := signedIn(t, owner, look{})
	w.visit(s.URL + "/app/me")
	before := w.cookies()["paraph_session"].Value
	w.see("#ending")
	w.click("#ending [data-stay]")
	w.until(`document.querySelector('#ending').hidden`)
	if w.cookies()["paraph_session"].Value == before {
		t.Error("the session was not renewed")
	}
	w.visit(s.URL + "/app/me")
	w.see("header.shell")
}

// TestSignInByKeyboard uses keys alone.
func TestSignInByKeyboard(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := open(t, look{})
	w.visit(s.URL + "/signin")
	w.see(`[name="email"]`)
	press := func(keys string) { w.t.Helper(); w.run(chromedp.KeyEvent(keys)) }
	press(kb.Tab) // the link over the header
	for range 10 {
		if get(w, chromedp.Evaluate[string]("document.activeElement.name ?? ''")) == "email" {
			break
		}
		press(kb.Tab)
	}
	press(owner.Email + kb.Tab)
	press(apptest.Password + kb.Tab + " ")
	if kind := get(w, chromedp.Evaluate[string](`document.querySelector('[name=password]').type`)); kind != "text" {
		t.Errorf("the password is not shown: %s", kind)
	}
	press(kb.Tab + kb.Enter)
	w.see("header.shell")
}
