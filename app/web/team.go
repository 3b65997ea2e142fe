package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// sessionCookie holds the token of a member who signed in.
const sessionCookie = "paraph_session"

// themeCookie holds "light" or "dark" where somebody chose one.
const themeCookie = "paraph_theme"

// member is who reads the pages of the team.
type member struct {
	Actor   account.Actor
	User    account.User
	Company account.Company
}

// shell is what stands around every page of the team.
type shell struct {
	member
	Nav     []destination
	MayEdit bool // may make documents
	Theme   string
	Left    int // seconds until the session ends
	Waiting int // documents that need something of the reader
}

// destination is one entry of the navigation.
type destination struct {
	Href, Text, Icon string
	Current          bool
	Count            int // what waits there; 0 shows nothing
}

// teamGet adds a page for members. When the handler runs, r.who is who reads it.
func (d *Door) teamGet(app *fiber.App, path string, h handler) {
	d.get(app, path, func(r *request) error {
		return r.admit(h)
	})
}

// teamPost adds the target of a form of a page for members.
func (d *Door) teamPost(app *fiber.App, path string, h handler) {
	d.post(app, path, func(r *request) error {
		return r.admit(h)
	})
}

// teamUpload adds the target of a form of members that carries files; see upload.
func (d *Door) teamUpload(app *fiber.App, path string, h handler) {
	d.upload(app, path, func(r *request) error {
		return r.admit(h)
	})
}

// admit runs a handler for whoever is signed in. Whose company asks for a second
// step, and who has none yet, is led to where that is set up.
func (r *request) admit(h handler) error {
	if err := r.enter(); err != nil {
		return r.signInFirst(err)
	}
	if r.who.Actor.Limited && !r.open() && !r.scripted() {
		return r.redirect("/app/me/security")
	}
	return h(r)
}

// open says whether a page is there for those too who have to set up their second
// step first.
func (r *request) open() bool {
	for _, path := range []string{"/app/me/security", "/app/me/two-factor", "/app/me/passkeys", "/app/session", "/app/switch"} {
		if r.Path() == path || strings.HasPrefix(r.Path(), path+"/") {
			return true
		}
	}
	return false
}

// enter finds out who reads.
func (r *request) enter() error {
	who, err := r.door.Accounts.Authenticate(r.UserContext(), r.Cookies(sessionCookie))
	if err != nil {
		return err
	}
	if who.Kind != account.ActorUser {
		return account.Unauthenticated()
	}
	r.who.Actor = r.from(who)
	if r.who.User, err = r.door.Accounts.Me(r.UserContext(), r.who.Actor); err != nil {
		return err
	}
	// Not as the actor: who has to set up two-factor login first sees the pages for
	// that, and may ask for nothing else.
	if r.who.Company, err = r.door.Accounts.CompanyByID(who.CompanyID); err != nil {
		return err
	}
	r.words = r.door.books.forTeam(r.words)
	r.shell = r.newShell()
	return r.countWaiting()
}

// countWaiting says on every page how much needs the reader's action.
func (r *request) countWaiting() error {
	if r.who.Actor.Limited {
		return nil // has to set up a second step before anything else
	}
	n, err := r.door.Signing.CountWaiting(r.UserContext(), r.who.Actor)
	r.shell.Waiting = n
	for i := range r.shell.Nav {
		if r.shell.Nav[i].Href == "/app/action" {
			r.shell.Nav[i].Count = n
		}
	}
	return err
}

// signInFirst leads somebody who is not signed in to where that is done, and
// back. A script is told as it is.
func (r *request) signInFirst(err error) error {
	if e := r.failureOf(err); e.Status != http.StatusUnauthorized || r.scripted() {
		return err
	}
	back := r.OriginalURL()
	if r.Method() != fiber.MethodGet {
		back = ""
		r.flash("warn", "signin.ended")
	}
	return r.redirect("/signin?next=" + url.QueryEscape(back))
}

func (r *request) newShell() *shell {
	s := &shell{member: r.who, MayEdit: r.who.Actor.Can(account.ScopeWrite), Theme: r.theme(), Left: r.left(r.who.Actor.Until)}
	for _, to := range []destination{
		{Href: "/app/documents", Text: r.say("nav.documents"), Icon: "file"},
		{Href: "/app/action", Text: r.say("nav.action"), Icon: "bell"},
		{Href: "/app/contacts", Text: r.say("nav.contacts"), Icon: "user"},
		{Href: "/app/team", Text: r.say("nav.team"), Icon: "users"},
		{Href: "/app/settings", Text: r.say("nav.settings"), Icon: "gear"},
	} {
		to.Current = r.Path() == to.Href || strings.HasPrefix(r.Path(), to.Href+"/")
		s.Nav = append(s.Nav, to)
	}
	return s
}

func (r *request) theme() string {
	switch v := r.Cookies(themeCookie); v {
	case "light", "dark":
		return v
	}
	return ""
}

// Zone is the time zone of the reader.
func (m member) Zone() *time.Location {
	for _, name := range []string{m.User.Timezone, m.Company.Timezone} {
		if zone, err := time.LoadLocation(name); err == nil && name != "" {
			return zone
		}
	}
	return time.UTC
}

func (d *Door) teamRoutes(app *fiber.App) {
	d.teamGet(app, "/app", func(r *request) error { return r.redirect("/app/documents") })
	d.setupRoutes(app)
	d.createRoutes(app)
	d.signInRoutes(app)
	d.settingsRoutes(app)
	d.memberRoutes(app)
	d.contactRoutes(app)
	d.linkRoutes(app)
	d.passkeyRoutes(app)
	d.sessionRoutes(app)
	d.meRoutes(app)
	d.documentRoutes(app)
	d.editorRoutes(app)
	d.previewRoutes(app)
	d.teamGet(app, "/app/documents/:id/pages/:file/:page.png", (*request).documentPicture)
}
