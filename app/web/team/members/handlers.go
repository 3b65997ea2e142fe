// Package members serves the pages about the people of a company and their roles.
package members

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
