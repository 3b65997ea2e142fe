package signer

import (
	"net/http"
	"strings"

	"paraph/app/signing/record"
)

// AskDelegate asks who to pass an invitation on to.
func AskDelegate(v *Visitor) error {
	if v.Document.NoDelegation {
		return v.SeeOther(v.base)
	}
	return ask(v, delegateTemplate)
}

// Delegate passes an invitation on to somebody else.
func (h *Handlers) Delegate(v *Visitor) error {
	name, email := strings.TrimSpace(v.Form.Value("name")), strings.TrimSpace(v.Form.Value("email"))
	in := record.InvitationInput{Name: &name, Email: &email}
	if message := v.Form.Value("message"); message != "" {
		in.Message = &message
	}
	reason := v.Form.Value("reason")
	_, err := h.Sending.Delegate(v.who, v.who.Document, v.who.Invitation, in, &reason)
	if err != nil {
		return askAgain(v, delegateTemplate, err)
	}
	p := farewellPage(v, "delegate.done", "name", name)
	if !v.mails {
		p.Lead = v.Say("delegate.done.nomail", "name", name, "sender", visitPageOf(v).Sender)
	}
	return farewellTemplate.Render(v.Request, http.StatusOK, p)
}
