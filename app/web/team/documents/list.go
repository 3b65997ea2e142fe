package documents

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// listPage is the page of a list of documents.
type listPage struct {
	Part     string // "", archived or trash
	Query    lists.Query
	Chips    []page.Tab
	Columns  []page.Column
	Rows     []rowView
	Pager    page.Pager
	Total    int
	Owners   []page.Option
	Kept     []page.Pair // parameters that the search form carries along
	Here     string      // address of this list
	Filtered bool
	Detailed bool // the advanced filters are in use
	First    bool // the company has no documents yet
	Bulk     []bulkButton
	Clear    string
	Limit    int64
	Live     liveData
}

// ShowList serves a list of documents: all, archived, or deleted.
func (h *Handlers) ShowList(r *page.Request) error {
	part := strings.TrimPrefix(strings.TrimPrefix(r.Path(), "/app/documents"), "/")
	q, number := listQuery(r, part)
	found, err := h.Lists.List(r.UserContext(), r.Who.Call, q)
	if fault.KindOf(err) == fault.KindInvalid {
		return r.SeeOther(r.Path()) // an address edited by hand
	}
	if err != nil {
		return err
	}
	counts, err := h.Lists.Counts(r.UserContext(), r.Who.Call, q)
	if err != nil {
		return err
	}
	rows, err := found.Items()
	if err != nil {
		return err
	}
	data := h.listPage(r, part, q, counts, found.Total)
	data.Pager = r.Pager(number, q.PerPage, found.Total)
	if data.Rows, err = h.rowViews(r, rows, q.Search); err != nil {
		return err
	}
	if data.Live, err = h.live(r, ""); err != nil {
		return err
	}
	title := r.Say("documents.title")
	if part != "" {
		title = r.Say("documents." + part)
	}
	p := page.Page{Title: title, Scripts: []string{"list.js", "live.js", "search.js"}}
	return documentsTemplate.Render(r, http.StatusOK, page.With(p, data))
}

// byUpdate is the default order: what was changed last comes first.
const byUpdate = "updated_at|desc"

// listQuery reads the query parameters, named as in the API.
func listQuery(r *page.Request, part string) (q lists.Query, number int) {
	q.Page, q.PerPage = r.PageOf()
	q.ScheduledApart = true // as a chip of their own
	text := func(name string) string { return strings.ToValidUTF8(strings.Clone(r.Query(name)), "") }
	q.Sort, q.Search, q.Status, q.Owner = lists.ParseSort(cmp.Or(text("sort"), byUpdate)), text("search"), text("status"), text("owner")
	q.CreatedFrom, q.CreatedTo, q.ExpiresFrom, q.ExpiresTo = text("created_from"), text("created_to"), text("expires_from"), text("expires_to")
	switch part {
	case "archived":
		q.Status = "archived"
	case "trash":
		q.Status = "deleted"
	}
	return q, q.Page
}

func (h *Handlers) listPage(r *page.Request, part string, q lists.Query, counts lists.Counts, total int) listPage {
	p := listPage{Part: part, Query: q, Total: total, Here: r.Link("row", ""), Kept: r.Kept("search", "owner", "created_from", "created_to", "expires_from", "expires_to", "page", "row"),
		Clear: r.Path(), Limit: h.MaxUpload}
	p.Detailed = q.Owner+q.CreatedFrom+q.CreatedTo+q.ExpiresFrom+q.ExpiresTo != ""
	p.Filtered = p.Detailed || strings.TrimSpace(q.Search) != "" || q.Status != "" && part == ""
	p.First = !p.Filtered && part == "" && counts.All+counts.Archived+counts.Deleted == 0
	p.Chips = chips(r, part, q, counts)
	p.Columns = columns(r, part, q.Sort.String())
	for _, owner := range []string{"", "me"} {
		p.Owners = append(p.Owners, page.Option{Value: owner, Label: r.Say("documents.owner." + cmp.Or(owner, "all")), Selected: owner == q.Owner})
	}
	p.Bulk = bulkButtons(r, part)
	return p
}

// chips returns links to the states in which there are documents, which keep the search and the other filters.
func chips(r *page.Request, part string, q lists.Query, counts lists.Counts) []page.Tab {
	to := func(path, status string) string {
		v := r.QueryValues()
		for _, name := range []string{"status", "page", "row"} {
			v.Del(name)
		}
		if status != "" {
			v.Set("status", status)
		}
		return page.AddressOf(path, v)
	}
	out := []page.Tab{{Href: to("/app/documents", ""), Text: r.Say("documents.all"), Count: counts.All, Current: part == "" && q.Status == ""}}
	if n := r.Shell.Waiting; n > 0 {
		out = append(out, page.Tab{Href: "/app/action", Text: r.Say("nav.action"), Count: n})
	}
	add := func(word string, n int) {
		out = append(out, page.Tab{Href: to("/app/documents", word), Text: r.Say("status." + word), Count: n,
			Current: part == "" && slices.Contains(strings.Split(q.Status, ","), word)})
	}
	for _, s := range record.Statuses() {
		if s == record.Sent {
			add("scheduled", counts.Scheduled)
		}
		add(s.String(), counts.ByStatus[s.String()])
	}
	out = append(out,
		page.Tab{Href: to("/app/documents/archived", ""), Text: r.Say("documents.archived"), Count: counts.Archived, Current: part == "archived"},
		page.Tab{Href: to("/app/documents/trash", ""), Text: r.Say("documents.trash"), Count: counts.Deleted, Current: part == "trash"})
	// Lists without documents are left out, but for the first and the open one.
	return append(out[:1], slices.DeleteFunc(out[1:], func(t page.Tab) bool { return t.Count == 0 && !t.Current })...)
}

func columns(r *page.Request, part, sort string) []page.Column {
	out := []page.Column{r.Sortable("title", r.Say("documents.column.title"), sort, false),
		r.Sortable("status_id", r.Say("documents.column.status"), sort, false),
		{Text: r.Say("documents.column.people")}, {Text: r.Say("documents.column.owner")},
		r.Sortable("updated_at", r.Say("documents.column.updated"), sort, true)}
	if part == "" {
		out = append(out, r.Sortable("expires_at", r.Say("documents.column.due"), sort, false))
	} else {
		out = append(out, page.Column{Text: r.Say("documents.column." + part)})
	}
	for i, class := range []string{"title", "status", "who", "owner", "when", "due"} {
		out[i].Class = "c-" + class
	}
	return out
}
