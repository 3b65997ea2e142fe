package web

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"paraph/app/account"
)

// enrolPage shows the secret of an authenticator app.
type enrolPage struct {
	URL, Secret string
	QR          template.HTML
}

// beginTwoFactor makes a secret and shows it. Showing it again makes another one,
// so this answers a form and not a link.
func (r *request) beginTwoFactor() error {
	setup, err := r.door.Accounts.BeginTwoFactor(r.UserContext(), r.who.Actor)
	if account.KindOf(err) == account.KindConflict {
		return r.securityAgain(err, nil)
	}
	if err != nil {
		return err
	}
	p, err := r.enrolPage(setup.URL)
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "me-two-factor", p)
}

// enrolPage is made of what the authenticator app is given, which the form carries
// on: the service tells it once.
func (r *request) enrolPage(address string) (page, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "otpauth" {
		return page{}, account.Malformed("The secret did not arrive. Begin again.")
	}
	code, err := qrCode(address, r.say("enrol.qr"))
	if err != nil {
		return page{}, account.Malformed("The secret did not arrive. Begin again.").Because(err)
	}
	return page{Title: r.say("enrol.title"), Scripts: []string{"access.js"}, Data: enrolPage{URL: address, Secret: inFours(u.Query().Get("secret")), QR: code}}, nil
}

// inFours divides a secret so that it can be typed.
func inFours(s string) string {
	var b strings.Builder
	for i, c := range s {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// recoveryPage shows recovery codes, once.
type recoveryPage struct {
	Codes []string
	File  template.URL
	Next  string
}

func (r *request) confirmTwoFactor() error {
	codes, err := r.door.Accounts.ConfirmTwoFactor(r.UserContext(), r.who.Actor, r.form.value("code"))
	if account.KindOf(err) == account.KindConflict {
		return r.securityAgain(err, nil)
	}
	if err != nil {
		p, e := r.enrolPage(r.form.value("url"))
		if e != nil {
			return e
		}
		return r.again(err, "me-two-factor", p)
	}
	return r.showRecoveryCodes(codes)
}

func (r *request) showRecoveryCodes(codes []string) error {
	file := r.say("recovery.file", "email", r.who.User.Email, "site", r.site()) + "\r\n\r\n" + strings.Join(codes, "\r\n") + "\r\n"
	next := "/app/me/security"
	if r.who.Actor.Limited { // it was what stood in the way
		next = "/app/documents"
	}
	return r.render(http.StatusOK, "me-recovery", page{Title: r.say("recovery.title"), Scripts: []string{"access.js"}, Data: recoveryPage{
		Codes: codes, Next: next, File: template.URL("data:text/plain;charset=utf-8," + url.PathEscape(file))}})
}

func (r *request) newRecoveryCodes() error {
	codes, err := r.door.Accounts.NewRecoveryCodes(r.UserContext(), r.who.Actor, r.form.value("proof-codes"), "")
	if err != nil {
		return r.securityAgain(err, map[string]string{"password": "proof-codes", "code": "proof-codes"})
	}
	return r.showRecoveryCodes(codes)
}

func (r *request) disableTwoFactor() error {
	err := r.door.Accounts.DisableTwoFactor(r.UserContext(), r.who.Actor, r.form.value("proof"), "")
	if err != nil {
		return r.securityAgain(err, map[string]string{"password": "proof", "code": "proof"})
	}
	r.flash("ok", "me.two.off")
	return r.redirect("/app/me/security")
}
