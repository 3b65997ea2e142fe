package me

import (
	"cmp"
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// meTabs holds the links between the pages about one's own account.
type meTabs struct{ Tabs []page.Destination }

func meTabsOf(r *page.Request) meTabs {
	tabs := []page.Destination{
		{Href: "/app/me", Icon: "user", Text: r.Say("me.tab.profile")},
		{Href: "/app/me/security", Icon: "lock", Text: r.Say("settings.security")},
		{Href: "/app/me/signature", Icon: "sign", Text: r.Say("me.tab.signature")},
		{Href: "/app/me/sessions", Icon: "screen", Text: r.Say("me.tab.sessions")},
	}
	return meTabs{tabs}
}

// mePage is the profile page.
type mePage struct {
	meTabs
	Languages []page.Option
	Themes    []page.Option
	Mails     bool // messages go out by e-mail
}

func (h *Handlers) mePage(r *page.Request) page.View[mePage] {
	themes := []page.Option{
		{Value: "", Label: r.Say("me.theme.system")}, {Value: "light", Label: r.Say("me.theme.light")}, {Value: "dark", Label: r.Say("me.theme.dark")},
	}
	for i := range themes {
		themes[i].Selected = themes[i].Value == r.Theme()
	}
	data := mePage{
		meTabs:    meTabsOf(r),
		Languages: r.LanguageOptions(r.Who.User.Locale),
		Themes:    themes,
		Mails:     h.Mails(),
	}
	return page.With(page.Page{Title: r.Say("me.title"), Scripts: []string{"access.js", "settings.js"}}, data)
}

// Save stores the reader's name, language, and time zone.
func (h *Handlers) Save(r *page.Request) error {
	name, locale, zone := r.Form.Value("name"), r.Form.Value("locale"), r.Form.Value("timezone")
	patch := account.MePatch{Name: &name, Locale: &locale, Timezone: &zone}
	_, err := h.Accounts.Profile.UpdateMe(r.UserContext(), r.Who.Call, patch)
	if err != nil {
		return meTemplate.Again(r, err, h.mePage(r))
	}
	r.Flash("ok", "me.saved")
	return r.SeeOther("/app/me")
}

// VerifyEmail sends a verification message, to the new address if there is one.
func (h *Handlers) VerifyEmail(r *page.Request) error {
	email := r.Form.Value("email")
	rate, err := h.Accounts.Profile.Reverify(r.Who.Call, email)
	if fault.KindOf(err) == fault.KindThrottled {
		f := r.FailureOf(err)
		p := h.mePage(r)
		p.Values, p.Fault = r.Form, r.Say("me.email.wait", "limit", rate.Limit, "seconds", f.Wait)
		return meTemplate.Render(r, f.Status, p)
	}
	if err != nil {
		return meTemplate.Again(r, err, h.mePage(r))
	}
	if email == "" {
		email = r.Who.User.Email
	}
	r.Flash("ok", page.Mailed("me.email.sent", h.Mails()), "email", email)
	return r.SeeOther("/app/me")
}

// ChangePassword sets a new password.
func (h *Handlers) ChangePassword(r *page.Request) error {
	password, current := r.Form.Value("password"), r.Form.Value("current_password")
	patch := account.MePatch{Password: &password, CurrentPassword: current}
	_, err := h.Accounts.Profile.UpdateMe(r.UserContext(), r.Who.Call, patch)
	if err != nil {
		return h.securityAgain(r, err, nil)
	}
	r.Flash("ok", "me.password.changed")
	return r.SeeOther("/app/me/security")
}

// ownSecurity lists the reader's ways to sign in.
type ownSecurity struct {
	meTabs
	Passkeys []passkeyView
	Limited  bool // two-factor login has to be set up before anything else
}

type passkeyView struct {
	account.Passkey
	Last bool // without it, the password alone would suffice
}

func (h *Handlers) meSecurity(r *page.Request) (page.View[ownSecurity], error) {
	keys, err := h.Accounts.Authentication.ListPasskeys(r.Who.Call)
	if err != nil {
		return page.View[ownSecurity]{}, err
	}
	data := ownSecurity{meTabs: meTabsOf(r), Limited: r.Who.Call.Limited}
	for _, k := range keys {
		data.Passkeys = append(data.Passkeys, passkeyView{k, len(keys) == 1 && !r.Who.User.AuthenticatorApp})
	}
	return page.With(page.Page{Title: r.Say("me.security.title"), Scripts: []string{"access.js", "webauthn.js"}}, data), nil
}

// ShowSecurity serves the page about password, passkeys, and two-factor login.
func (h *Handlers) ShowSecurity(r *page.Request) error {
	p, err := h.meSecurity(r)
	if err != nil {
		return err
	}
	return securityTemplate.Render(r, http.StatusOK, p)
}

// securityAgain shows the page with the errors of one of its forms. names maps
// fields to inputs whose names differ.
func (h *Handlers) securityAgain(r *page.Request, err error, names map[string]string) error {
	p, failed := h.meSecurity(r)
	if failed != nil {
		return failed
	}
	err = page.RenameFaults(err, func(name string) string { return cmp.Or(names[name], name) })
	return securityTemplate.Again(r, err, p)
}

// Show serves the profile of the reader.
func (h *Handlers) Show(r *page.Request) error {
	return meTemplate.Render(r, http.StatusOK, h.mePage(r))
}
