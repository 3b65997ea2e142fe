// Package gallery serves a page for developers that shows every component of the pages
// in each of its states.
package gallery

import (
	"net/http"
	"time"

	"paraph/app/web/page"
)

// galleryTemplate is the template of the page.
const galleryTemplate page.Template[gallery] = "components"

// gallery is the data of components that take any.
type gallery struct {
	Kinds    []string // of buttons
	Notices  []string // kinds of notices
	Icons    []string
	Drawings []string
	People   []page.Badge
	Columns  []page.Column
	Tabs     []page.Tab
	Filters  []page.Tab
	Pager    page.Pager
	Choices  []page.Option
	At       time.Time
}

// Show serves the page of all components.
func Show(r *page.Request) error {
	g := gallery{
		Kinds:    []string{"primary", "secondary", "quiet", "danger"},
		Notices:  []string{"info", "ok", "warn", "danger"},
		Icons:    page.Icons(),
		Drawings: page.Drawings(),
		Columns: []page.Column{
			r.Sortable("name", "Name", "name|asc", false), r.Sortable("at", "Last active", "name|asc", true), {Text: "State"},
		},
		Tabs:    []page.Tab{{Href: "#tabs", Text: "Overview", Current: true, Count: -1}, {Href: "#tabs", Text: "Recipients", Count: 2}},
		Filters: []page.Tab{{Href: "#filters", Text: "All", Current: true, Count: 12}, {Href: "#filters", Text: "Sent", Count: 3}},
		Pager:   r.Pager(2, 20, 183),
		Choices: []page.Option{{Value: "1", Label: "One"}, {Value: "2", Label: "Two", Selected: true}, {Value: "3", Label: "Three", Disabled: true}},
		At:      time.Now().Add(-3 * time.Hour),
	}
	for i, state := range []string{"pending", "notified", "viewed", "signed", "declined"} {
		g.People = append(g.People, page.NewBadge(r.Words, i, "Maria Silva", state))
	}
	p := page.Page{
		Title: "Components", Scripts: []string{"base.js"},
		Faults: map[string][]string{"refused": {"Enter an e-mail address."}},
	}
	return galleryTemplate.Render(r, http.StatusOK, page.With(p, g))
}
