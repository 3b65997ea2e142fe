// Package editor serves the pages on which the fields of a document are placed.
package editor

import (
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Signing *signing.Service
}
