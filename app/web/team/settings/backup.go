package settings

import (
	"context"
	"time"

	"paraph/app/web/page"
)

// Backup describes the installation's last backup.
type Backup struct {
	At        time.Time // zero if there is none
	Where     string
	Size      string
	Encrypted bool
	Due       bool // there are documents, but no recent backup
}

// Backups returns the last backup, or nil for a company that may not see it.
type Backups func(ctx context.Context, companyID string) (*Backup, error)

// backup returns the last backup if the reader may see it.
func (h *Frame) backup(r *page.Request) (*Backup, error) {
	if h.Backups == nil || !r.Who.Call.IsOwner() {
		return nil, nil
	}
	return h.Backups(r.UserContext(), r.Who.Company.ID)
}
