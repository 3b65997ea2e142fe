// Package drafts serves the steps in which a document is prepared and sent.
package drafts

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/notify"
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Accounts  *account.Service
	Contacts  *contact.Service
	Log       *slog.Logger
	MaxUpload int64 // of one file, bytes
	Notify    *notify.Service
	Now       func() time.Time
	Signing   *signing.Service
}
