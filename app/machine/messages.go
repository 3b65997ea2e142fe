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
	To                        string // of messages about documents only the part after the @
	Attempts                  int
	LastError                 string
	CreatedAt                 time.Time
	Held                      bool // its link waits to be handed over
}

// mailOf returns what is shown of a message. Whom a company writes to about its
// documents is its own affair.
func mailOf(m notify.Message) Mail {
	out := Mail{ID: m.ID, Company: m.Company, Kind: m.Kind, Status: m.Status, To: m.To, Attempts: m.Attempts, LastError: m.LastError, CreatedAt: m.CreatedAt,
		Held: m.Company == "" && m.Link != "" && m.Status != notify.Sent}
	if m.Document != "" {
		out.To, out.LastError = masked(m.To), masked(m.LastError)
	}
	return out
}

// ListMails lists the messages of all companies that were not delivered, or with
// held those of the installation whose link waits to be handed over; newest first.
func (s *Service) ListMails(ctx context.Context, who account.Actor, held bool, offset, limit int) (all list.Page[Mail], err error) {
	from := s.Notify.ListFailed
	if held {
		from = s.Notify.ListHeld
	}
	found, err := from(ctx, who, offset, limit)
	for _, m := range found.Items {
		all.Items = append(all.Items, mailOf(m))
	}
	all.Total = found.Total
	return all, err
}
