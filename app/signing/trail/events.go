// Package trail reads the journal: the audit trail of a document, the events of a
// company, and events as they happen.
package trail

import (
	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Trail reads the journal for members of a company.
type Trail struct {
	db  *kv.DB
	hub *hub // delivers events to watchers
}

// New creates a trail over db. Watchers receive nothing until Run is called.
func New(db *kv.DB) *Trail { return &Trail{db, newHub()} }

// EventsQuery selects a page of a document's audit trail. Page counts from 1.
type EventsQuery struct {
	Page, PerPage int
	Descending    bool
}

// Events returns a page of a document's audit trail, oldest first by default, and the
// total number of events.
func (s *Trail) Events(who account.Call, id string, q EventsQuery) ([]record.Entry, int, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, 0, err
	}
	var entries []record.Entry
	var total int
	err := s.db.View(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		if err != nil {
			return err
		}
		entries, total, err = store.Events.Chain(tx, d.ID, kv.LogQuery{
			Descending: q.Descending, Offset: (q.Page - 1) * q.PerPage, Limit: q.PerPage,
		})
		return err
	})
	return entries, total, err
}
