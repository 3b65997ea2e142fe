// Package editor serves the pages for placing the fields of a document.
package editor

import (
	"time"

	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	editorTemplate    page.Template[editorPageData] = "editor"
	fieldlistTemplate page.Template[*fieldList]     = "fieldlist"
	savedTemplate     page.Template[savedPage]      = "saved-fields"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Drafts *signing.Drafts

	Trail  *trail.Trail
	Limits record.Limits
	Now    func(company string) time.Time
	Mails  func() bool // reports whether e-mails are sent to their recipients
}
