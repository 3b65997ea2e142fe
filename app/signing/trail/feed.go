package trail

import (
	"errors"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// FeedEvent is an event with its document at the version the event produced; nil after
// the document was permanently deleted. Events from before versions were stored have
// the current one.
type FeedEvent struct {
	Entry    record.Entry
	Document *record.Row
}

// FeedEvent adds the document to an event.
func (s *Trail) FeedEvent(tx *kv.Tx, e record.Entry) (FeedEvent, error) {
	row, err := store.Snapshots.Get(tx, store.SnapshotKey(e.Value.Company, e.Value.Document, e.Value.Version))
	if errors.Is(err, kv.ErrNotFound) {
		row, err = store.Rows.Get(tx, store.DocumentKey(e.Value.Company, e.Value.Document))
	}
	if errors.Is(err, kv.ErrNotFound) {
		return FeedEvent{Entry: e}, nil
	}
	return FeedEvent{e, &row}, err
}

// GetFeedEvent returns the event with the given identifier.
func (s *Trail) GetFeedEvent(tx *kv.Tx, event string) (FeedEvent, error) {
	e, err := store.Events.Get(tx, event)
	if err != nil {
		return FeedEvent{}, err
	}
	return s.FeedEvent(tx, e)
}

// FeedQuery selects the events of a company after a given one, oldest first.
type FeedQuery struct {
	After    string   // identifier of an event; "" starts at the first
	Types    []string // any of these; empty means all
	Document string   // "" for any
	Limit    int
}

// Feed is a page of a company's events. Cursor is the value of After for the next
// page: the last event examined.
type Feed struct {
	Events []FeedEvent
	Cursor string
	More   bool
}

// maxExamined bounds how many events one request examines. With a filter that few
// events pass, the page is short and the cursor moves on.
const maxExamined = 2000

// feedBatch is how many events are read at a time.
const feedBatch = 200

// Feed returns events of the caller's company. The cost depends only on the size of
// the page.
func (s *Trail) Feed(who account.Call, q FeedQuery) (Feed, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return Feed{}, err
	}
	if err := CheckEventTypes("type", q.Types); err != nil {
		return Feed{}, err
	}
	out := Feed{Cursor: q.After}
	err := s.db.View(func(tx *kv.Tx) error {
		if err := q.check(tx, who); err != nil {
			return err
		}
		size := feedBatch
		if len(q.Types) == 0 {
			size = min(size, q.Limit+1)
		}
		for looked := 0; ; looked += size {
			entries, err := q.next(tx, who.CompanyID, out.Cursor, size)
			if err != nil {
				return err
			}
			whole, err := s.appendMatching(tx, &out, entries, q)
			if err != nil || !whole {
				return err
			}
			if out.More = len(entries) == size; !out.More || looked+size >= maxExamined {
				return nil
			}
		}
	})
	return out, err
}

// appendMatching adds matching entries until the page is full and reports whether all
// entries were examined.
func (s *Trail) appendMatching(tx *kv.Tx, out *Feed, entries []record.Entry, q FeedQuery) (whole bool, err error) {
	for _, e := range entries {
		if len(q.Types) == 0 || slices.Contains(q.Types, string(e.Value.Type)) {
			if out.More = len(out.Events) >= q.Limit; out.More {
				return false, nil
			}
			item, err := s.FeedEvent(tx, e)
			if err != nil {
				return false, err
			}
			out.Events = append(out.Events, item)
		}
		out.Cursor = e.ID
	}
	return true, nil
}

// check refuses an event or a document that the company does not have.
func (q FeedQuery) check(tx *kv.Tx, who account.Call) error {
	var f fault.Fields
	if q.After != "" {
		e, err := store.Events.Get(tx, q.After)
		switch {
		case errors.Is(err, kv.ErrNotFound) || err == nil && e.Value.Company != who.CompanyID:
			f.Selected("after")
		case err != nil:
			return err
		}
	}
	if q.Document != "" {
		first, _, err := store.Events.Chain(tx, q.Document, kv.LogQuery{Limit: 1})
		switch {
		case err != nil:
			return err
		case len(first) == 0 || first[0].Value.Company != who.CompanyID:
			f.Selected("document_id")
		}
	}
	return f.Err()
}

func (q FeedQuery) next(tx *kv.Tx, company, after string, limit int) ([]record.Entry, error) {
	list := kv.LogQuery{AfterID: after, Limit: limit}
	if q.Document != "" {
		entries, _, err := store.Events.Chain(tx, q.Document, list)
		return entries, err
	}
	entries, _, err := store.Events.Scope(tx, company, list)
	return entries, err
}

// CheckEventTypes refuses unknown event types.
func CheckEventTypes(field string, types []string) error {
	var unknown []string
	for _, t := range types {
		if !slices.Contains(record.EventNames(), t) {
			unknown = append(unknown, t)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return fault.Invalid(field, "unknown_event", fault.Choices("names", unknown...))
}

// LastEvent returns the identifier of the newest event of a member's company, "" if
// there is none.
func (s *Trail) LastEvent(who account.Call) (id string, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return "", err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		newest, _, err := store.Events.Scope(tx, who.CompanyID, kv.LogQuery{Descending: true, Limit: 1})
		if err == nil && len(newest) > 0 {
			id = newest[0].ID
		}
		return err
	})
	return id, err
}
