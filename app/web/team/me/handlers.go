// Package me serves the pages of a member about their own account.
package me

import (
	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
)

// Handlers serves these pages with the services they need.
type Handlers struct {
	Accounts *account.Service
	Fonts    *text.Fonts
	Signing  *signing.Service
}
