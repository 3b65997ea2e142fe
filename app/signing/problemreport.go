package signing

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/kv"
)

// reportAgain is the minimum interval between problem reports by one person.
const reportAgain = 5 * time.Minute

// ReportProblem tells the owner, in an invited person's own words, what prevents them from
// signing. It requires no proof of identity.
func (s *Service) ReportProblem(_ context.Context, who account.Actor, id, invitation, problem string) error {
	var f fault.Fields
	text := input.Lines(&f, "message", &problem, record.MaxReason)
	if text == "" && f.Empty() {
		f.Required("message")
	}
	if err := f.Err(); err != nil {
		return err
	}
	if !who.IsSignatoryOf(id, invitation) {
		return fault.NotFound("invitation")
	}
	_, err := s.onInvitation(who, id, invitation, func(tx *kv.Tx, _ *Document, inv *Invitation) ([]Event, error) {
		state, err := identityOf(tx, inv.ID)
		if err != nil {
			return nil, err
		}
		if state.ReportedAt != nil && tx.Now.Sub(*state.ReportedAt) < reportAgain {
			return nil, fault.Throttled(1, reportAgain-tx.Now.Sub(*state.ReportedAt))
		}
		if err := state.note(tx.Now); err != nil {
			return nil, err
		}
		state.ReportedAt = &tx.Now
		return []Event{record.NewEvent(record.EventInvitationProblemReported).To(inv.ID).With("email", inv.Email).With("reason", text)}, identities.Put(tx, inv.ID, state)
	})
	return err
}
