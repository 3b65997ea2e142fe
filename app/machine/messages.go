package machine

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/app/list"
	"paraph/app/notify"
)

// Mail is a message without its subject and text.
type Mail struct {
	ID, Company, Kind, Status string
	To                        string // with the local part masked in messages about documents
	Attempts                  int
	LastError                 string
	CreatedAt                 time.Time
	Held                      bool // its link has to be passed on
}

// mailOf returns what administrators of the installation see of a message. The
// recipients of a company's documents are the company's own affair.
func mailOf(m notify.Message) Mail {
	out := Mail{
		ID:        m.ID,
		Company:   m.Company,
		Kind:      m.Kind,
		Status:    m.Status,
		To:        m.To,
		Attempts:  m.Attempts,
		LastError: m.LastError,
		CreatedAt: m.CreatedAt,
		Held:      m.Company == "" && m.Link != "" && m.Status != notify.Sent,
	}
	if m.Document != "" {
		out.To, out.LastError = masked(m.To), masked(m.LastError)
	}
	return out
}

// ListMails returns the undelivered messages of all companies, or with held the
// those whose link they have to pass on, newest first.
func (s *Service) ListMails(
	ctx context.Context, who account.Call, held bool, offset, limit int,
) (all list.Page[Mail], err error) {
	from := s.Notify.Messages.ListFailed
	if held {
		from = s.Notify.Messages.ListHeld
	}
	found, err := from(who, offset, limit)
	for _, m := range found.Items {
		all.Items = append(all.Items, mailOf(m))
	}
	all.Total = found.Total
	return all, err
}
