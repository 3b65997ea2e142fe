// Package contacts serves the pages about a company's contacts.
package contacts

import (
	"paraph/app/contact"
	"paraph/app/signing/lists"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Contacts *contact.Service
	Lists    *lists.Lists
}
