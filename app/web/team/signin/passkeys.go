package signin

import (
	"net/http"

	"paraph/app/web/page"
)

// BeginPasskey responds to a script with the challenge for a passkey.
func (h *Handlers) BeginPasskey(r *page.Request) error {
	r.TeamWords()
	pending := ""
	if r.Form.Has("second") {
		pending = r.Cookies(pendingCookie)
	}
	return r.Ceremony(h.Accounts.Authentication.BeginPasskeyLogin(r.BaseURL(), pending, origin(r)))
}

// Passkey signs in with a passkey.
func (h *Handlers) Passkey(r *page.Request) error {
	r.TeamWords()
	next := r.Inside(r.Form.Value("next"))
	user, err := h.Accounts.Authentication.FinishPasskeyLogin(r.Form.Value("ceremony"), []byte(r.Form.Value("credential")), origin(r))
	if err == nil {
		r.SetCookie(pendingCookie, "", "/signin", -1)
		return startSession(r, user, "", next)
	}
	p := signInForm(r, next)
	p.Data = signInPage{Next: next} // don't offer the same passkey again right away
	switch f := r.FailureOf(err); f.Status {
	case http.StatusUnauthorized:
		p.Fault = r.Say("passkey.refused")
	case http.StatusForbidden:
		p.Fault = r.Explain(f)
	case http.StatusUnprocessableEntity:
		p.Fault = r.Say("passkey.late")
	case http.StatusTooManyRequests:
		return lockedOut(r, f, signinTemplate, p)
	default:
		return err
	}
	return signinTemplate.Render(r, http.StatusUnprocessableEntity, p)
}
