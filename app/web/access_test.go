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
	"paraph/app/apptest/plain"
)

// send submits the form with a given action.
func (w *window) send(action string) {
	w.t.Helper()
	w.click(chromedp.CSS(`form[action="` + action + `"] button.btn:not([type=button])`))
}

// fits fails the test if the page is wider than the window.
func (w *window) fits() {
	w.t.Helper()
	if wide := get(w, chromedp.Evaluate[int]("document.documentElement.scrollWidth - innerWidth")); wide > 0 {
		w.t.Errorf("%s is %d px wider than the window", get(w, chromedp.Location()), wide)
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

// TestFirstRun sets a server up. The browser knows the time zone.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	s := apptest.Empty(t)
	w := open(t, look{})
	call(w, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
	w.visit(s.URL + "/setup?token=" + s.First.Setup)
	w.heading("Set up Paraph")
	if got := w.value(`[name="timezone"]`); got != "Asia/Tokyo" {
		t.Errorf("the time zone is %q", got)
	}
	w.write(`[name="name"]`, "Ann Example")
	w.write(`[name="email"]`, "ann@example.org")
	w.write(`[name="password"]`, apptest.Password)
	w.write(`[name="company"]`, "Acme")
	w.send("/setup")
	w.heading("Welcome, Ann Example")
	w.click(`main a.primary`)
	w.see("header.shell")
}

func TestFirstRunWithoutScripts(t *testing.T) {
	t.Parallel()
	s := apptest.Empty(t)
	b := guest(t, s)
	b.Visit("/")
	b.Heading("Now set it up")
	b.Visit("/setup?token=" + s.First.Setup)
	b.Heading("Set up Paraph")
	if got := b.Value(`[name="timezone"]`); got != "UTC" {
		t.Errorf("the time zone is %q", got)
	}
	b.Write(`[name="name"]`, "Ann Example")
	b.Write(`[name="email"]`, "ann@example.org")
	b.Write(`[name="password"]`, "short")
	b.Write(`[name="company"]`, "Acme")
	b.Submit("/setup")
	b.See("#errors")
	if got := b.Value(`[name="company"]`); got != "Acme" {
		t.Errorf("the company was forgotten: %q", got)
	}
	b.Write(`[name="password"]`, apptest.Password)
	b.Submit("/setup")
	b.Heading("Welcome, Ann Example")
	b.Click(`main a.primary`)
	b.See("header.shell")
	if !strings.HasPrefix(b.At(), "/app/documents") {
		t.Errorf("the first run leads to %s", b.At())
	}
	b.Visit("/setup?token=" + s.First.Setup)
	b.Heading("already set up")
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
func enrol(t *testing.T, s *apptest.Server, b *plain.Browser) (secret string, codes []string) {
	t.Helper()
	b.Visit("/app/me/security")
	b.Submit("/app/me/two-factor")
	b.See("svg.qr")
	secret = strings.ReplaceAll(b.Read("#secret"), " ", "")
	b.Write(`[name="code"]`, "000000")
	b.Submit("/app/me/two-factor/confirm")
	b.See("#errors")
	if again := strings.ReplaceAll(b.Read("#secret"), " ", ""); again != secret {
		t.Errorf("a wrong code changes the secret from %s to %s", secret, again)
	}
	b.Write(`[name="code"]`, code(t, s, secret))
	b.Submit("/app/me/two-factor/confirm")
	b.Heading("Save your recovery codes")
	codes = strings.Fields(b.Read("#codes"))
	if len(codes) != 10 {
		t.Fatalf("got the recovery codes %q", codes)
	}
	file, err := url.PathUnescape(b.Attribute("a[download]", "href"))
	if err != nil || !strings.HasPrefix(file, "data:text/plain") || !strings.Contains(file, codes[9]) {
		t.Errorf("the file to download is %.200s, %v", file, err)
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

// identify submits the first step of signing in.
func identify(t *testing.T, b *plain.Browser, email, password string) {
	t.Helper()
	b.Visit("/signin?next=/app/me")
	b.Write(`[name="email"]`, email)
	b.Write(`[name="password"]`, password)
	b.Submit("/signin")
}

func TestTwoFactorSignIn(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	b := colleague(t, owner)
	secret, codes := enrol(t, s, b)
	b.Visit("/app/me/security")
	b.See(".chip.ok")

	b = guest(t, s)
	s.Advance(t, "1m")
	identify(t, b, owner.Email, apptest.Password)
	b.Heading("One more step")
	if strings.Contains(b.HTML, apptest.Password) {
		t.Error("the password stands in the page of the second step")
	}
	pending := b.Cookie("paraph_pending")
	if pending == nil || !pending.HttpOnly || pending.SameSite != http.SameSiteLaxMode || pending.Path != "/signin" {
		t.Errorf("the cookie of the second step is %+v", pending)
	}
	if b.Cookie("paraph_session") != nil {
		t.Error("the password alone gives a session")
	}
	b.Write(`[name="code"]`, "12345")
	b.Submit("/signin/verify")
	b.See("#errors")
	b.Write(`[name="code"]`, code(t, s, secret))
	b.Submit("/signin/verify")
	b.See("header.shell")
	if b.At() != "/app/me" {
		t.Errorf("the second step leads to %s", b.At())
	}
	session := b.Cookie("paraph_session")
	if session == nil || !session.HttpOnly || session.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie of the session is %+v", session)
	}

	b = guest(t, s)
	identify(t, b, owner.Email, apptest.Password)
	b.Heading("One more step")
	b.Click(`a[href*="with=recovery"]`)
	b.See(`[name="with"][value="recovery"] ~ div input[name="code"]`)
	b.Write(`[name="code"]`, strings.ToLower(codes[3]))
	b.Submit("/signin/verify")
	b.See("header.shell")
}

func TestTheSecondStepEnds(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	enrol(t, s, colleague(t, owner))
	b := guest(t, s)
	b.Visit("/signin/verify")
	b.Heading("Sign in")
	identify(t, b, owner.Email, apptest.Password)
	b.Heading("One more step")
	s.Advance(t, "11m")
	b.Write(`[name="code"]`, "123456")
	b.Submit("/signin/verify")
	b.See(".notice.warn")
	b.Heading("Sign in")
}

func TestLockout(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Auth.LoginAttempts = 2 })
	owner := s.Company(t)
	b := guest(t, s)
	for range 2 {
		identify(t, b, owner.Email, "wrong password")
		b.See("#errors")
	}
	identify(t, b, owner.Email, apptest.Password)
	if text := b.Read("#errors"); !strings.Contains(text, "5 minutes") {
		t.Errorf("the page says %q", text)
	}
	s.Advance(t, "5m")
	identify(t, b, owner.Email, apptest.Password)
	b.See("header.shell")
}

func TestTurnOffTwoFactor(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	b := colleague(t, s.Company(t))
	enrol(t, s, b)
	b.Visit("/app/me/security")
	b.Click("details:has([name=proof]) summary")
	b.Write(`[name="proof"]`, "not the password")
	b.Submit("/app/me/two-factor/off")
	b.See("#errors")
	b.Write(`[name="proof"]`, apptest.Password)
	b.Submit("/app/me/two-factor/off")
	b.See(".notice.ok")
	b.See(`form[action="/app/me/two-factor"] button`)
}

func TestForgotAndReset(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	b := guest(t, s)
	b.Visit("/signin")
	b.Click(`a[href="/forgot"]`)
	b.Heading("Forgot your password?")
	for _, email := range []string{"nobody@example.org", owner.Email} {
		b.Visit("/forgot")
		b.Write(`[name="email"]`, email)
		b.Submit("/forgot")
		b.Heading("Check your inbox")
	}
	if len(s.Mails(t, "nobody@example.org")) != 0 {
		t.Error("nobody got a message")
	}
	link := "/reset/" + s.Link(t, owner.Email, "/reset/")
	b.Visit(link)
	b.Heading("Choose a new password")
	b.Write(`[name="password"]`, "short")
	b.Click("main form button.primary")
	b.See("#errors")
	b.Write(`[name="password"]`, "a new password")
	b.Click("main form button.primary")
	b.See(".notice.ok")
	identify(t, b, owner.Email, "a new password")
	b.See("header.shell")
	b.Visit(link)
	b.Heading("no longer works")
}

func TestJoin(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	owner.Post(t, "/members", apptest.Map{"email": "new@example.org", "role": "approver"}).Want(t, http.StatusCreated)
	link := "/join/" + s.Link(t, "new@example.org", "/join/")
	b := colleague(t, owner)
	b.Visit(link)
	b.Heading("Join Company")
	b.Says("Owner Person has invited you", "Approver", "new@example.org", "You are signed in as "+owner.Email)
	b.Write(`[name="name"]`, "New Person")
	b.Write(`[name="password"]`, apptest.Password)
	b.Click("main form button.primary")
	b.See("header.shell")
	if text := b.Read("header.shell"); !strings.Contains(text, "Company") {
		t.Errorf("the header says %q", text)
	}
	b.Visit("/app/me")
	if got := b.Value(`[name="name"]`); got != "New Person" {
		t.Errorf("it is the account of %q", got)
	}
	b.Visit(link)
	b.Heading("no longer works")
}

// TestJoinWithAnAccount invites somebody who is already a member of another
// company.
func TestJoinWithAnAccount(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	first, second := s.Company(t), s.Company(t)
	second.Post(t, "/members", apptest.Map{"email": first.Email, "role": "viewer"}).Want(t, http.StatusCreated)
	b := guest(t, s)
	b.Visit("/join/" + s.Link(t, first.Email, "/join/"))
	b.Click("main form button.primary")
	b.Heading("Sign in")
	identify(t, b, first.Email, apptest.Password)
	b.See("header.shell")
	company := second.Get(t, "/company").Want(t, http.StatusOK).Text(t, "name")
	if text := b.Read("header.shell .brand"); !strings.Contains(text, company) {
		t.Errorf("it leads into %q, want %q", text, company)
	}
}

func TestConfirmAnAddress(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	b := colleague(t, s.Company(t))
	b.Visit("/app/me")
	b.Write(`[name="email"]`, "moved@example.org")
	b.Click(`form[action="/app/me/email"]:has([name=email]) button`)
	b.See(".notice.ok")
	link := "/confirm/" + s.Link(t, "moved@example.org", "/confirm/")
	for range 3 { // a mail scanner opens it, which changes nothing
		if res, _ := fetch(t, s.URL+link); res.StatusCode != http.StatusOK {
			t.Errorf("looking at the link: %d", res.StatusCode)
		}
	}
	b.Visit(link)
	b.Heading("Is this your address?")
	b.Click("main form button.primary")
	b.See(".notice.ok")
	b.Says("moved@example.org")
}

func TestProfile(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	b := colleague(t, s.Company(t))
	b.Visit("/app/me")
	b.Write(`[name="timezone"]`, "Nowhere/Land")
	b.Submit("/app/me")
	b.See("#errors")
	b.Write(`[name="timezone"]`, "Pacific/Auckland")
	b.Write(`[name="name"]`, "Another Name")
	b.Submit("/app/me")
	b.See(".notice.ok")
	if name, zone := b.Value(`[name="name"]`), b.Value(`[name="timezone"]`); name != "Another Name" || zone != "Pacific/Auckland" {
		t.Errorf("got %q, %q", name, zone)
	}
	b.Pick(`select[name="theme"]`, "dark")
	b.Click(`form[action="/theme"]:has(select) button`)
	b.See(`:root[data-theme=dark] body`)
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	b := guest(t, s)
	identify(t, b, owner.Email, apptest.Password)
	b.Visit("/app/me/security")
	change := func(current string) {
		t.Helper()
		b.Write(`[name="current_password"]`, current)
		b.Write(`[name="password"]`, "another password")
		b.Submit("/app/me/password")
	}
	change("not the password")
	b.See("#errors")
	change(apptest.Password)
	b.See(".notice.ok")
	if res := owner.Get(t, "/me"); res.Status != http.StatusUnauthorized {
		t.Errorf("another session is left: %d", res.Status)
	}
	b.Visit("/app/me")
	b.See("header.shell")
}

// chrome is how a browser calls itself.
const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

func TestSessions(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	other := s.Login(t, owner.Email)
	b := plain.Open(t, s.URL, "User-Agent", chrome)
	identify(t, b, owner.Email, apptest.Password)
	b.Visit("/app/me/sessions")
	if text := b.Read("[aria-labelledby=sessions-h] .sessions"); !strings.Contains(text, "Chrome ") || !strings.Contains(text, " on Linux") || strings.Count(text, "This browser") != 1 || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the sessions are %s", text)
	}
	b.Submit("/app/me/sessions/end-others")
	b.See(".notice.ok")
	if got := b.Count(`[aria-labelledby=sessions-h] li`); got != 1 {
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
	b := colleague(t, member)
	s.Login(t, member.Email)
	b.Visit("/app/me/sessions")
	b.Forge(`form[action="/app/me/sessions/end"] button`, "value", who.TokenID)
	b.Click(`form[action="/app/me/sessions/end"] button`)
	b.Heading("Page not found")
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
