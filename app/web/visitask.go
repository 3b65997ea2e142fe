package web

import (
	"strings"

	"paraph/app/signing"
)

// declineReasons are offered to whoever declines.
var declineReasons = []string{"content", "mistake", "person", "paper", "other"}

func (r *request) askDecline(v *visitor) error {
	if v.Document.NoDecline {
		return r.redirect(v.base)
	}
	return r.ask(v, "decline")
}

func (r *request) askDelegate(v *visitor) error {
	if v.Document.NoDelegation {
		return r.redirect(v.base)
	}
	return r.ask(v, "delegate")
}

// Reasons are those for declining.
func (visitPage) Reasons() []string { return declineReasons }

// declineReason is what was chosen and what was written, as one text.
func (r *request) declineReason() string {
	var said []string
	for _, reason := range declineReasons {
		if r.form.value("choice") == reason && reason != "other" {
			said = append(said, r.say("decline.choice."+reason)+".")
		}
	}
	if own := strings.TrimSpace(r.form.value("reason")); own != "" {
		said = append(said, own)
	}
	return strings.Join(said, "\n")
}

func (r *request) decline(v *visitor) error {
	reason := r.declineReason()
	if _, err := r.door.Signing.Decline(r.UserContext(), v.who, v.who.Document, v.who.Invitation, &reason); err != nil {
		return r.asked(v, "decline", err)
	}
	return r.redirect(v.base)
}

func (r *request) delegate(v *visitor) error {
	name, email := strings.TrimSpace(r.form.value("name")), strings.TrimSpace(r.form.value("email"))
	in := signing.InvitationInput{Name: &name, Email: &email}
	if message := r.form.value("message"); message != "" {
		in.Message = &message
	}
	reason := r.form.value("reason")
	if _, err := r.door.Signing.Delegate(r.UserContext(), v.who, v.who.Document, v.who.Invitation, in, &reason); err != nil {
		return r.asked(v, "delegate", err)
	}
	return r.farewell(v, "delegate.done", "name", name)
}
