package signin

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/web/page"
)

// pendingCookie holds a pending sign-in until the second factor is given.
const pendingCookie = "paraph_pending"

// pendingTime is slightly longer than the lifetime of a pending sign-in.
const pendingTime = 15 * time.Minute

// signInPage is the first or the second step of signing in.
type signInPage struct {
	Next     string
	Recovery bool // the page asks for a recovery code
	Offer    bool // the browser may offer passkeys unprompted
	App      bool // a code of the authenticator app is accepted
	Passkey  bool // a passkey is accepted
}

func signInForm(r *page.Request, next string) page.View[signInPage] {
	data := signInPage{Next: r.Inside(next), Offer: account.AcceptsPasskeys(r.BaseURL())}
	return page.With(page.Page{Title: r.Say("signin.title"), Scripts: []string{"access.js", "webauthn.js"}}, data)
}

// ShowSignIn serves the sign-in form.
func ShowSignIn(r *page.Request) error {
	r.TeamWords()
	if r.Enter() == nil {
		return r.SeeOther(r.Inside(r.Query("next")))
	}
	return signinTemplate.Render(r, http.StatusOK, signInForm(r, r.Query("next")))
}

// SignIn signs in with an e-mail address and a password.
func (h *Handlers) SignIn(r *page.Request) error {
	r.TeamWords()
	next := r.Form.Value("next")
	err := h.signInWith(r, r.Form.Value("email"), r.Form.Value("password"), "", r.Inside(next))
	if err == nil {
		return nil
	}
	p := signInForm(r, next)
	switch f := r.FailureOf(err); f.Status {
	case http.StatusUnauthorized:
		p.Values, p.Fault = r.Form, r.Say("signin.wrong")
		return signinTemplate.Render(r, f.Status, p)
	case http.StatusTooManyRequests:
		return lockedOut(r, f, signinTemplate, p)
	}
	return signinTemplate.Again(r, err, p)
}

// signInWith signs a user in, after the second factor if they have one. company is
// the company to open, "" for the last one used in this browser.
func (h *Handlers) signInWith(r *page.Request, email, password, company, next string) error {
	step, err := h.Accounts.Authentication.BeginSignIn(r.UserContext(), email, password, origin(r))
	if err != nil {
		return err
	}
	if step.Pending != "" {
		r.SetCookie(pendingCookie, step.Pending, "/signin", pendingTime)
		return r.SeeOther("/signin/verify?next=" + url.QueryEscape(next))
	}
	return startSession(r, step.User, company, next)
}

func origin(r *page.Request) account.From {
	return account.From{IP: r.ClientIP(), UserAgent: r.Agent(), Device: r.Cookies(page.DeviceCookie),
		Invite: r.Cookies(inviteCookie)}
}

// lockedOut shows a form after too many attempts, and says how many minutes to wait.
func lockedOut[T any](r *page.Request, f page.Failure, t page.Template[T], p page.View[T]) error {
	p.Values, p.Fault = r.Form, r.Say("signin.locked", "n", (f.Wait+59)/60)
	r.Set(fiber.HeaderRetryAfter, fmt.Sprint(f.Wait))
	return t.Render(r, f.Status, p)
}

func secondStepForm(r *page.Request, step account.SignIn, next string, recovery bool) page.View[signInPage] {
	data := signInPage{
		Next:     r.Inside(next),
		Recovery: recovery || !step.App && !step.Passkey,
		App:      step.App,
		Passkey:  step.Passkey,
	}
	return page.With(page.Page{Title: r.Say("second.title"), Scripts: []string{"access.js", "webauthn.js"}}, data)
}

// ShowSecondStep asks for the second factor.
func (h *Handlers) ShowSecondStep(r *page.Request) error {
	r.TeamWords()
	step, ok := h.Accounts.Authentication.CheckPending(r.Cookies(pendingCookie))
	if !ok {
		return startOver(r)
	}
	return verifySigninTemplate.Render(r, http.StatusOK, secondStepForm(r, step, r.Query("next"), r.Query("with") == "recovery"))
}

// startOver asks for the password again because the pending sign-in expired.
func startOver(r *page.Request) error {
	r.Flash("warn", "second.over")
	return r.SeeOther("/signin")
}

// SecondStep checks the second factor.
func (h *Handlers) SecondStep(r *page.Request) error {
	r.TeamWords()
	next, recovery := r.Inside(r.Form.Value("next")), r.Form.Value("with") == "recovery"
	step, _ := h.Accounts.Authentication.CheckPending(r.Cookies(pendingCookie))
	user, err := h.Accounts.Authentication.FinishSignIn(r.Cookies(pendingCookie), r.Form.Value("code"), origin(r))
	if err == nil {
		r.SetCookie(pendingCookie, "", "/signin", -1)
		return startSession(r, user, "", next)
	}
	switch f := r.FailureOf(err); f.Status {
	case http.StatusUnauthorized:
		return startOver(r)
	case http.StatusTooManyRequests:
		return lockedOut(r, f, "verify-signin", secondStepForm(r, step, next, recovery))
	}
	return verifySigninTemplate.Again(r, err, secondStepForm(r, step, next, recovery))
}

// startSession opens a company, "" for the last one used in this browser.
func startSession(r *page.Request, user account.User, company, next string) error {
	if company == "" {
		company = r.Cookies(page.CompanyCookie)
	}
	chosen := user.Companies[0]
	for _, c := range user.Companies {
		if c.ID == company {
			chosen = c
		}
	}
	r.StartSession(chosen.ID, chosen.Token)
	if r.Cookies(inviteCookie) != "" {
		r.SetCookie(inviteCookie, "", "/signin", -1)
	}
	if err := r.RememberDevice(user.Email); err != nil {
		return err
	}
	return r.SeeOther(next)
}

// SignOut ends the session of this browser.
func SignOut(r *page.Request) error {
	if err := r.Leave(); err != nil {
		return err
	}
	r.Flash("ok", "signin.out")
	return r.SeeOther("/signin")
}

// SwitchCompany moves the session to another company of the reader.
func (h *Handlers) SwitchCompany(r *page.Request) error {
	t, err := h.Accounts.Authentication.SwitchCompany(r.Who.Call, r.Form.Value("company"))
	if err != nil {
		return err
	}
	r.StartSession(t.CompanyID, t.Secret)
	return r.SeeOther("/app/documents")
}

// SetTheme stores the light or dark theme. Any other value means the system's.
func SetTheme(r *page.Request) error {
	switch theme := r.Form.Value("theme"); theme {
	case "light", "dark":
		r.SetCookie(page.ThemeCookie, theme, "/", 365*24*time.Hour)
	default:
		r.SetCookie(page.ThemeCookie, "", "/", -1)
	}
	return r.SeeOther(r.Inside(r.Form.Value("next")))
}
