// Package contacts serves the pages about the people a company writes to.
package contacts

import (
	"paraph/app/contact"
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Contacts *contact.Service
	Signing  *signing.Service
}
