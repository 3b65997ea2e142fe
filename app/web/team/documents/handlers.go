// Package documents serves the lists of documents and the pages of single ones.
package documents

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts  *account.Service
	Log       *slog.Logger
	MaxUpload int64 // of one file, bytes
	Notify    *notify.Service
	Now       func() time.Time
	Signing   *signing.Services
}
