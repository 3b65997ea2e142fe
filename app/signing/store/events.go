package store

import (
	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Trail returns the whole audit trail of a document, oldest first.
func (s *Store) Trail(id string) ([]record.Entry, error) {
	var entries []record.Entry
	err := s.db.View(func(tx *kv.Tx) (err error) {
		entries, _, err = Events.Chain(tx, id, kv.LogQuery{Limit: maxTrail})
		return err
	})
	return entries, err
}

// maxTrail bounds the number of events in one document's evidence.
const maxTrail = 100_000

// Journal returns the log of all companies' events, for its followers.
func Journal() *kv.Log[record.Event] { return Events }

// Load returns a document inside a follower's transaction.
func (s *Store) Load(tx *kv.Tx, company, id string) (*record.Document, error) {
	return Load(tx, account.System(company), id)
}

// JournalHead returns the number of the newest journal entry.
func (s *Store) JournalHead(tx *kv.Tx) (uint64, error) {
	seq, _, err := Events.Head(tx)
	return seq, err
}
