package signer

import (
	"strings"

	"paraph/app/web/page"
)

// declineReasons are the reasons offered for declining.
var declineReasons = []string{"content", "mistake", "person", "paper", "other"}

// AskDecline asks why somebody declines.
func AskDecline(v *Visitor) error {
	if v.Document.NoDecline {
		return v.SeeOther(v.base)
	}
	return ask(v, "decline")
}

// Reasons returns the reasons offered for declining.
func (visitPage) Reasons() []string { return declineReasons }

// declineReason joins the chosen reason and the written one.
func declineReason(r *page.Request) string {
	var said []string
	for _, reason := range declineReasons {
		if r.Form.Value("choice") == reason && reason != "other" {
			said = append(said, r.Say("decline.choice."+reason)+".")
		}
	}
	if own := strings.TrimSpace(r.Form.Value("reason")); own != "" {
		said = append(said, own)
	}
	return strings.Join(said, "\n")
}

// Decline refuses to sign.
func (h *Handlers) Decline(v *Visitor) error {
	reason := declineReason(v.Request)
	if _, err := h.Signing.Decline(v.UserContext(), v.who, v.who.Document, v.who.Invitation, &reason); err != nil {
		return asked(v, "decline", err)
	}
	return v.SeeOther(v.base)
}
