// Package me serves the pages about a member's own account.
package me

import (
	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	meTemplate        page.Template[mePage]        = "me"
	securityTemplate  page.Template[ownSecurity]   = "me-security"
	twoFactorTemplate page.Template[enrolPage]     = "me-two-factor"
	recoveryTemplate  page.Template[recoveryPage]  = "me-recovery"
	sessionsTemplate  page.Template[sessionsPage]  = "me-sessions"
	shortcutsTemplate page.Template[shortcutsPage] = "keys"
	signatureTemplate page.Template[savedPage]     = "me-signature"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Services
	Fonts    *text.Fonts
	Signing  *signing.Signing
	Mails    func() bool // reports whether e-mails are sent to their recipients
}
