package documents

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// listPage is the page of a list of documents.
type listPage struct {
	Part     string // "", archived or trash
	Query    signing.ListQuery
	Chips    []page.Tab
	Columns  []page.Column
	Rows     []rowView
	Pager    page.Pager
	Total    int
	Owners   []page.Option
	Kept     []page.Pair // of the address, for the form of the search
	Here     string      // address of this very list
	Filtered bool
	Detailed bool // the filters in details are used
	First    bool // there was never a document
	Bulk     []page.Option
	Clear    string
	Limit    int64
	Keys     bool
	Live     liveData
}

// rowsData is the component "rows".
type rowsData struct {
	Rows    []rowView
	Columns []page.Column
	Choose  bool // rows can be ticked
	Aside   bool // they were put aside
	Sign    map[string]string
}

func listRows(rows []rowView, columns []page.Column, part string) rowsData {
	return rowsData{Rows: rows, Columns: columns, Choose: true, Aside: part != "", Sign: map[string]string{}}
}

func waitingRows(l waitingList) rowsData {
	return rowsData{Rows: l.Rows, Columns: l.Columns, Sign: l.Sign}
}

// rowView is one document of a list.
type rowView struct {
	signing.Row
	Href, Menu string
	Mark       page.Chip
	Badges     []page.Badge
	More       int // people who have no badge of their own
	Progress   string
	Files      string
	Updated    template.HTML
	Due        string        // a day
	DueAt      string        // its moment
	Aside      template.HTML // when it was put aside
	Open       *rowMenu
}

// maxBadges is how many people a row shows one by one.
const maxBadges = 4

// ShowList serves a list of documents: all, archived, or deleted.
func (h *Handlers) ShowList(r *page.Request) error {
	part := strings.TrimPrefix(strings.TrimPrefix(r.Path(), "/app/documents"), "/")
	q, number := listQuery(r, part)
	found, err := h.Signing.List(r.UserContext(), r.Who.Actor, q)
	if fault.KindOf(err) == fault.KindInvalid {
		return r.SeeOther(r.Path()) // an address that somebody has changed
	}
	if err != nil {
		return err
	}
	counts, err := h.Signing.Counts(r.UserContext(), r.Who.Actor, q)
	if err != nil {
		return err
	}
	rows, err := found.Items()
	if err != nil {
		return err
	}
	data := h.listPage(r, part, q, counts, found.Total)
	data.Pager = r.Pager(number, q.PerPage, found.Total)
	if data.Rows, err = h.rowViews(r, rows); err != nil {
		return err
	}
	if data.Live, err = h.live(r, ""); err != nil {
		return err
	}
	title := r.Say("documents.title")
	if part != "" {
		title = r.Say("documents." + part)
	}
	return r.Render(http.StatusOK, "documents", page.Page{Title: title, Data: data, Scripts: []string{"list.js", "live.js"}})
}

// listQuery reads what the address asks for, under the names of the API.
func listQuery(r *page.Request, part string) (q signing.ListQuery, number int) {
	q.Page, q.PerPage = r.PageOf()
	text := func(name string) string { return strings.ToValidUTF8(strings.Clone(r.Query(name)), "") }
	q.Sort, q.Search, q.Status, q.Owner = text("sort"), text("search"), text("status"), text("owner")
	q.CreatedFrom, q.CreatedTo, q.ExpiresFrom, q.ExpiresTo = text("created_from"), text("created_to"), text("expires_from"), text("expires_to")
	switch part {
	case "archived":
		q.Status = "archived"
	case "trash":
		q.Status = "deleted"
	}
	if q.Sort == "" {
		q.Sort = "updated_at|desc"
	}
	return q, q.Page
}

