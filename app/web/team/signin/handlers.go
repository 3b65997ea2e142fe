// Package signin serves the ways into the app: setting up, signing in, joining, resetting a password.
package signin

import (
	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Accounts *account.Service
	Notify   *notify.Service
	Signing  *signing.Service
}
