package record

import "time"

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

	Company string `json:"-"` // stored before the JSON, so that it does not reach the API
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

func formatTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := FormatTime(*t)
	return &s
}

// Optional returns nil for an empty string.
func Optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// RowOf returns the list item of a document.
func RowOf(d *Document) Row {
	r := Row{
		ID: d.ID, Company: d.Company, Title: d.Title, StatusID: int(d.Status), Status: d.Status.String(),
		Owner:      RowPerson(d.Owner),
		ExternalID: Optional(d.ExternalID),
		Progress:   d.Progress(), Signatories: make([]RowSignatory, 0, len(d.Invitations)),
		FilesCount: len(d.Files), Attention: Optional(string(d.Attention.Kind)),
		ExpiresAt: formatTime(d.ExpiresAt), SendAt: formatTime(d.SendAt), CreatedAt: FormatTime(d.CreatedAt),
		UpdatedAt: FormatTime(d.UpdatedAt),
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

// Visibility returns the part of the index keys that keeps archived and deleted documents,
// and templates, apart.
func (r Row) Visibility() string {
	v := VisibilityOf(r.ArchivedAt != nil, r.DeletedAt != nil)
	if r.Template {
		return TemplatePrefix + v
	}
	return v
}
