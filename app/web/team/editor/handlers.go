// Package editor serves the pages for placing the fields of a document.
package editor

import (
	"paraph/app/signing"
	"paraph/app/signing/trail"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Detection *signing.Detection
	Documents *signing.Documents
	Drafts    *signing.Drafts
	Trail     *trail.Trail
	Limits    signing.Limits
	Mails     func() bool // reports whether e-mails are sent to their recipients
}
