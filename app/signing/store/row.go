package store

import (
	"fmt"
	"strings"

	json "github.com/goccy/go-json"

	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/kv"
)

// RowPrefix is the length of the company's identifier at the start of a stored row.
const RowPrefix = 26

// RowCodec stores the company before the JSON, so that it does not reach the API.
var RowCodec = kv.Codec[record.Row]{
	Encode: func(r record.Row) ([]byte, error) {
		if len(r.Company) != RowPrefix {
			return nil, fmt.Errorf("signing: row of company %q", r.Company)
		}
		b, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		return append(append(make([]byte, 0, RowPrefix+len(b)), r.Company...), b...), nil
	},
	Decode: func(b []byte) (record.Row, error) {
		if len(b) < RowPrefix {
			return record.Row{}, fmt.Errorf("signing: row of %d bytes", len(b))
		}
		r := record.Row{Company: string(b[:RowPrefix])}
		return r, json.Unmarshal(b[RowPrefix:], &r)
	},
}

// AnyStatus is the index key of documents in any state.
const AnyStatus = "*"

// Scheduled returns the index key of documents in a state that are scheduled to be sent. They
// are not under the key of the state itself.
func Scheduled(s record.Status) string { return "scheduled." + s.String() }

// Phase returns the index key of a document in its state.
func Phase(s record.Status, scheduled bool) string {
	if scheduled {
		return Scheduled(s)
	}
	return s.String()
}

// rowKeys returns the index keys of a row under one sort value: among all rows of its
// visibility, and among those in its state.
func rowKeys(r record.Row, sort string) []kv.Key {
	return []kv.Key{
		kv.K(r.Company, r.Visibility(), AnyStatus, sort),
		kv.K(r.Company, r.Visibility(), Phase(record.Status(r.StatusID), r.SendAt != nil), sort),
	}
}

// last sorts rows without a date after all that have one.
const last = "~"

// SortKey returns the key of the row in an order, "" in that of creation.
func SortKey(r record.Row, order Order) string {
	switch order {
	case ByUpdate:
		return r.UpdatedAt
	case ByTitle:
		return FoldTitle(r.Title)
	case ByStatus:
		return fmt.Sprint(r.StatusID)
	case ByDeadline:
		return orLast(r.ExpiresAt)
	case ByCompletion:
		return orLast(r.CompletedAt)
	}
	return ""
}

func orLast(s *string) string {
	if s == nil {
		return last
	}
	return *s
}

// FoldTitle returns the sort key of a title: case and accents folded, the first 48 characters.
func FoldTitle(s string) string {
	folded := input.WithoutAccents(strings.ToLower(s))
	n := 0
	for i := range folded {
		if n == 48 {
			return folded[:i]
		}
		n++
	}
	return folded
}

// Order is a key by which lists of documents are sorted.
type Order string

// The orders of lists of documents.
const (
	ByCreation   Order = "created_at" // the default
	ByUpdate     Order = "updated_at"
	ByTitle      Order = "title"
	ByStatus     Order = "status_id"
	ByDeadline   Order = "expires_at"
	ByCompletion Order = "completed_at"
)

// Orders lists the orders of lists of documents, the default first. Each has an index.
func Orders() []Order {
	return []Order{ByCreation, ByUpdate, ByTitle, ByStatus, ByDeadline, ByCompletion}
}

func rowIndexes() []kv.Index[record.Row] {
	orders := Orders()
	out := make([]kv.Index[record.Row], 0, len(orders)+2)
	for _, order := range orders {
		out = append(out, kv.Index[record.Row]{
			Name: string(order), Counted: true, Depth: 3, // totals by company, visibility and state
			Covering: order == ByCreation || order == ByUpdate || order == ByTitle, // the ones in constant use
			Keys:     func(r record.Row) []kv.Key { return rowKeys(r, SortKey(r, order)) },
		})
	}
	return append(out, kv.Index[record.Row]{Name: ByTemplate, Counted: true, Depth: 2, Keys: func(r record.Row) []kv.Key {
		if r.TemplateID == nil {
			return nil
		}
		return []kv.Key{kv.K(r.Company, *r.TemplateID, r.CreatedAt)}
	}})
}

// ByTemplate is the index of the documents made from a template, oldest first.
const ByTemplate = "template"
