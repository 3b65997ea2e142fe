// Package templates serves the pages about templates: their list, each of them,
// and the form that makes a document from one.
package templates

import (
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Signing *signing.Service
}
