package signer

import (
	"strings"

	"paraph/app/web/page"
)

// declineReasons are offered to whoever declines.
var declineReasons = []string{"content", "mistake", "person", "paper", "other"}

func askDecline(r *page.Request, v *visitor) error {
	if v.Document.NoDecline {
		return r.SeeOther(v.base)
	}
	return ask(r, v, "decline")
}

// Reasons are those for declining.
func (visitPage) Reasons() []string { return declineReasons }

// declineReason is what was chosen and what was written, as one text.
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

func (h *Handlers) decline(r *page.Request, v *visitor) error {
	reason := declineReason(r)
	if _, err := h.Signing.Decline(r.UserContext(), v.who, v.who.Document, v.who.Invitation, &reason); err != nil {
		return asked(r, v, "decline", err)
	}
	return r.SeeOther(v.base)
}
