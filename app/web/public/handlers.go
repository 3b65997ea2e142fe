// Package public serves the public pages: verifying signed files, the root
// certificate, and logos.
package public

import (
	"paraph/app/account"
	"paraph/app/pki"
	"paraph/app/signing/verify"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	offlineTemplate page.Template[page.Bare]  = "offline"
	trustTemplate   page.Template[trustPage]  = "trust"
	verifyTemplate  page.Template[verifyPage] = "verify"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts  *account.Services
	Keys      *pki.Authority
	MaxUpload int64 // of one file, bytes
	Verifier  *verify.Verifier
}
