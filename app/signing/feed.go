package signing

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// EventRow is an event as programs see it.
type EventRow struct {
	ID           string            `json:"id"`
	DocumentID   string            `json:"document_id"`
	InvitationID *string           `json:"invitation_id"`
	Type         string            `json:"type" doc:"For example invitation.signed"`
	Actor        EventActor        `json:"actor"`
	IP           *string           `json:"ip"`
	UserAgent    *string           `json:"user_agent"`
	Data         map[string]string `json:"data" doc:"Details, depending on the type"`
	At           string            `json:"at" format:"date-time"`
	Hash         string            `json:"hash" doc:"SHA-256 over this event and the previous one"`
	PreviousHash string            `json:"previous_hash" doc:"Hash of the document's previous event"`
}

// EventActor is who brought an event about.
type EventActor struct {
	Type  string  `json:"type" enum:"user,signatory,system"`
	ID    *string `json:"id"`
	Name  string  `json:"name"`
	Email *string `json:"email"`
}

// EventRowOf shows an entry of the journal.
func EventRowOf(e Entry) EventRow {
	v := EventRow{ID: e.ID, DocumentID: e.Value.Document, InvitationID: optional(e.Value.Invitation), Type: string(e.Value.Type),
		Actor: EventActor{e.Value.ActorKind, optional(e.Value.ActorID), e.Value.ActorName, optional(e.Value.ActorEmail)},
		IP:    optional(e.Value.IP), UserAgent: optional(e.Value.UserAgent), Data: e.Value.Data, At: FormatTime(e.At),
		Hash: hex.EncodeToString(e.Hash[:]), PreviousHash: hex.EncodeToString(e.ChainPrevious[:])}
	if v.Data == nil {
		v.Data = map[string]string{}
	}
	return v
}

// Happening is an event with its document: the body of a webhook.
type Happening struct {
	Type      string        `json:"type" doc:"For example document.completed"`
	Timestamp string        `json:"timestamp" format:"date-time" doc:"Time of the event"`
	Data      HappeningData `json:"data"`
}

// HappeningData is what is told of an event.
type HappeningData struct {
	Event    EventRow `json:"event"`
	Document *Row     `json:"document" doc:"As in lists; null once it is deleted permanently"`
}

// Happening shows an entry with its document as it is now.
func (s *Service) Happening(tx *kv.Tx, e Entry) (Happening, error) {
	h := Happening{Type: string(e.Value.Type), Timestamp: FormatTime(e.At), Data: HappeningData{Event: EventRowOf(e)}}
	row, err := rows.Get(tx, documentKey(e.Value.Company, e.Value.Document))
	if errors.Is(err, kv.ErrNotFound) {
		return h, nil
	}
	h.Data.Document = &row
	return h, err
}

// HappeningOf shows the event with an identifier, with its document as it is now.
func (s *Service) HappeningOf(tx *kv.Tx, event string) (Happening, error) {
	e, err := journal.Get(tx, event)
	if err != nil {
		return Happening{}, err
	}
	return s.Happening(tx, e)
}

// FeedQuery asks what happened in a company behind an event, the oldest first.
type FeedQuery struct {
	After    string   // identifier of an event; "" begins with the first
	Types    []string // union; empty: all
	Document string   // "" for any
	Limit    int
}

// Feed is a part of what happened. Cursor is the After of the next part: the last
// event that was looked at.
type Feed struct {
	Happenings []Happening
	Cursor     string
	More       bool
}

// maxLooked bounds how many events one request looks at: with a filter that few
// pass, the page is short and the cursor moves on.
const maxLooked = 2000

// feedBatch is how many events are read at a time.
const feedBatch = 200

// Feed gives what happened in the company of who asks. The cost depends on the
// page and not on what lies before it.
func (s *Service) Feed(_ context.Context, who account.Actor, q FeedQuery) (Feed, error) {
	if err := member(who, account.ScopeRead); err != nil {
		return Feed{}, err
	}
	if err := CheckEventTypes("type", q.Types); err != nil {
		return Feed{}, err
	}
	out := Feed{Cursor: q.After}
	err := s.DB.View(func(tx *kv.Tx) error {
		if err := q.known(tx, who); err != nil {
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
			whole, err := s.take(tx, &out, entries, q)
			if err != nil || !whole {
				return err
			}
			if out.More = len(entries) == size; !out.More || looked+size >= maxLooked {
				return nil
			}
		}
	})
	return out, err
}

// take adds the entries that are asked for until the page is full; whole says that
// all were looked at.
func (s *Service) take(tx *kv.Tx, out *Feed, entries []Entry, q FeedQuery) (whole bool, err error) {
	for _, e := range entries {
		if len(q.Types) == 0 || slices.Contains(q.Types, string(e.Value.Type)) {
			if out.More = len(out.Happenings) >= q.Limit; out.More {
				return false, nil
			}
			h, err := s.Happening(tx, e)
			if err != nil {
				return false, err
			}
			out.Happenings = append(out.Happenings, h)
		}
		out.Cursor = e.ID
	}
	return true, nil
}

// known refuses an event and a document that the company does not have.
func (q FeedQuery) known(tx *kv.Tx, who account.Actor) error {
	var f fault.Fields
	if q.After != "" {
		e, err := journal.Get(tx, q.After)
		switch {
		case errors.Is(err, kv.ErrNotFound) || err == nil && e.Value.Company != who.CompanyID:
			f.Selected("after")
		case err != nil:
			return err
		}
	}
	if q.Document != "" {
		first, _, err := journal.Chain(tx, q.Document, kv.LogQuery{Limit: 1})
		switch {
		case err != nil:
			return err
		case len(first) == 0 || first[0].Value.Company != who.CompanyID:
			f.Selected("document_id")
		}
	}
	return f.Err()
}

func (q FeedQuery) next(tx *kv.Tx, company, after string, limit int) ([]Entry, error) {
	list := kv.LogQuery{AfterID: after, Limit: limit}
	if q.Document != "" {
		entries, _, err := journal.Chain(tx, q.Document, list)
		return entries, err
	}
	entries, _, err := journal.Scope(tx, company, list)
	return entries, err
}

// CheckEventTypes refuses what is no kind of event.
func CheckEventTypes(field string, types []string) error {
	var unknown []string
	for _, t := range types {
		if !slices.Contains(EventNames(), t) {
			unknown = append(unknown, t)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return fault.Invalid(field, "unknown_event", fault.Choices("names", unknown...))
}
