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
	Accounts    *account.Service
	Fonts       *text.Fonts
	Log         *slog.Logger
	Now         func() time.Time
	Access      *signing.Access
	Devices     *signing.Devices
	Documents   *signing.Documents
	Downloads   *signing.Downloads
	Invitations *signing.Invitations
	Links       *signing.Links
	Marks       *signing.Marks
	Pads        *signing.Pads
	Pages       *signing.Pages
	Signatures  *signing.Signatures
	Visits      *signing.Visits
	Mails       func() bool // reports whether e-mails are sent to their recipients
}
