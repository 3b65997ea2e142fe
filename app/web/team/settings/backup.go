package settings

import (
	"context"
	"time"

	"paraph/app/web/page"
)

// Backup is the last backup of the installation.
type Backup struct {
	At        time.Time // zero if there is none
	Where     string
	Size      string
	Encrypted bool
	Due       bool // there are documents, and it is missing or old
}

// Backups returns the last backup, or nil for companies that may not see it.
type Backups func(ctx context.Context, companyID string) (*Backup, error)

// backup returns the last backup if the reader may see it.
func (h *Frame) backup(r *page.Request) (*Backup, error) {
	if h.Backups == nil || !r.Who.Actor.IsOwner() {
		return nil, nil
	}
	return h.Backups(r.UserContext(), r.Who.Company.ID)
}
