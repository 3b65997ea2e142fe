package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// passkeyRoutes are what the script webauthn.js asks and sends. Without scripts
// there are no passkeys: a code does the same.
func (d *Door) passkeyRoutes(app *fiber.App) {
	d.teamPost(app, "/app/me/passkeys/begin", (*request).beginPasskey)
	d.teamPost(app, "/app/me/passkeys", (*request).addPasskey)
	d.teamPost(app, "/app/me/passkeys/rename", (*request).renamePasskey)
	d.teamPost(app, "/app/me/passkeys/remove", (*request).removePasskey)
}

// ceremony gives the script a challenge.
func (r *request) ceremony(c account.Ceremony, err error) error {
	if err != nil {
		return err
	}
	return r.JSON(map[string]any{"id": c.ID, "options": c.Options})
}

func (r *request) beginPasskeySignIn() error {
	r.teamWords()
	pending := ""
	if r.form.has("second") {
		pending = r.Cookies(pendingCookie)
	}
	return r.ceremony(r.door.Accounts.BeginPasskeyLogin(r.UserContext(), r.site(), pending, r.origin()))
}

func (r *request) passkeySignIn() error {
	r.teamWords()
	next := r.inside(r.form.value("next"))
	user, err := r.door.Accounts.FinishPasskeyLogin(r.UserContext(), r.form.value("ceremony"), []byte(r.form.value("credential")), r.origin())
	if err == nil {
		r.keep(pendingCookie, "", "/signin", -1)
		r.startSession(user, "")
		return r.redirect(next)
	}
	p := r.signInForm(next)
	p.Data = signInPage{Next: next} // not the same passkey at once again
	switch f := r.failureOf(err); f.Status {
	case http.StatusUnauthorized:
		p.Fault = r.say("passkey.refused")
	case http.StatusUnprocessableEntity:
		p.Fault = r.say("passkey.late")
	case http.StatusTooManyRequests:
		return r.lockedOut(f, "signin", p)
	default:
		return err
	}
	return r.render(http.StatusUnprocessableEntity, "signin", p)
}

func (r *request) beginPasskey() error {
	return r.ceremony(r.door.Accounts.BeginPasskey(r.UserContext(), r.who.Actor, r.site()))
}

func (r *request) addPasskey() error {
	made, err := r.door.Accounts.FinishPasskey(r.UserContext(), r.who.Actor, r.form.value("ceremony"), r.form.value("name"), []byte(r.form.value("credential")))
	if err != nil {
		return r.securityAgain(err, nil)
	}
	if made.RecoveryCodes != nil {
		return r.showRecoveryCodes(made.RecoveryCodes)
	}
	r.flash("ok", "passkey.added", "name", made.Name)
	return r.redirect("/app/me/security")
}

func (r *request) renamePasskey() error {
	made, err := r.door.Accounts.RenamePasskey(r.UserContext(), r.who.Actor, r.form.value("passkey"), r.form.value("name"))
	if err != nil {
		return r.securityAgain(err, map[string]string{"name": "name-" + r.form.value("passkey")})
	}
	r.flash("ok", "passkey.renamed", "name", made.Name)
	return r.redirect("/app/me/security")
}

func (r *request) removePasskey() error {
	id := r.form.value("passkey")
	field := "proof-" + id
	err := r.door.Accounts.RemovePasskey(r.UserContext(), r.who.Actor, id, r.form.value(field), "")
	if err != nil {
		return r.securityAgain(err, map[string]string{"password": field, "code": field})
	}
	r.flash("ok", "passkey.removed")
	return r.redirect("/app/me/security")
}
