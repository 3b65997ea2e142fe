// Package signer serves the signatories' pages.
package signer

import (
	"log/slog"
	"time"

	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	visitTemplate         page.Template[outcomePage]      = "visit"
	signTemplate          page.Template[documentPage]     = "sign"
	previewTemplate       page.Template[documentPage]     = "preview"
	textTemplate          page.Template[textPage]         = "text"
	gateTemplate          page.Template[codePage]         = "gate"
	agreeTemplate         page.Template[consentPage]      = "agree"
	disclosureTemplate    page.Template[visitPage]        = "disclosure"
	declineTemplate       page.Template[visitPage]        = "decline"
	delegateTemplate      page.Template[visitPage]        = "delegate"
	notMeTemplate         page.Template[visitPage]        = "not-me"
	clearTemplate         page.Template[visitPage]        = "clear"
	withdrawTemplate      page.Template[visitPage]        = "withdraw"
	reportProblemTemplate page.Template[visitPage]        = "report-problem"
	farewellTemplate      page.Template[visitPage]        = "farewell"
	linkTemplate          page.Template[deadPage]         = "link"
	padTemplate           page.Template[padPage]          = "pad"
	padsentTemplate       page.Template[padPage]          = "padsent"
	hostTemplate          page.Template[handOverPage]     = "host"
	inPersonTemplate      page.Template[visitPage]        = "in-person"
	startTemplate         page.Template[startPage]        = "public-link"
	handBackTemplate      page.Template[deviceReturnPage] = "hand-back"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Services
	Fonts    *text.Fonts
	Log      *slog.Logger
	Now      func(company string) time.Time
	Signing  *signing.Signing

	Completion *signing.Completion
	Sending    *signing.Sending

	Mails func() bool // reports whether e-mails are sent to their recipients
}
