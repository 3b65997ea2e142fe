package me

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"paraph/app/fault"
	"paraph/app/web/page"
)

// enrolPage shows the secret of an authenticator app.
type enrolPage struct {
	URL, Secret string
	QR          template.HTML
}

// BeginTwoFactor creates a secret and shows it. Every call creates another one, which
// is why a form leads here rather than a link.
func (h *Handlers) BeginTwoFactor(r *page.Request) error {
	setup, err := h.Accounts.Authentication.BeginTwoFactor(r.Who.Call)
	if fault.KindOf(err) == fault.KindConflict {
		return h.securityAgain(r, err, nil)
	}
	if err != nil {
		return err
	}
	p, err := enrolPageOf(r, setup.URL)
	if err != nil {
		return err
	}
	return twoFactorTemplate.Render(r, http.StatusOK, p)
}

// enrolPageOf builds the page from the otpauth address. The form carries that along,
// because the service returns it only once.
func enrolPageOf(r *page.Request, address string) (page.View[enrolPage], error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "otpauth" {
		return page.View[enrolPage]{}, fault.Malformed("secret_missing")
	}
	code, err := page.QrCode(address, r.Say("enrol.qr"))
	if err != nil {
		return page.View[enrolPage]{}, fault.Malformed("secret_missing").Because(err)
	}
	data := enrolPage{URL: address, Secret: groupByFour(u.Query().Get("secret")), QR: code}
	return page.With(page.Page{Title: r.Say("enrol.title"), Scripts: []string{"access.js"}}, data), nil
}

// groupByFour splits a secret into groups of four characters for typing.
func groupByFour(s string) string {
	var b strings.Builder
	for i, c := range s {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// recoveryPage shows new recovery codes, once.
type recoveryPage struct {
	Codes []string
	File  template.URL
	Next  string
}

// ConfirmTwoFactor turns two-factor login on if a code proves that the app has the
// secret.
func (h *Handlers) ConfirmTwoFactor(r *page.Request) error {
	codes, err := h.Accounts.Authentication.ConfirmTwoFactor(r.Who.Call, r.Form.Value("code"))
	if fault.KindOf(err) == fault.KindConflict {
		return h.securityAgain(r, err, nil)
	}
	if err != nil {
		p, e := enrolPageOf(r, r.Form.Value("url"))
		if e != nil {
			return e
		}
		return twoFactorTemplate.Again(r, err, p)
	}
	return showRecoveryCodes(r, codes)
}

func showRecoveryCodes(r *page.Request, codes []string) error {
	file := r.Say("recovery.file", "email", r.Who.User.Email, "site", r.BaseURL()) + "\r\n\r\n" + strings.Join(codes, "\r\n") + "\r\n"
	next := "/app/me/security"
	if r.Who.Call.Limited { // the reader had to set it up first
		next = "/app/documents"
	}
	return recoveryTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("recovery.title"), Scripts: []string{"access.js"}},
		recoveryPage{Codes: codes, Next: next, File: template.URL("data:text/plain;charset=utf-8," + url.PathEscape(file))}))
}

// NewRecoveryCodes replaces the recovery codes and shows the new ones.
func (h *Handlers) NewRecoveryCodes(r *page.Request) error {
	codes, err := h.Accounts.Authentication.NewRecoveryCodes(r.UserContext(), r.Who.Call, r.Form.Value("proof-codes"), "")
	if err != nil {
		return h.securityAgain(r, err, map[string]string{"password": "proof-codes", "code": "proof-codes"})
	}
	return showRecoveryCodes(r, codes)
}

// DisableTwoFactor turns two-factor login off.
func (h *Handlers) DisableTwoFactor(r *page.Request) error {
	err := h.Accounts.Authentication.DisableTwoFactor(r.UserContext(), r.Who.Call, r.Form.Value("proof"), "")
	if err != nil {
		return h.securityAgain(r, err, map[string]string{"password": "proof", "code": "proof"})
	}
	r.Flash("ok", "me.two.off")
	return r.SeeOther("/app/me/security")
}
