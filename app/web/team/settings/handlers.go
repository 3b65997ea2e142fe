// Package settings serves the pages on which a company is configured.
package settings

import (
	"time"

	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/signing"
)

// Handlers are the handlers of these pages, with what they need.
type Handlers struct {
	Accounts *account.Service
	Keys     *pki.Authority
	Notify   *notify.Service
	Now      func() time.Time
	Setup    Setup
	Signing  *signing.Service
	Webhooks *notify.Webhooks
}
