// Package public serves the public pages: checking a signed file, the root certificate, logos.
package public

import (
	"paraph/app/account"
	"paraph/app/pki"
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Accounts  *account.Service
	Keys      *pki.Authority
	MaxUpload int64 // of one file, bytes
	Signing   *signing.Service
}
