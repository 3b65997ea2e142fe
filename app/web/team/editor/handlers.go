// Package editor serves the pages on which the fields of a document are placed.
package editor

import (
	"paraph/app/notify"
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Notify  *notify.Service
	Signing *signing.Service
}
