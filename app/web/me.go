package web

import (
	"errors"
	"maps"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// meRoutes are the pages on which somebody changes what is their own.
func (d *Door) meRoutes(app *fiber.App) {
	d.teamGet(app, "/app/me", func(r *request) error { return r.render(http.StatusOK, "me", r.mePage()) })
	d.teamPost(app, "/app/me", (*request).changeMe)
	d.teamPost(app, "/app/me/email", (*request).verifyMe)
	d.signatureRoutes(app)
	d.teamGet(app, "/app/me/security", (*request).showSecurity)
	d.teamPost(app, "/app/me/password", (*request).changePassword)
	d.teamPost(app, "/app/me/two-factor", (*request).beginTwoFactor)
	d.teamPost(app, "/app/me/two-factor/confirm", (*request).confirmTwoFactor)
	d.teamPost(app, "/app/me/two-factor/off", (*request).disableTwoFactor)
	d.teamPost(app, "/app/me/recovery-codes", (*request).newRecoveryCodes)
}

// meTabs are the pages of one's own account.
type meTabs struct{ Tabs []destination }

func (r *request) meTabs() meTabs {
	tabs := []destination{
		{Href: "/app/me", Text: r.say("me.tab.profile")},
		{Href: "/app/me/security", Text: r.say("me.tab.security")},
		{Href: "/app/me/signature", Text: r.say("me.tab.signature")},
		{Href: "/app/me/sessions", Text: r.say("me.tab.sessions")},
	}
	return meTabs{tabs}
}

// mePage is the profile.
type mePage struct {
	meTabs
	Languages []option
	Themes    []option
	Rate      int // verification messages a minute
}

func (r *request) mePage() page {
	themes := []option{
		{Value: "", Label: r.say("me.theme.system")}, {Value: "light", Label: r.say("me.theme.light")}, {Value: "dark", Label: r.say("me.theme.dark")},
	}
	for i := range themes {
		themes[i].Selected = themes[i].Value == r.theme()
	}
	return page{Title: r.say("me.title"), Scripts: []string{"access.js"},
		Data: mePage{meTabs: r.meTabs(), Languages: mailLanguages(r.door.Notify.Words.Tags(), r.who.User.Locale), Themes: themes}}
}

func (r *request) changeMe() error {
	name, locale, zone := r.form.value("name"), r.form.value("locale"), r.form.value("timezone")
	_, err := r.door.Accounts.UpdateMe(r.UserContext(), r.who.Actor, account.MePatch{Name: &name, Locale: &locale, Timezone: &zone})
	if err != nil {
		return r.again(err, "me", r.mePage())
	}
	r.flash("ok", "me.saved")
	return r.redirect("/app/me")
}

// verifyMe sends a verification message, to a new address if one is named.
func (r *request) verifyMe() error {
	email := r.form.value("email")
	rate, err := r.door.Accounts.Reverify(r.UserContext(), r.who.Actor, email)
	if account.KindOf(err) == account.KindThrottled {
		f := r.failureOf(err)
		p := r.mePage()
		p.Values, p.Fault = r.form, r.say("me.email.wait", "limit", rate.Limit, "seconds", f.Wait)
		return r.render(f.Status, "me", p)
	}
	if err != nil {
		return r.again(err, "me", r.mePage())
	}
	if email == "" {
		email = r.who.User.Email
	}
	r.flash("ok", "me.email.sent", "email", email)
	return r.redirect("/app/me")
}

func (r *request) changePassword() error {
	wanted, repeated := r.form.value("password"), r.form.value("current_password")
	_, err := r.door.Accounts.UpdateMe(r.UserContext(), r.who.Actor, account.MePatch{Password: &wanted, CurrentPassword: repeated})
	if err != nil {
		return r.securityAgain(err, nil)
	}
	r.flash("ok", "me.password.changed")
	return r.redirect("/app/me/security")
}

// ownSecurity is how somebody proves who they are.
type ownSecurity struct {
	meTabs
	Passkeys []passkeyView
	Limited  bool // a second step has to be set up before anything else
}

type passkeyView struct {
	account.Passkey
	Last bool // without it the password alone would let in
}

func (r *request) meSecurity() (page, error) {
	keys, err := r.door.Accounts.ListPasskeys(r.UserContext(), r.who.Actor)
	if err != nil {
		return page{}, err
	}
	data := ownSecurity{meTabs: r.meTabs(), Limited: r.who.Actor.Limited}
	for _, k := range keys {
		data.Passkeys = append(data.Passkeys, passkeyView{k, len(keys) == 1 && !r.who.User.AuthenticatorApp})
	}
	return page{Title: r.say("me.security.title"), Scripts: []string{"access.js", "webauthn.js"}, Data: data}, nil
}

func (r *request) showSecurity() error {
	p, err := r.meSecurity()
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "me-security", p)
}

// securityAgain shows the page with what was wrong with one of its forms, whose
// fields have other names where another form has the same.
func (r *request) securityAgain(err error, names map[string]string) error {
	p, failed := r.meSecurity()
	if failed != nil {
		return failed
	}
	return r.again(renamed(err, names), "me-security", p)
}

// renamed gives an error whose faults lie with other fields, where a form has two
// of the same name.
func renamed(err error, fields map[string]string) error {
	e, ok := errors.AsType[*account.Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	out := *e
	out.Fields = maps.Clone(e.Fields)
	for from, to := range fields {
		if messages, ok := out.Fields[from]; ok {
			delete(out.Fields, from)
			out.Fields[to] = messages
		}
	}
	return &out
}
