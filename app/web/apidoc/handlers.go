// Package apidoc serves the pages about the API and its webhooks.
package apidoc

import (
	"paraph/app/web/page"
)

// Handlers are the handlers of these pages, with what they need.
type Handlers struct {
	Site *page.Site
}
