package signing

import (
	"paraph/app/signing/detect"
	"paraph/app/signing/intake"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
)

// Short names for the types of the record.
type (
	Source          = record.Source
	Action          = record.Action
	Anchor          = detect.Anchor
	Condition       = record.Condition
	Test            = record.Test
	Reading         = record.Reading
	Rules           = record.Rules
	Area            = detect.Area
	Agreement       = record.Agreement
	Attached        = record.Attached
	Attention       = record.Attention
	AttentionKind   = record.AttentionKind
	Document        = record.Document
	DocumentInput   = record.DocumentInput
	Event           = record.Event
	EventType       = record.EventType
	Evidence        = record.Evidence
	Field           = record.Field
	FieldInput      = record.FieldInput
	LookInput       = record.LookInput
	File            = record.File
	Finding         = record.Finding
	Invitation      = record.Invitation
	InvitationInput = record.InvitationInput
	Limits          = record.Limits
	Person          = record.Person
	Problem         = record.Problem
	Revision        = record.Revision
	Size            = record.Size
	Stage           = record.Stage
	Status          = record.Status
)

// Short names for the types of the store.
type (
	Answers      = store.Answers
	Entry        = store.Entry
	Mark         = mark.Mark
	Progress     = store.Progress
	Row          = store.Row
	RowSignatory = store.RowSignatory
	Series       = intake.Series
	Upload       = intake.Upload
)

// ProgressOf counts the people who have acted and those who have to.
func ProgressOf(d *Document) Progress {
	signed, total := d.Progress()
	return Progress{Signed: signed, Total: total}
}
