package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// companyCookie remembers the company that a browser worked in last.
const companyCookie = "paraph_company"

const companyTime = 365 * 24 * time.Hour

// pendingCookie stands for a password that was right, while the second step is due.
const pendingCookie = "paraph_pending"

// pendingTime is a little more than what is pending lasts.
const pendingTime = 15 * time.Minute

// signInPage is either step of signing in.
type signInPage struct {
	Next     string
	Recovery bool // a recovery code is asked for
	Offer    bool // the browser may offer passkeys by itself
	App      bool // the second step may be a code of the authenticator app
	Passkey  bool // it may be a passkey
}

func (d *Door) signInRoutes(app *fiber.App) {
	d.get(app, "/signin", (*request).showSignIn)
	d.post(app, "/signin", (*request).signIn)
	d.get(app, "/signin/verify", (*request).showSecondStep)
	d.post(app, "/signin/verify", (*request).secondStep)
	d.post(app, "/signin/passkey/begin", (*request).beginPasskeySignIn)
	d.post(app, "/signin/passkey", (*request).passkeySignIn)
	d.post(app, "/signout", (*request).signOut)
	d.teamPost(app, "/app/switch", (*request).switchCompany)
	d.post(app, "/theme", (*request).setTheme)
}

// inside is a path of ours to go on to: never an address elsewhere.
func (r *request) inside(path string) string {
	const start = "/app/documents"
	if !strings.HasPrefix(path, "/app") {
		return start
	}
	return local(path, start)
}

func (r *request) signInForm(next string) page {
	return page{Title: r.say("signin.title"), Scripts: []string{"access.js", "webauthn.js"}, Data: signInPage{Next: r.inside(next), Offer: true}}
}

func (r *request) showSignIn() error {
	r.teamWords()
	if r.enter() == nil {
		return r.redirect(r.inside(r.Query("next")))
	}
	return r.render(http.StatusOK, "signin", r.signInForm(r.Query("next")))
}

func (r *request) signIn() error {
	r.teamWords()
	next := r.form.value("next")
	err := r.signInWith(r.form.value("email"), r.form.value("password"), "", r.inside(next))
	if err == nil {
		return nil
	}
	p := r.signInForm(next)
	switch f := r.failureOf(err); f.Status {
	case http.StatusUnauthorized:
		p.Values, p.Fault = r.form, r.say("signin.wrong")
		return r.render(f.Status, "signin", p)
	case http.StatusTooManyRequests:
		return r.lockedOut(f, "signin", p)
	}
	return r.again(err, "signin", p)
}

// signInWith lets somebody in and leads them on, by way of the second step if they
// have one; the company is the one to be in first, "" for the one that this
// browser was in last.
func (r *request) signInWith(email, password, company, next string) error {
	step, err := r.door.Accounts.BeginSignIn(r.UserContext(), email, password, r.origin())
	if err != nil {
		return err
	}
	if step.Pending != "" {
		r.keep(pendingCookie, step.Pending, "/signin", pendingTime)
		return r.redirect("/signin/verify?next=" + url.QueryEscape(next))
	}
	r.startSession(step.User, company)
	return r.redirect(next)
}

func (r *request) origin() account.From {
	return account.From{IP: r.address(), UserAgent: r.agent()}
}

// lockedOut shows a form again after too many attempts, with the minutes to wait.
func (r *request) lockedOut(f failure, name string, p page) error {
	p.Values, p.Fault = r.form, r.say("signin.locked", "n", (f.Wait+59)/60)
	r.Set(fiber.HeaderRetryAfter, fmt.Sprint(f.Wait))
	return r.render(f.Status, name, p)
}

func (r *request) secondStepForm(step account.SignIn, next string, recovery bool) page {
	return page{Title: r.say("second.title"), Scripts: []string{"access.js", "webauthn.js"},
		Data: signInPage{Next: r.inside(next), Recovery: recovery || !step.App && !step.Passkey, App: step.App, Passkey: step.Passkey}}
}

func (r *request) showSecondStep() error {
	r.teamWords()
	step, ok := r.door.Accounts.CheckPending(r.Cookies(pendingCookie))
	if !ok {
		return r.startOver()
	}
	return r.render(http.StatusOK, "verify-signin", r.secondStepForm(step, r.Query("next"), r.Query("with") == "recovery"))
}

// startOver asks for the password again, because nothing is pending any more.
func (r *request) startOver() error {
	r.flash("warn", "second.over")
	return r.redirect("/signin")
}

func (r *request) secondStep() error {
	r.teamWords()
	next, recovery := r.inside(r.form.value("next")), r.form.value("with") == "recovery"
	step, _ := r.door.Accounts.CheckPending(r.Cookies(pendingCookie))
	user, err := r.door.Accounts.FinishSignIn(r.UserContext(), r.Cookies(pendingCookie), r.form.value("code"), r.origin())
	if err == nil {
		r.keep(pendingCookie, "", "/signin", -1)
		r.startSession(user, "")
		return r.redirect(next)
	}
	switch f := r.failureOf(err); f.Status {
	case http.StatusUnauthorized:
		return r.startOver()
	case http.StatusTooManyRequests:
		return r.lockedOut(f, "verify-signin", r.secondStepForm(step, next, recovery))
	}
	return r.again(err, "verify-signin", r.secondStepForm(step, next, recovery))
}

// startSession lets somebody in: into a company, or ("") into the one that this
// browser was in last.
func (r *request) startSession(user account.User, company string) {
	if company == "" {
		company = r.Cookies(companyCookie)
	}
	chosen := user.Companies[0]
	for _, c := range user.Companies {
		if c.ID == company {
			chosen = c
		}
	}
	r.keepSession(chosen.ID, chosen.Token)
}

func (r *request) keepSession(company, token string) {
	r.keep(sessionCookie, token, "/", 0)
	r.keep(companyCookie, company, "/", companyTime)
}

// leave ends the session of this browser, if there is one.
func (r *request) leave() error {
	if r.enter() == nil {
		if err := r.door.Accounts.Logout(r.UserContext(), r.who.Actor); err != nil {
			return err
		}
	}
	r.keep(sessionCookie, "", "/", -1)
	return nil
}

func (r *request) signOut() error {
	if err := r.leave(); err != nil {
		return err
	}
	r.flash("ok", "signin.out")
	return r.redirect("/signin")
}

func (r *request) switchCompany() error {
	t, err := r.door.Accounts.SwitchCompany(r.UserContext(), r.who.Actor, r.form.value("company"))
	if err != nil {
		return err
	}
	r.keepSession(t.CompanyID, t.Secret)
	return r.redirect("/app/documents")
}

// setTheme keeps light or dark, or (anything else) what the system has.
func (r *request) setTheme() error {
	switch theme := r.form.value("theme"); theme {
	case "light", "dark":
		r.keep(themeCookie, theme, "/", 365*24*time.Hour)
	default:
		r.keep(themeCookie, "", "/", -1)
	}
	return r.redirect(r.inside(r.form.value("next")))
}
