package signer

import (
	"strings"

	"paraph/app/web/page"
)

// declineReasons are the reasons offered for declining.
var declineReasons = []string{"content", "mistake", "person", "paper", "other"}

// AskDecline asks for the reason for declining.
func AskDecline(v *Visitor) error {
	if v.Document.NoDecline {
		return v.SeeOther(v.base)
	}
	return ask(v, declineTemplate)
}

// Reasons returns the reasons offered for declining.
func (visitPage) Reasons() []string { return declineReasons }

// declineReason joins the chosen reason and the one in the visitor's own words.
func declineReason(r *page.Request) string {
	var parts []string
	for _, reason := range declineReasons {
		if r.Form.Value("choice") == reason && reason != "other" {
			parts = append(parts, r.Say("decline.choice."+reason)+".")
		}
	}
	if own := strings.TrimSpace(r.Form.Value("reason")); own != "" {
		parts = append(parts, own)
	}
	return strings.Join(parts, "\n")
}

// Decline refuses to sign.
func (h *Handlers) Decline(v *Visitor) error {
	reason := declineReason(v.Request)
	_, err := h.Visits.Decline(v.UserContext(), v.who, v.who.Document, v.who.Invitation, &reason)
	if err != nil {
		return askAgain(v, declineTemplate, err)
	}
	return v.SeeOther(v.base)
}
