// Package members serves the pages about the people of a company and their roles.
package members

import (
	"paraph/app/account"
	"paraph/app/signing"
)

// Handlers are the handlers of these pages, with what they need.
type Handlers struct {
	Accounts *account.Service
	Signing  *signing.Service
}
