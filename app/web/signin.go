package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// companyCookie remembers the company that a browser worked in last.
const companyCookie = "paraph_company"

type signInPage struct{ Next string }

func (d *Door) signInRoutes(app *fiber.App) {
	d.get(app, "/signin", func(r *request) error {
		next := r.inside(r.Query("next"))
		if r.enter() == nil {
			return r.redirect(next)
		}
		return r.render(http.StatusOK, "signin", page{Title: r.say("signin.title"), Data: signInPage{next}})
	})
	d.post(app, "/signin", (*request).signIn)
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

func (r *request) signIn() error {
	next := r.inside(r.form.value("next"))
	user, err := r.door.Accounts.Login(r.UserContext(), r.form.value("email"), r.form.value("password"), r.form.value("code"),
		account.From{IP: r.address(), UserAgent: r.agent()})
	if err != nil {
		p := page{Title: r.say("signin.title"), Data: signInPage{next}}
		if f := r.failureOf(err); f.Status == http.StatusUnauthorized {
			p.Values, p.Fault = r.form, r.say("signin.wrong")
			return r.render(f.Status, "signin", p)
		}
		return r.again(err, "signin", p)
	}
	r.startSession(user)
	return r.redirect(next)
}

// startSession lets somebody in, into the company that this browser was in last.
func (r *request) startSession(user account.User) {
	chosen := user.Companies[0]
	for _, c := range user.Companies {
		if c.ID == r.Cookies(companyCookie) {
			chosen = c
		}
	}
	r.keepSession(chosen.ID, chosen.Token)
}

func (r *request) keepSession(company, token string) {
	r.keep(sessionCookie, token, "/", 0)
	r.keep(companyCookie, company, "/", 365*24*time.Hour)
}

func (r *request) signOut() error {
	if r.enter() == nil {
		if err := r.door.Accounts.Logout(r.UserContext(), r.who.Actor); err != nil {
			return err
		}
	}
	r.keep(sessionCookie, "", "/", -1)
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