func (h *Handlers) listPage(r *page.Request, part string, q signing.ListQuery, counts signing.Counts, total int) listPage {
	p := listPage{Part: part, Query: q, Total: total, Here: r.Link("row", ""), Kept: r.Kept("search", "owner", "created_from", "created_to", "expires_from", "expires_to", "page", "row"),
		Clear: r.Path(), Limit: h.MaxUpload, Keys: r.Cookies(keysCookie) == "on"}
	p.Detailed = q.Owner+q.CreatedFrom+q.CreatedTo+q.ExpiresFrom+q.ExpiresTo != ""
	p.Filtered = p.Detailed || strings.TrimSpace(q.Search) != "" || q.Status != "" && part == ""
	p.First = !p.Filtered && part == "" && counts.All+counts.Archived+counts.Deleted == 0
	p.Chips = chips(r, part, q, counts)
	p.Columns = columns(r, part, q.Sort)
	for _, owner := range []string{"", "me"} {
		p.Owners = append(p.Owners, page.Option{Value: owner, Label: r.Say("documents.owner." + cmp.Or(owner, "all")), Selected: owner == q.Owner})
	}
	p.Bulk = bulkOptions(r, part)
	return p
}

// chips lead to the states. They keep the search and the filters.
func chips(r *page.Request, part string, q signing.ListQuery, counts signing.Counts) []page.Tab {
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
	for _, s := range signing.Statuses() {
		word := s.String()
		out = append(out, page.Tab{Href: to("/app/documents", word), Text: r.Say("status." + word), Count: counts.ByStatus[word],
			Current: part == "" && slices.Contains(strings.Split(q.Status, ","), word)})
	}
	return append(out,
		page.Tab{Href: to("/app/documents/archived", ""), Text: r.Say("documents.archived"), Count: counts.Archived, Current: part == "archived"},
		page.Tab{Href: to("/app/documents/trash", ""), Text: r.Say("documents.trash"), Count: counts.Deleted, Current: part == "trash"})
}

func columns(r *page.Request, part, sort string) []page.Column {
	out := []page.Column{r.Sortable("title", r.Say("documents.column.title"), sort, false),
		r.Sortable("status_id", r.Say("documents.column.status"), sort, false),
		{Text: r.Say("documents.column.people")}, {Text: r.Say("documents.column.owner")},
		r.Sortable("updated_at", r.Say("documents.column.updated"), sort, true)}
	if part == "" {
		return append(out, r.Sortable("expires_at", r.Say("documents.column.due"), sort, false))
	}
	return append(out, page.Column{Text: r.Say("documents.column." + part)})
}

