package record

import (
	"time"

	"paraph/app/signing/mark"
)

// Answers holds what a person has filled in but not signed yet. It is kept until
// the invitation is closed, so that they can continue on any device.
type Answers struct {
	Values    map[string]string // by field identifier
	Signature *mark.Mark        `json:",omitempty"`
	Initials  *mark.Mark        `json:",omitempty"`
	// Handed holds marks from other devices, by kind. They are stored separately
	// until the person accepts them, so that this device does not overwrite them when
	// it saves.
	Handed  map[string]ReceivedMark `json:",omitempty"`
	SavedAt *time.Time              `json:",omitempty"`
}

// Mark returns the mark the person intends to sign with: the one they chose on this
// device, otherwise the one they drew on another.
func (a Answers) Mark(kind string) *mark.Mark {
	chosen := map[string]*mark.Mark{"signature": a.Signature, "initials": a.Initials}[kind]
	if h, ok := a.Handed[kind]; ok && (chosen == nil || a.SavedAt == nil || h.At.After(*a.SavedAt)) {
		return &h.Mark
	}
	return chosen
}

// ReceivedMark is a mark that was drawn on another device.
type ReceivedMark struct {
	Mark mark.Mark
	At   time.Time
}
