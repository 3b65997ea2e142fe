// Package signin serves the pages for getting into the app: setting up, signing in,
// joining a company, and resetting a password.
package signin

import (
	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing/lists"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	signinTemplate       page.Template[signInPage]         = "signin"
	verifySigninTemplate page.Template[signInPage]         = "verify-signin"
	forgotTemplate       page.Template[forgotPage]         = "forgot"
	resetTemplate        page.Template[account.Outlasting] = "reset"
	joinTemplate         page.Template[joinPage]           = "join"
	confirmEmailTemplate page.Template[confirmPage]        = "confirm-email"
	undoTemplate         page.Template[confirmPage]        = "undo"
	overTemplate         page.Template[over]               = "over"
	startTemplate        page.Template[startData]          = "start"
	setupTemplate        page.Template[setupPage]          = "setup"
	welcomeTemplate      page.Template[welcomePage]        = "welcome"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Services
	Notify   *notify.Service
	Lists    *lists.Lists
}
