// Package templates serves the pages about templates: the list, each template, and
// the form that creates a document from one.
package templates

import (
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	templatesTemplate page.Template[templateList] = "templates"
	templateTemplate  page.Template[templatePage] = "template"
	useTemplate       page.Template[usePage]      = "template-use"
	linksTemplate     page.Template[linksPage]    = "template-links"
	linkTemplate      page.Template[linkForm]     = "template-link"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Links   *publiclink.Service
	Drafts  *signing.Drafts
	Sending *signing.Sending

	Mails func() bool // reports whether e-mails are sent to their recipients
}
