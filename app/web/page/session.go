package page

import (
	"strings"
	"time"

	"paraph/app/account"
)

// Ceremony gives the script a challenge.
func (r *Request) Ceremony(c account.Ceremony, err error) error {
	if err != nil {
		return err
	}
	return r.JSON(map[string]any{"id": c.ID, "options": c.Options})
}

// Left is how many seconds there are until then; 0 for what does not end.
func (r *Request) Left(until time.Time) int {
	if until.IsZero() {
		return 0
	}
	return max(0, int(until.Sub(r.site.Now()).Seconds()))
}

// SignInLine is one entry of the log in words.
type SignInLine struct {
	account.SignInEntry
	Way     string
	Outcome Chip
}

// SignInLine words an entry of the record of sign-ins.
func (r *Request) SignInLine(e account.SignInEntry) SignInLine {
	look := Chip{"danger", "cross", r.Say("signin.outcome." + string(e.Outcome))}
	if e.Outcome == account.LetIn {
		look.Kind, look.Icon = "ok", "check"
	}
	return SignInLine{e, r.Say("signin.method." + string(e.Method)), look}
}

// CompanyCookie remembers the company that a browser worked in last.
const CompanyCookie = "paraph_company"

const CompanyTime = 365 * 24 * time.Hour

// Inside is a path of ours to go on to: never an address elsewhere.
func (r *Request) Inside(path string) string {
	const start = "/app/documents"
	if !strings.HasPrefix(path, "/app") {
		return start
	}
	return local(path, start)
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

// SignedIn is the member who is signed in in this browser, if one is.
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