func (h *Handlers) rowViews(r *page.Request, rows []signing.Row) ([]rowView, error) {
	open := r.Query("row")
	out := make([]rowView, 0, len(rows))
	for i := range rows {
		v, err := rowViewOf(r, rows[i])
		if err != nil {
			return nil, err
		}
		if v.ID == open {
			if v.Open, err = h.rowMenu(r, v.ID, r.Link("row", "")); err != nil && fault.KindOf(err) != fault.KindNotFound {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func rowViewOf(r *page.Request, row signing.Row) (v rowView, err error) {
	v = rowView{Row: row, Href: "/app/documents/" + row.ID, Menu: r.Link("row", row.ID) + "#row-" + row.ID, Badges: r.Words.Badges(row.Signatories),
		Updated: on(r, &row.UpdatedAt), Aside: on(r, row.DeletedAt)}
	if row.ExpiresAt != nil {
		if t, err := time.Parse(time.RFC3339, *row.ExpiresAt); err == nil {
			// Without an element of its own: long lists have many of them.
			v.Due, v.DueAt = r.Words.Date(t.In(r.Who.Zone())), moment(r, t)
		}
	}
	if row.DeletedAt == nil {
		v.Aside = on(r, row.ArchivedAt)
	}
	if v.Mark, err = r.Words.StatusChip(row.Status); err != nil {
		return v, err
	}
	if len(v.Badges) > maxBadges {
		v.More = len(v.Badges) - maxBadges
		v.Badges = v.Badges[:maxBadges]
	}
	switch {
	case row.Attention != nil:
		v.Progress = r.Say("documents.attention." + *row.Attention)
	case row.Progress.Total > 0:
		v.Progress = r.Say("documents.progress", "done", row.Progress.Signed, "n", row.Progress.Total)
	default:
		v.Progress = r.Say("documents.nobody")
	}
	v.Files = r.Say("documents.files", "n", row.FilesCount)
	return v, nil
}

// on is a day in words, with the moment for whoever points at it.
func on(r *page.Request, at *string) template.HTML {
	if at == nil {
		return ""
	}
	t, err := time.Parse(time.RFC3339, *at)
	if err != nil {
		return ""
	}
	t = t.In(r.Who.Zone())
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, *at,
		template.HTMLEscapeString(r.Words.Moment(t)), template.HTMLEscapeString(r.Words.Date(t))))
}

// keysCookie says that a person wants to move in lists by single letters.
const keysCookie = "paraph_keys"

// SetKeys turns single-letter shortcuts in lists on or off.
func SetKeys(r *page.Request) error {
	if r.Form.Value("keys") == "on" {
		r.Keep(keysCookie, "on", "/", 365*24*time.Hour)
	} else {
		r.Keep(keysCookie, "", "/", -1)
	}
	return r.SeeOther(r.Inside(r.Form.Value("next")))
}

// waitingPage is what waits for whoever reads it.
type waitingPage struct {
	Lists []waitingList
	Here  string
	Live  liveData
}

type waitingList struct {
	Title, Text, More string
	Columns           []page.Column
	Rows              []rowView
	Total             int
	Sign              map[string]string // links by document
}

// ShowWaiting serves the documents that need something of the reader.
func (h *Handlers) ShowWaiting(r *page.Request) error {
	w, err := h.Signing.ListWaiting(r.UserContext(), r.Who.Actor)
	if err != nil {
		return err
	}
	data := waitingPage{Here: r.Link("row", "")}
	if data.Live, err = h.live(r, ""); err != nil {
		return err
	}
	columns := columns(r, "", "")
	for i := range columns {
		columns[i].Href, columns[i].Aria = "", ""
	}
	for _, l := range []struct {
		name  string
		rows  []signing.Row
		total int
	}{{"sign", w.Sign, w.SignTotal}, {"approve", w.Approve, w.ApproveTotal}, {"back", w.Back, w.BackTotal}} {
		rows, err := h.rowViews(r, l.rows)
		if err != nil {
			return err
		}
		list := waitingList{Title: r.Say("action." + l.name), Text: r.Say("action." + l.name + ".none"), Rows: rows, Columns: columns, Total: l.total, Sign: map[string]string{}}
		if l.total > len(rows) {
			list.More = r.Say("action.more", "n", l.total-len(rows))
		}
		if l.name == "sign" {
			if err := h.ownLinks(r, list); err != nil {
				return err
			}
		}
		data.Lists = append(data.Lists, list)
	}
	return r.Render(http.StatusOK, "action", page.Page{Title: r.Say("nav.action"), Data: data, Scripts: []string{"list.js", "live.js"}})
}

// ownLinks finds the reader's own links to the documents of a list.
func (h *Handlers) ownLinks(r *page.Request, list waitingList) error {
	for _, row := range list.Rows {
		d, err := h.Signing.Get(r.UserContext(), r.Who.Actor, row.ID)
		if fault.KindOf(err) == fault.KindNotFound {
			continue
		}
		if err != nil {
			return err
		}
		list.Sign[row.ID] = h.ownLink(r, d)
	}
	return nil
}

// ownLink is the path of the reader's own invitation when it is their turn, or "".
func (h *Handlers) ownLink(r *page.Request, d *signing.Document) string {
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if slices.Contains(d.InvitationActions(r.Who.Actor, inv, h.Now()), signing.ActionSign) {
			return h.Signing.SignURL(d, inv, "")
		}
	}
	return ""
}

// Functions are the components that only the lists of documents have.
func Functions() template.FuncMap {
	return template.FuncMap{"rows": listRows, "waitingrows": waitingRows}
}
