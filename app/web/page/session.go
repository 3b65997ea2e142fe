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

// Left returns the seconds until a time; 0 if it is not set.
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

const CompanyTime = 365 * 24 * time.Hour

// Inside returns path if it is a page of the app, else the list of documents.
func (r *Request) Inside(path string) string {
	const start = "/app/documents"
	if path = r.local(path, start); !strings.HasPrefix(path, "/app") {
		return start
	}
	return path
}

// DeviceCookie distinguishes a browser that has signed in before from one that
// guesses.
const DeviceCookie = "paraph_device"

// deviceTime is how long a browser is remembered.
const deviceTime = 365 * 24 * time.Hour

// KeepDevice remembers that this browser has signed in.
func (r *Request) KeepDevice(email string) error {
	marks, err := r.site.Accounts.RememberDevice(email, r.Cookies(DeviceCookie))
	if err == nil {
		r.Keep(DeviceCookie, marks, "/", deviceTime)
	}
	return err
}

func (r *Request) KeepSession(company, token string) {
	r.Keep(SessionCookie, token, "/", 0)
	r.Keep(CompanyCookie, company, "/", CompanyTime)
}

// Leave ends the session of this browser, if there is one.
func (r *Request) Leave() error {
	if r.Enter() == nil {
		if err := r.site.Accounts.Logout(r.UserContext(), r.Who.Actor); err != nil {
			return err
		}
	}
	r.Keep(SessionCookie, "", "/", -1)
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
	who, err := r.site.Accounts.Authenticate(r.UserContext(), kept)
	if err != nil || who.Kind != account.ActorUser {
		return account.Actor{}, account.User{}, false
	}
	u, err := r.site.Accounts.Me(r.UserContext(), who)
	return who, u, err == nil
}
