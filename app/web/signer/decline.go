package signer

import (
	"paraph/app/signing"
	"paraph/app/signing/record"
)

// AskDecline asks for the reason for declining.
func AskDecline(v *Visitor) error {
	if v.Document.NoDecline {
		return v.SeeOther(v.base)
	}
	return ask(v, declineTemplate)
}

// Reasons returns the reasons offered for declining.
func (visitPage) Reasons() (reasons []string) {
	for _, code := range record.DeclineReasons() {
		reasons = append(reasons, string(code))
	}
	return append(reasons, "other")
}

// Decline refuses to sign.
func (h *Handlers) Decline(v *Visitor) error {
	_, err := h.Signing.Decline(v.who, v.who.Document, v.who.Invitation, signing.DeclineInput{
		Choice: record.ReasonCode(v.Form.Value("choice")), Reason: new(v.Form.Value("reason"))})
	if err != nil {
		return askAgain(v, declineTemplate, err)
	}
	return v.SeeOther(v.base + "?just=" + leftDeclined)
}
