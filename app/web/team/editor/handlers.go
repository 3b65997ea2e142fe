// Package editor serves the pages for placing the fields of a document.
package editor

import (
	"paraph/app/signing"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Signing *signing.Services
}
