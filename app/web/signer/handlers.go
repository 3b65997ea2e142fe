// Package signer serves the signatories' pages.
package signer

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Service
	Fonts    *text.Fonts
	Log      *slog.Logger
	Now      func() time.Time
	Signing  *signing.Services
}
