// Package me serves the pages about a member's own account.
package me

import (
	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Service
	Fonts    *text.Fonts
	Marks    *signing.Marks
	Mails    func() bool // reports whether e-mails are sent to their recipients
}
