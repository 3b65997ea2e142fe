package store

import (
	"errors"
	"slices"

	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/kv"
)

// SavedAnswers holds the answers by invitation.
var SavedAnswers = kv.NewCollection("answers", kv.JSON[record.Answers]())

func AnswersOf(tx *kv.Tx, invitation string) (record.Answers, error) {
	d, err := SavedAnswers.Get(tx, invitation)
	if errors.Is(err, kv.ErrNotFound) {
		return record.Answers{}, nil
	}
	return d, err
}

// StorableMark returns the mark to store with the answers, or nil if it is too large to sign with.
func StorableMark(m *mark.Mark) *mark.Mark {
	if m == nil || m.Oversize() || len(m.Text) > 4*record.MaxName {
		return nil
	}
	return m
}

// dropAnswers deletes the answers that these events make obsolete.
func dropAnswers(tx *kv.Tx, d *record.Document, events []record.Event) error {
	for _, e := range events {
		switch e.Type {
		case record.EventInvitationSigned, record.EventInvitationFilledIn, record.EventInvitationRead,
			record.EventInvitationNotNeeded, record.EventInvitationDeclined,
			record.EventInvitationDelegated, record.EventInvitationReplaced:
			if err := SavedAnswers.Delete(tx, e.Invitation); err != nil {
				return err
			}
		}
	}
	if slices.ContainsFunc(events, func(e record.Event) bool { return e.Type == record.EventDocumentVoided }) {
		return DropAllAnswers(tx, d)
	}
	return nil
}

func DropAllAnswers(tx *kv.Tx, d *record.Document) error {
	for i := range d.Invitations {
		if err := SavedAnswers.Delete(tx, d.Invitations[i].ID); err != nil {
			return err
		}
	}
	return nil
}
