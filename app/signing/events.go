package signing

import (
	"context"

	"paraph/app/account"
	"paraph/kv"
)

// Entry is one entry of the audit trail with its place in the hash chains.
type Entry = kv.Entry[Event]

// EventsQuery selects a page of a document's audit trail. Page counts from 1.
type EventsQuery struct {
	Page, PerPage int
	Descending    bool
}

// Events returns a page of a document's audit trail, oldest first by default, and
// the total number of entries.
func (s *Service) Events(_ context.Context, who account.Actor, id string, q EventsQuery) ([]Entry, int, error) {
	if err := member(who, account.ScopeRead); err != nil {
		return nil, 0, err
	}
	var entries []Entry
	var total int
	err := s.DB.View(func(tx *kv.Tx) error {
		d, err := load(tx, who, id)
		if err != nil {
			return err
		}
		entries, total, err = journal.Chain(tx, d.ID, kv.LogQuery{Descending: q.Descending, Offset: (q.Page - 1) * q.PerPage, Limit: q.PerPage})
		return err
	})
	return entries, total, err
}

// trail returns the whole audit trail of a document, oldest first.
func (s *Service) trail(id string) ([]Entry, error) {
	var entries []Entry
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		entries, _, err = journal.Chain(tx, id, kv.LogQuery{Limit: maxTrail})
		return err
	})
	return entries, err
}

// maxTrail bounds what one document's evidence may list.
const maxTrail = 100_000

// Journal returns the log of all companies' events, for its followers.
func Journal() *kv.Log[Event] { return journal }

// Load returns a document inside a follower's transaction.
func (s *Service) Load(tx *kv.Tx, company, id string) (*Document, error) {
	return load(tx, account.System(company), id)
}

// JournalHead returns the number of the newest journal entry.
func (s *Service) JournalHead(tx *kv.Tx) (uint64, error) {
	seq, _, err := journal.Head(tx)
	return seq, err
}

// ProgressOf counts the acts done and the acts due.
func ProgressOf(d *Document) Progress {
	signed, total := d.Progress()
	return Progress{signed, total}
}
