// Package drafts serves the steps for preparing and sending a document.
package drafts

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/signing/intake"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	draftTemplate  page.Template[draftPage]  = "draft"
	pagesTemplate  page.Template[pagesPage]  = "pages"
	redactTemplate page.Template[redactPage] = "redact"
	reviewTemplate page.Template[reviewPage] = "review"
	linksTemplate  page.Template[linksPage]  = "links"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts  *account.Services
	Contacts  *contact.Service
	Log       *slog.Logger
	MaxUpload int64 // of one file, bytes
	Notify    *notify.Service
	Now       func(company string) time.Time
	Drafts    *signing.Drafts
	Sending   *signing.Sending

	Intake *intake.Intake

	Mails func() bool // reports whether e-mails are sent to their recipients
}
