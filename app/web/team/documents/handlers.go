// Package documents serves the lists of documents and the pages of single ones.
package documents

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/trail"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	documentsTemplate page.Template[listPage]      = "documents"
	documentTemplate  page.Template[*documentPage] = "document"
	actionTemplate    page.Template[waitingPage]   = "action"
	actTemplate       page.Template[actionPage]    = "act"
	bulkTemplate      page.Template[bulkPage]      = "bulk"
)

// menuFragment is the menu of a row, for the list's script.
const menuFragment page.Fragment[*rowMenu] = "rowmenu"

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts  *account.Services
	Log       *slog.Logger
	MaxUpload int64 // of one file, bytes
	Notify    *notify.Service
	Now       func(company string) time.Time

	Completion *signing.Completion
	Drafts     *signing.Drafts
	Sending    *signing.Sending

	Lists *lists.Lists

	Trail *trail.Trail
	Mails func() bool // reports whether e-mails are sent to their recipients
}
