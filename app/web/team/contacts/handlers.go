// Package contacts serves the pages about a company's contacts.
package contacts

import (
	"paraph/app/contact"
	"paraph/app/signing/lists"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	contactsTemplate page.Template[contactList]   = "contacts"
	contactTemplate  page.Template[contactPage]   = "contact"
	formTemplate     page.Template[contactInputs] = "contact-form"
	importTemplate   page.Template[importPage]    = "contact-import"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Contacts *contact.Service
	Lists    *lists.Lists

	Undrawable func(name string) string // the characters of a name that no font has
}
