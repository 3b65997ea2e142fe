package me

import (
	"github.com/gofiber/fiber/v2"

	"paraph/app/web/page"
)

// PasskeyRoutes are what the script webauthn.js asks and sends. Without scripts
// there are no passkeys: a code does the same.
func (h *Handlers) PasskeyRoutes(app *fiber.App) {
	h.Site.TeamPost(app, "/app/me/passkeys/begin", h.beginPasskey)
	h.Site.TeamPost(app, "/app/me/passkeys", h.addPasskey)
	h.Site.TeamPost(app, "/app/me/passkeys/rename", h.renamePasskey)
	h.Site.TeamPost(app, "/app/me/passkeys/remove", h.removePasskey)
}

func (h *Handlers) beginPasskey(r *page.Request) error {
	return r.Ceremony(h.Accounts.BeginPasskey(r.UserContext(), r.Who.Actor, r.BaseURL()))
}

func (h *Handlers) addPasskey(r *page.Request) error {
	made, err := h.Accounts.FinishPasskey(r.UserContext(), r.Who.Actor, r.Form.Value("ceremony"), r.Form.Value("name"), []byte(r.Form.Value("credential")))
	if err != nil {
		return h.securityAgain(r, err, nil)
	}
	if made.RecoveryCodes != nil {
		return showRecoveryCodes(r, made.RecoveryCodes)
	}
	r.Flash("ok", "passkey.added", "name", made.Name)
	return r.SeeOther("/app/me/security")
}

func (h *Handlers) renamePasskey(r *page.Request) error {
	made, err := h.Accounts.RenamePasskey(r.UserContext(), r.Who.Actor, r.Form.Value("passkey"), r.Form.Value("name"))
	if err != nil {
		return h.securityAgain(r, err, map[string]string{"name": "name-" + r.Form.Value("passkey")})
	}
	r.Flash("ok", "passkey.renamed", "name", made.Name)
	return r.SeeOther("/app/me/security")
}

func (h *Handlers) removePasskey(r *page.Request) error {
	id := r.Form.Value("passkey")
	field := "proof-" + id
	err := h.Accounts.RemovePasskey(r.UserContext(), r.Who.Actor, id, r.Form.Value(field), "")
	if err != nil {
		return h.securityAgain(r, err, map[string]string{"password": field, "code": field})
	}
	r.Flash("ok", "passkey.removed")
	return r.SeeOther("/app/me/security")
}
