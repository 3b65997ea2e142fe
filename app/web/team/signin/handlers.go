// Package signin serves the pages for getting into the app: setting up, signing in,
// joining a company, and resetting a password.
package signin

import (
	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Service
	Notify   *notify.Service
	Signing  *signing.Services
}
