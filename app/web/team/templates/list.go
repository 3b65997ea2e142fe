package templates

import (
	"cmp"
	"net/http"
	"time"

	"paraph/app/account"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// templateList is the page that lists templates.
type templateList struct {
	Templates []templateRow
	MayEdit   bool
	Search    string
	Kept      []page.Pair
	Filters   []page.Tab
	Columns   []page.Column
	Pager     page.Pager
	Filtered  bool
}

// templateRow is a template in the list.
type templateRow struct {
	signing.Template
	Roles []string
	Used  *time.Time // its last use, nil for never
	Ready bool       // documents can be created from it
}

// Parts of the list.
const (
	active   = "active"
	archived = "archived"
	deleted  = "deleted"
)

// ShowList serves the list of templates.
func (h *Handlers) ShowList(r *page.Request) error {
	number, size := r.PageOf()
	sort, status := cmp.Or(r.Query("sort"), "updated_at|desc"), cmp.Or(r.Query("status"), active)
	list, total, err := h.Drafts.ListTemplates(r.UserContext(), r.Who.Call, lists.Query{Page: number, PerPage: size, Sort: lists.ParseSort(sort), Search: r.Query("search"), Status: status})
	if err != nil {
		return err
	}
	mayEdit := r.Who.Call.Can(account.ScopeWrite)
	p := templateList{MayEdit: mayEdit, Search: r.Query("search"), Kept: r.Kept("search", "page"), Pager: r.Pager(number, size, total),
		Filtered: r.Query("search") != "" || status != active,
		Columns: []page.Column{r.Sortable("title", r.Say("template.title"), sort, false), {Text: r.Say("template.roles")},
			{Text: r.Say("template.used")}, r.Sortable("updated_at", r.Say("documents.column.updated"), sort, true)}}
	for _, t := range list {
		row := templateRow{Template: t, Used: usedAt(t), Ready: mayEdit && usable(t.Document)}
		for i := range t.Invitations {
			row.Roles = append(row.Roles, t.Invitations[i].RoleName)
		}
		p.Templates = append(p.Templates, row)
	}
	for _, s := range []string{active, archived, deleted} {
		value := s
		if s == active {
			value = ""
		}
		p.Filters = append(p.Filters, page.Tab{Href: r.Link("status", value, "page", ""), Text: r.Say("templates." + s), Current: s == status, Count: -1})
	}
	return templatesTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("nav.templates")}, p))
}

// usable reports whether documents can be created from a template.
func usable(d *record.Document) bool { return d.ArchivedAt == nil && d.DeletedAt == nil }
