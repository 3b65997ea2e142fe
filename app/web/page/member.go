package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/machine"
)

// ThemeCookie holds the chosen theme: light or dark.
const ThemeCookie = "paraph_theme"

// Member is a signed-in member of a company.
type Member struct {
	Call    account.Call
	User    account.User
	Company account.Company
}

// shell is the frame around every page of the app.
type shell struct {
	Member
	Nav     []Destination
	MayEdit bool // may create documents
	Theme   string
	Left    int  // seconds until the session ends
	Keys    bool // single-key shortcuts are on
	Waiting int  // documents that need the reader's action

	Warnings []machine.Warning // about the installation, for readers who can act on them
}

// Destination is one entry of the navigation.
type Destination struct {
	Href, Text, Icon string
	Current          bool
	Count            int // number of waiting items; 0 shows nothing
}

// admit runs a handler for a signed-in member. Members who still have to set up
// required two-factor login are sent there first.
func (r *Request) admit(h Handler) error {
	if err := r.Enter(); err != nil {
		return r.signInFirst(err)
	}
	if r.Who.Call.Limited && !r.open() && !r.Scripted() {
		return r.SeeOther("/app/me/security")
	}
	return h(r)
}

// open reports whether a page is available before two-factor login is set up.
func (r *Request) open() bool {
	for _, path := range []string{"/app/me/security", "/app/me/two-factor", "/app/me/passkeys", provePath,
		"/app/session", "/app/switch"} {
		if r.under(path) {
			return true
		}
	}
	return false
}

// Enter authenticates the session and prepares the frame of the page.
func (r *Request) Enter() error {
	who, err := r.site.Accounts.Authentication.Authenticate(r.Cookies(SessionCookie))
	if err != nil {
		return err
	}
	if who.Kind != account.ActorUser {
		return fault.Unauthenticated()
	}
	r.Who.Call = r.Call(who)
	if r.Who.User, err = r.site.Accounts.Profile.Me(r.Who.Call); err != nil {
		return err
	}
	// Not on behalf of the actor, who may be limited to setting up two-factor login.
	if r.Who.Company, err = r.site.Accounts.Companies.CompanyByID(who.CompanyID); err != nil {
		return err
	}
	if !r.Words.Pseudo() {
		r.Words = r.site.Words.ForTeam(r.site.Words.Exact(cmp.Or(r.Who.User.Locale, r.Who.Company.Locale)))
	}
	r.Shell = r.newShell()
	return errors.Join(r.countWaiting(), r.warn())
}

// warn adds the reader's warnings to the frame. The settings pages show their own
// warnings about certificates.
func (r *Request) warn() (err error) {
	if r.site.Warnings == nil || r.Who.Call.Limited {
		return nil
	}
	r.Shell.Warnings, err = r.site.Warnings(r.Who.Call)
	if strings.HasPrefix(r.Path(), "/app/settings") {
		r.Shell.Warnings = slices.DeleteFunc(r.Shell.Warnings, func(w machine.Warning) bool {
			return w.Kind == machine.WarningCertificate
		})
	}
	return err
}

// countWaiting counts the documents that need the reader's action.
func (r *Request) countWaiting() error {
	if r.Who.Call.Limited {
		return nil // has to set up two-factor login first
	}
	n, err := r.site.Lists.CountWaiting(r.Who.Call)
	r.Shell.Waiting = n
	for i := range r.Shell.Nav {
		if r.Shell.Nav[i].Href == "/app/action" {
			r.Shell.Nav[i].Count = n
		}
	}
	return err
}

// signInFirst redirects to the sign-in page and back. Scripts get the error.
func (r *Request) signInFirst(err error) error {
	if e := r.FailureOf(err); e.Status != http.StatusUnauthorized || r.Scripted() {
		return err
	}
	back := r.OriginalURL()
	if r.Method() != fiber.MethodGet {
		back = ""
		r.Flash("warn", "signin.ended")
	}
	return r.SeeOther("/signin?next=" + url.QueryEscape(back))
}

func (r *Request) newShell() *shell {
	s := &shell{
		Member:  r.Who,
		MayEdit: r.Who.Call.Can(account.ScopeWrite),
		Theme:   r.Theme(),
		Keys:    Shortcuts(r),
		Left:    r.Left(r.Who.Call.Until),
	}
	for _, to := range []Destination{
		{Href: "/app/documents", Text: r.Say("nav.documents"), Icon: "file"},
		{Href: "/app/action", Text: r.Say("nav.action"), Icon: "bell"},
		{Href: "/app/templates", Text: r.Say("nav.templates"), Icon: "copy"},
		{Href: "/app/contacts", Text: r.Say("nav.contacts"), Icon: "user"},
		{Href: "/app/team", Text: r.Say("nav.team"), Icon: "users"},
		{Href: "/app/settings", Text: r.Say("nav.settings"), Icon: "gear"},
	} {
		to.Current = r.under(to.Href) || to.Href == "/app/templates" && r.under("/app/bulk")
		s.Nav = append(s.Nav, to)
	}
	return s
}

// Within marks a destination as current for a page whose path is below another one.
func (s *shell) Within(href string) {
	for i := range s.Nav {
		s.Nav[i].Current = s.Nav[i].Href == href
	}
}

// under reports whether the page is at a path or below it.
func (r *Request) under(path string) bool {
	return r.Path() == path || strings.HasPrefix(r.Path(), path+"/")
}

// Theme returns the chosen theme, "" for the system's.
func (r *Request) Theme() string {
	switch v := r.Cookies(ThemeCookie); v {
	case "light", "dark":
		return v
	}
	return ""
}

// ShortcutsCookie turns single-key shortcuts off.
const ShortcutsCookie = "paraph_keys"

// Shortcuts reports whether the reader uses single-key shortcuts.
func Shortcuts(r *Request) bool { return r.Cookies(ShortcutsCookie) != "off" }

// Zone returns the reader's time zone.
func (m Member) Zone() *time.Location {
	for _, name := range []string{m.User.Timezone, m.Company.Timezone} {
		if zone, err := time.LoadLocation(name); err == nil && name != "" {
			return zone
		}
	}
	return time.UTC
}
