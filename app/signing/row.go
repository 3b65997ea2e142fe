package signing

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	json "github.com/goccy/go-json"
	"golang.org/x/text/unicode/norm"

	"paraph/app/signing/record"
	"paraph/kv"
)

// Row is a document as lists show it: a small separate record, so that a page of
// twenty reads twenty small values. It is stored as exactly the JSON that the API
// sends, and a page is their concatenation. Times are RFC 3339 in UTC with
// milliseconds.
type Row struct {
	ID          string         `json:"id"`
	Title       string         `json:"title"`
	StatusID    int            `json:"status_id" minimum:"1" maximum:"8"`
	Status      string         `json:"status" enum:"draft,pending_approval,approved,rejected,sent,completed,expired,voided"`
	Owner       RowPerson      `json:"owner"`
	ExternalID  *string        `json:"external_id"`
	Progress    Progress       `json:"progress"`
	Signatories []RowSignatory `json:"signatories"`
	FilesCount  int            `json:"files_count"`
	Attention   *string        `json:"attention" enum:"declined,sealing,mail_failed,access_code"`
	ExpiresAt   *string        `json:"expires_at" format:"date-time"`
	CreatedAt   string         `json:"created_at" format:"date-time"`
	UpdatedAt   string         `json:"updated_at" format:"date-time"`
	SentAt      *string        `json:"sent_at" format:"date-time"`
	CompletedAt *string        `json:"completed_at" format:"date-time"`
	ArchivedAt  *string        `json:"archived_at" format:"date-time"`
	DeletedAt   *string        `json:"deleted_at" format:"date-time"`
	TemplateID  *string        `json:"template_id,omitempty" doc:"The template it was made from"`
	Template    bool           `json:"template,omitempty" doc:"Whether it is a template"`

	company string
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
	Status string `json:"status" enum:"pending,notified,viewed,signed,declined,delegated"`
}

// Progress counts the acts done and the acts due.
type Progress struct {
	Signed int `json:"signed"`
	Total  int `json:"total"`
}

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// FormatTime writes a time as the API does: RFC 3339, UTC, milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

func formatTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := FormatTime(*t)
	return &s
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// row returns the list item of a document.
func rowOf(d *Document) Row {
	signed, total := d.Progress()
	r := Row{
		ID: d.ID, company: d.Company, Title: d.Title, StatusID: int(d.Status), Status: d.Status.String(),
		Owner:      RowPerson(d.Owner),
		ExternalID: optional(d.ExternalID),
		Progress:   Progress{Signed: signed, Total: total}, Signatories: make([]RowSignatory, 0, len(d.Invitations)),
		FilesCount: len(d.Files), Attention: optional(string(d.Attention.Kind)),
		ExpiresAt: formatTime(d.ExpiresAt), CreatedAt: FormatTime(d.CreatedAt), UpdatedAt: FormatTime(d.UpdatedAt),
		SentAt: formatTime(d.SentAt), CompletedAt: formatTime(d.CompletedAt),
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

// rowPrefix is the length of the company's identifier at the start of a stored row.
const rowPrefix = 26

// rowCodec stores the company before the JSON, where it does not reach the API.
var rowCodec = kv.Codec[Row]{
	Encode: func(r Row) ([]byte, error) {
		if len(r.company) != rowPrefix {
			return nil, fmt.Errorf("signing: row of company %q", r.company)
		}
		b, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		return append([]byte(r.company), b...), nil
	},
	Decode: func(b []byte) (Row, error) {
		if len(b) < rowPrefix {
			return Row{}, fmt.Errorf("signing: row of %d bytes", len(b))
		}
		r := Row{company: string(b[:rowPrefix])}
		return r, json.Unmarshal(b[rowPrefix:], &r)
	},
}

// everything stands in an index key for "in any state".
const everything = "*"

// keys returns the index keys of a row under one sort value: among all rows of
// its part of the lists, and among those in its state.
func (r Row) keys(sort string) []kv.Key {
	return []kv.Key{
		kv.K(r.company, r.visibility(), everything, sort),
		kv.K(r.company, r.visibility(), r.Status, sort),
	}
}

// last sorts rows without a date after all that have one.
const last = "~"

func (r Row) sortKey(field string) string {
	switch field {
	case "updated_at":
		return r.UpdatedAt
	case "title":
		return FoldTitle(r.Title)
	case "status_id":
		return fmt.Sprint(r.StatusID)
	case "expires_at":
		return orLast(r.ExpiresAt)
	case "completed_at":
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
	var b strings.Builder
	n := 0
	for _, r := range norm.NFKD.String(strings.ToLower(s)) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		if n++; n > 48 {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// The orders of document lists, by the name of the sort field. The ones in
// constant use carry the row itself.
var rowOrders = []string{"created_at", "updated_at", "title", "status_id", "expires_at", "completed_at"}

func rowIndexes() []kv.Index[Row] {
	out := make([]kv.Index[Row], 0, len(rowOrders)+2)
	for _, field := range rowOrders {
		out = append(out, kv.Index[Row]{
			Name: field, Counted: true, Depth: 3, // totals by company, visibility and state
			Covering: field == "created_at" || field == "updated_at" || field == "title",
			Keys:     func(r Row) []kv.Key { return r.keys(r.sortKey(field)) },
		})
	}
	return append(out, kv.Index[Row]{Name: byTemplate, Counted: true, Depth: 2, Keys: func(r Row) []kv.Key {
		if r.TemplateID == nil {
			return nil
		}
		return []kv.Key{kv.K(r.company, *r.TemplateID, r.CreatedAt)}
	}})
}
