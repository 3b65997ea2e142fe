package store

import (
	"errors"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/kv"
	"slices"
	"time"
)

// Answers holds what a person has filled in but not signed yet. It is kept until
// the invitation is closed, so that they can continue on any device.
type Answers struct {
	Values    map[string]string // by field identifier
	Signature *Mark             `json:",omitempty"`
	Initials  *Mark             `json:",omitempty"`
	// ReceivedMark holds marks from other devices, by kind. They are stored separately
	// until the person accepts them, so that this device does not overwrite them when
	// it saves.
	Handed  map[string]ReceivedMark `json:",omitempty"`
	SavedAt *time.Time              `json:",omitempty"`
}

// SavedAnswers holds the answers by invitation.
var SavedAnswers = kv.NewCollection("answers", kv.JSON[Answers]())

func AnswersOf(tx *kv.Tx, invitation string) (Answers, error) {
	d, err := SavedAnswers.Get(tx, invitation)
	if errors.Is(err, kv.ErrNotFound) {
		return Answers{}, nil
	}
	return d, err
}

// StorableMark returns the mark to store with the answers, or nil if it is too large to sign with.
func StorableMark(m *Mark) *Mark {
	if m == nil || m.Oversize() || len(m.Text) > 4*record.MaxName {
		return nil
	}
	return m
}

// Mark returns the mark the person intends to sign with: the one they chose on this
// device, otherwise the one they drew on another.
func (a Answers) Mark(kind string) *Mark {
	chosen := map[string]*Mark{"signature": a.Signature, "initials": a.Initials}[kind]
	if h, ok := a.Handed[kind]; ok && (chosen == nil || a.SavedAt == nil || h.At.After(*a.SavedAt)) {
		return &h.Mark
	}
	return chosen
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

// ReceivedMark is a mark that was drawn on another device.
type ReceivedMark struct {
	Mark Mark
	At   time.Time
}

// Mark is a person's signature or initials as entered: a name in a script face,
// strokes drawn on a pad, or a picture.
type Mark = mark.Mark
