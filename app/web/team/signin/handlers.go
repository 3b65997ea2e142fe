// Package signin serves the pages for getting into the app: setting up, signing in,
// joining a company, and resetting a password.
package signin

import (
	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing/lists"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Service
	Notify   *notify.Service
	Lists    *lists.Lists
}
