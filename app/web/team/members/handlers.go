// Package members serves the pages about a company's members and their roles.
package members

import (
	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	teamTemplate   page.Template[teamList]   = "team"
	inviteTemplate page.Template[inviteForm] = "invite"
	memberTemplate page.Template[memberPage] = "member"
	rolesTemplate  page.Template[rolesPage]  = "roles"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Services
	Notify   *notify.Service
	Sending  *signing.Sending
	Mails    func() bool // reports whether e-mails are sent to their recipients
}
