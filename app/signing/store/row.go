package store

import (
	"fmt"
	"strings"
	"time"

	json "github.com/goccy/go-json"

	"paraph/app/input"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Row is a document in a list: a small separate record, so that a page of twenty
// reads twenty small values. It is stored as exactly the JSON that the API sends, and
// a page is a concatenation of rows. Times are RFC 3339 in UTC with milliseconds.
type Row struct {
	ID          string         `json:"id"`
	Title       string         `json:"title"`
	StatusID    int            `json:"status_id"`
	Status      string         `json:"status"`
	Owner       RowPerson      `json:"owner"`
	ExternalID  *string        `json:"external_id"`
	Progress    Progress       `json:"progress"`
	Signatories []RowSignatory `json:"signatories"`
	FilesCount  int            `json:"files_count"`
	Attention   *string        `json:"attention"`
	ExpiresAt   *string        `json:"expires_at"`
	SendAt      *string        `json:"send_at,omitempty"`
	CreatedAt   string         `json:"created_at"`
	UpdatedAt   string         `json:"updated_at"`
	SentAt      *string        `json:"sent_at"`
	CompletedAt *string        `json:"completed_at"`
	ArchivedAt  *string        `json:"archived_at"`
	DeletedAt   *string        `json:"deleted_at"`
	TemplateID  *string        `json:"template_id,omitempty"`
	Template    bool           `json:"template,omitempty"`

	Company string `json:"-"` // stored before the JSON, see Codec
}

// RowPerson names the owner.
type RowPerson struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// RowSignatory names an invited person and their status.
type RowSignatory struct {
	Name   string `json:"name"`
	Email  string `json:"email"`
	Status string `json:"status"`
}

// Progress counts the people who have acted and those who have to.
type Progress struct {
	Signed int `json:"signed"`
	Total  int `json:"total"`
}

func formatTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := record.FormatTime(*t)
	return &s
}

func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// RowOf returns the list item of a document.
func RowOf(d *record.Document) Row {
	signed, total := d.Progress()
	r := Row{
		ID: d.ID, Company: d.Company, Title: d.Title, StatusID: int(d.Status), Status: d.Status.String(),
		Owner:      RowPerson(d.Owner),
		ExternalID: Optional(d.ExternalID),
		Progress:   Progress{Signed: signed, Total: total}, Signatories: make([]RowSignatory, 0, len(d.Invitations)),
		FilesCount: len(d.Files), Attention: Optional(string(d.Attention.Kind)),
		ExpiresAt: formatTime(d.ExpiresAt), SendAt: formatTime(d.SendAt), CreatedAt: record.FormatTime(d.CreatedAt),
		UpdatedAt: record.FormatTime(d.UpdatedAt),
		SentAt:    formatTime(d.SentAt), CompletedAt: formatTime(d.CompletedAt),
		ArchivedAt: formatTime(d.ArchivedAt), DeletedAt: formatTime(d.DeletedAt), Template: d.Template,
	}
	if d.MadeFrom != nil {
		r.TemplateID = &d.MadeFrom.Template
	}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		r.Signatories = append(r.Signatories, RowSignatory{Name: inv.Name, Email: inv.Email, Status: inv.Status})
	}
	return r
}

func (r Row) visibility() string {
	v := record.VisibilityOf(r.ArchivedAt != nil, r.DeletedAt != nil)
	if r.Template {
		return record.TemplatePrefix + v
	}
	return v
}

// RowPrefix is the length of the company's identifier at the start of a stored row.
const RowPrefix = 26

// RowCodec stores the company before the JSON, so that it does not reach the API.
var RowCodec = kv.Codec[Row]{
	Encode: func(r Row) ([]byte, error) {
		if len(r.Company) != RowPrefix {
			return nil, fmt.Errorf("signing: row of company %q", r.Company)
		}
		b, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		return append(append(make([]byte, 0, RowPrefix+len(b)), r.Company...), b...), nil
	},
	Decode: func(b []byte) (Row, error) {
		if len(b) < RowPrefix {
			return Row{}, fmt.Errorf("signing: row of %d bytes", len(b))
		}
		r := Row{Company: string(b[:RowPrefix])}
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

// keys returns the index keys of a row under one sort value: among all rows of its
// visibility, and among those in its state.
func (r Row) keys(sort string) []kv.Key {
	return []kv.Key{
		kv.K(r.Company, r.visibility(), AnyStatus, sort),
		kv.K(r.Company, r.visibility(), Phase(record.Status(r.StatusID), r.SendAt != nil), sort),
	}
}

// last sorts rows without a date after all that have one.
const last = "~"

// SortKey returns the key of the row in an order, "" in that of creation.
func (r Row) SortKey(order Order) string {
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

func rowIndexes() []kv.Index[Row] {
	orders := Orders()
	out := make([]kv.Index[Row], 0, len(orders)+2)
	for _, order := range orders {
		out = append(out, kv.Index[Row]{
			Name: string(order), Counted: true, Depth: 3, // totals by company, visibility and state
			Covering: order == ByCreation || order == ByUpdate || order == ByTitle, // the ones in constant use
			Keys:     func(r Row) []kv.Key { return r.keys(r.SortKey(order)) },
		})
	}
	return append(out, kv.Index[Row]{Name: ByTemplate, Counted: true, Depth: 2, Keys: func(r Row) []kv.Key {
		if r.TemplateID == nil {
			return nil
		}
		return []kv.Key{kv.K(r.Company, *r.TemplateID, r.CreatedAt)}
	}})
}

// ByTemplate is the index of the documents made from a template, oldest first.
const ByTemplate = "template"
