package me

import (
	"paraph/app/web/page"
)

// BeginPasskey responds to a script with the challenge for a new passkey.
func (h *Handlers) BeginPasskey(r *page.Request) error {
	return r.Ceremony(h.Accounts.Authentication.BeginPasskey(r.Who.Call, r.BaseURL()))
}

// AddPasskey stores the passkey that the browser created.
func (h *Handlers) AddPasskey(r *page.Request) error {
	made, err := h.Accounts.Authentication.FinishPasskey(r.Who.Call, r.Form.Value("ceremony"), r.Form.Value("name"), []byte(r.Form.Value("credential")))
	if err != nil {
		return h.securityAgain(r, err, nil)
	}
	if made.RecoveryCodes != nil {
		return showRecoveryCodes(r, made.RecoveryCodes)
	}
	r.Flash("ok", "passkey.added", "name", made.Name)
	return r.SeeOther("/app/me/security")
}

// RenamePasskey renames a passkey.
func (h *Handlers) RenamePasskey(r *page.Request) error {
	made, err := h.Accounts.Authentication.RenamePasskey(r.Who.Call, r.Form.Value("passkey"), r.Form.Value("name"))
	if err != nil {
		return h.securityAgain(r, err, map[string]string{"name": "name-" + r.Form.Value("passkey")})
	}
	r.Flash("ok", "passkey.renamed", "name", made.Name)
	return r.SeeOther("/app/me/security")
}

// RemovePasskey deletes a passkey if the reader proves their identity.
func (h *Handlers) RemovePasskey(r *page.Request) error {
	id := r.Form.Value("passkey")
	field := "proof-" + id
	err := h.Accounts.Authentication.RemovePasskey(r.UserContext(), r.Who.Call, id, r.Form.Value(field), "")
	if err != nil {
		return h.securityAgain(r, err, map[string]string{"password": field, "code": field})
	}
	r.Flash("ok", "passkey.removed")
	return r.SeeOther("/app/me/security")
}
