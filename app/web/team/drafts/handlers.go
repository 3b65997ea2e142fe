// Package drafts serves the steps for preparing and sending a document.
package drafts

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/notify"
	"paraph/app/signing"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts  *account.Service
	Contacts  *contact.Service
	Log       *slog.Logger
	MaxUpload int64 // of one file, bytes
	Notify    *notify.Service
	Now       func() time.Time
	Signing   *signing.Services
}
