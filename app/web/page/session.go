package page

import (
	"strings"
	"time"

	"paraph/app/account"
)

// Ceremony responds to a script with a passkey challenge.
func (r *Request) Ceremony(c account.Ceremony, err error) error {
	if err != nil {
		return err
	}
	return r.JSON(map[string]any{"id": c.ID, "options": c.Options})
}

// Left returns the seconds until a time, 0 if it isn't set.
func (r *Request) Left(until time.Time) int {
	if until.IsZero() {
		return 0
	}
	return max(0, int(until.Sub(r.site.Now()).Seconds()))
}

// SignInLine is one entry of the sign-in log.
type SignInLine struct {
	account.SignInEntry
	Way     string
	Outcome Chip
}

// SignInLine describes an entry of the sign-in log.
func (r *Request) SignInLine(e account.SignInEntry) SignInLine {
	look := Chip{"danger", "cross", r.Say("signin.outcome." + string(e.Outcome))}
	if e.Outcome == account.LetIn {
		look.Kind, look.Icon = "ok", "check"
	}
	return SignInLine{e, r.Say("signin.method." + string(e.Method)), look}
}

// CompanyCookie remembers the company last used in this browser.
const CompanyCookie = "paraph_company"

// CompanyTime is how long that company is remembered.
const CompanyTime = 365 * 24 * time.Hour

// Inside returns path if it is a page of the app, else that of the document list.
func (r *Request) Inside(path string) string {
	const start = "/app/documents"
	if path = r.local(path, start); !strings.HasPrefix(path, "/app") {
		return start
	}
	return path
}

// DeviceCookie marks a browser that has signed in before, to tell it from one that
// guesses passwords.
const DeviceCookie = "paraph_device"

// deviceTime is how long a browser is remembered.
const deviceTime = 365 * 24 * time.Hour

// RememberDevice marks this browser as one that has signed in.
func (r *Request) RememberDevice(email string) error {
	marks, err := r.site.Accounts.Authentication.RememberDevice(email, r.Cookies(DeviceCookie))
	if err == nil {
		r.SetCookie(DeviceCookie, marks, "/", deviceTime)
	}
	return err
}

// StartSession stores a session and its company in the browser.
func (r *Request) StartSession(company, token string) {
	r.SetCookie(SessionCookie, token, "/", 0)
	r.SetCookie(CompanyCookie, company, "/", CompanyTime)
}

// Leave ends the session of this browser, if there is one.
func (r *Request) Leave() error {
	if r.Enter() == nil {
		if err := r.site.Accounts.Authentication.Logout(r.Who.Call); err != nil {
			return err
		}
	}
	r.SetCookie(SessionCookie, "", "/", -1)
	return nil
}

// SessionCookie holds the token of a member who signed in.
const SessionCookie = "paraph_session"

// SignedIn returns the member signed in to this browser, if any.
func (r *Request) SignedIn() (account.Actor, account.User, bool) {
	kept := r.Cookies(SessionCookie)
	if kept == "" {
		return account.Actor{}, account.User{}, false
	}
	who, err := r.site.Accounts.Authentication.Authenticate(kept)
	if err != nil || who.Kind != account.ActorUser {
		return account.Actor{}, account.User{}, false
	}
	u, err := r.site.Accounts.Profile.Me(r.Call(who))
	return who, u, err == nil
}
