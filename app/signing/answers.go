package signing

import (
	"context"
	"errors"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Answers holds what a person has filled in but not signed yet. It is kept, for
// whichever device they continue on, until the invitation is closed.
type Answers struct {
	Values    map[string]string // by field identifier
	Signature *Mark             `json:",omitempty"`
	Initials  *Mark             `json:",omitempty"`
	// Handed holds marks from other devices, by kind. They are stored apart until
	// the person accepts them, so that this device does not overwrite them when
	// it saves.
	Handed  map[string]Handed `json:",omitempty"`
	SavedAt *time.Time        `json:",omitempty"`
}

// answers stores them by invitation.
var answers = kv.NewCollection("answers", kv.JSON[Answers]())

func answersOf(tx *kv.Tx, invitation string) (Answers, error) {
	d, err := answers.Get(tx, invitation)
	if errors.Is(err, kv.ErrNotFound) {
		return Answers{}, nil
	}
	return d, err
}

// SaveAnswers stores what a person has filled in so far. Values are stored
// unchecked: they are validated when the person signs.
func (s *Service) SaveAnswers(_ context.Context, who account.Actor, id, invitation string, in Answers) error {
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, _, err := signerAt(tx, who, id, invitation)
		if err != nil {
			return err
		}
		before, err := answersOf(tx, invitation)
		if err != nil {
			return err
		}
		kept := Answers{Values: map[string]string{}, Handed: before.Handed, SavedAt: &tx.Now,
			Signature: keptMark(in.Signature), Initials: keptMark(in.Initials)}
		for _, x := range d.UnsortedFieldsOf(invitation) {
			if v, ok := in.Values[x.ID]; ok && !x.ReadOnly && !x.Drawn() && len(v) <= 4*record.MaxValue {
				kept.Values[x.ID] = v
			}
		}
		return answers.Put(tx, invitation, kept)
	})
}

// ClearAnswers deletes what a person has filled in.
func (s *Service) ClearAnswers(_ context.Context, who account.Actor, id, invitation string) error {
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if _, _, err := signerAt(tx, who, id, invitation); err != nil {
			return err
		}
		return answers.Delete(tx, invitation)
	})
}

// keptMark returns the mark to store with the answers, or nil if it is too large to sign with.
func keptMark(m *Mark) *Mark {
	if m == nil || m.Oversize() || len(m.Text) > 4*record.MaxName {
		return nil
	}
	return m
}

// Mark returns the mark the person intends to sign with: the one they chose here,
// else the one they drew on another device.
func (a Answers) Mark(kind string) *Mark {
	chosen := map[string]*Mark{"signature": a.Signature, "initials": a.Initials}[kind]
	if h, ok := a.Handed[kind]; ok && (chosen == nil || a.SavedAt == nil || h.At.After(*a.SavedAt)) {
		return &h.Mark
	}
	return chosen
}

// dropAnswers deletes the answers that these events make obsolete.
func dropAnswers(tx *kv.Tx, d *Document, events []Event) error {
	for _, e := range events {
		switch e.Type {
		case record.EventInvitationSigned, record.EventInvitationDeclined, record.EventInvitationDelegated, record.EventInvitationReplaced:
			if err := answers.Delete(tx, e.Invitation); err != nil {
				return err
			}
		}
	}
	if slices.ContainsFunc(events, func(e Event) bool { return e.Type == record.EventDocumentVoided }) {
		return dropAllAnswers(tx, d)
	}
	return nil
}

func dropAllAnswers(tx *kv.Tx, d *Document) error {
	for i := range d.Invitations {
		if err := answers.Delete(tx, d.Invitations[i].ID); err != nil {
			return err
		}
	}
	return nil
}
