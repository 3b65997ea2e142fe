package signer

import (
	"strings"

	"paraph/app/signing"
	"paraph/app/web/page"
)

func askDelegate(r *page.Request, v *visitor) error {
	if v.Document.NoDelegation {
		return r.SeeOther(v.base)
	}
	return ask(r, v, "delegate")
}

func (h *Handlers) delegate(r *page.Request, v *visitor) error {
	name, email := strings.TrimSpace(r.Form.Value("name")), strings.TrimSpace(r.Form.Value("email"))
	in := signing.InvitationInput{Name: &name, Email: &email}
	if message := r.Form.Value("message"); message != "" {
		in.Message = &message
	}
	reason := r.Form.Value("reason")
	if _, err := h.Signing.Delegate(r.UserContext(), v.who, v.who.Document, v.who.Invitation, in, &reason); err != nil {
		return asked(r, v, "delegate", err)
	}
	return farewell(r, v, "delegate.done", "name", name)
}
