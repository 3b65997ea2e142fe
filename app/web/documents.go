package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// documentPath is the page of one document. The length tells identifiers from
// the other pages.
const documentPath = "/app/documents/:id<len(26)>"

// documentRoutes are the lists of documents and the page of each.
func (d *Door) documentRoutes(app *fiber.App) {
	d.teamGet(app, "/app/documents", (*request).listDocuments)
	d.teamGet(app, "/app/documents/archived", (*request).listDocuments)
	d.teamGet(app, "/app/documents/trash", (*request).listDocuments)
	d.teamPost(app, "/app/documents/bulk", (*request).bulk)
	d.teamPost(app, "/app/documents/sample", (*request).makeSample)
	d.teamPost(app, "/app/keys", (*request).setKeys)
	d.teamGet(app, "/app/action", (*request).listWaiting)
	d.teamGet(app, "/app/events", (*request).events)
	d.teamGet(app, documentPath, (*request).showDocument)
	d.teamGet(app, documentPath+"/menu", (*request).showRowMenu)
	d.teamGet(app, documentPath+"/download/:what", (*request).downloadDocument)
	d.teamGet(app, documentPath+"/events.json", (*request).downloadEvents)
	for name := range documentSteps {
		d.teamPost(app, documentPath+"/"+name, func(r *request) error { return r.takeStep(name) })
	}
	for name := range documentForms {
		d.teamGet(app, documentPath+"/"+name, func(r *request) error { return r.askStep(name, http.StatusOK, page{}) })
		d.teamPost(app, documentPath+"/"+name, func(r *request) error { return r.takeForm(name) })
	}
}

// listPage is the page of a list of documents.
type listPage struct {
	Part     string // "", archived or trash
	Query    signing.ListQuery
	Chips    []tab
	Columns  []column
	Rows     []rowView
	Pager    pager
	Total    int
	Owners   []option
	Kept     []pair // of the address, for the form of the search
	Here     string // address of this very list
	Filtered bool
	Detailed bool // the filters in details are used
	First    bool // there was never a document
	Bulk     []option
	Clear    string
	Limit    int64
	Keys     bool
	Live     liveData
}

// rowsData is the component "rows".
type rowsData struct {
	Rows    []rowView
	Columns []column
	Choose  bool // rows can be ticked
	Aside   bool // they were put aside
	Sign    map[string]string
}

func listRows(rows []rowView, columns []column, part string) rowsData {
	return rowsData{Rows: rows, Columns: columns, Choose: true, Aside: part != "", Sign: map[string]string{}}
}

func waitingRows(l waitingList) rowsData {
	return rowsData{Rows: l.Rows, Columns: l.Columns, Sign: l.Sign}
}

// rowView is one document of a list.
type rowView struct {
	signing.Row
	Href, Menu string
	Mark       chipData
	Badges     []badge
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

func (r *request) listDocuments() error {
	part := strings.TrimPrefix(strings.TrimPrefix(r.Path(), "/app/documents"), "/")
	q, number := r.listQuery(part)
	found, err := r.door.Signing.List(r.UserContext(), r.who.Actor, q)
	if account.KindOf(err) == account.KindInvalid {
		return r.redirect(r.Path()) // an address that somebody has changed
	}
	if err != nil {
		return err
	}
	counts, err := r.door.Signing.Counts(r.UserContext(), r.who.Actor, q)
	if err != nil {
		return err
	}
	rows, err := found.Items()
	if err != nil {
		return err
	}
	data := r.listPage(part, q, counts, found.Total)
	data.Pager = r.pager(number, q.PerPage, found.Total)
	if data.Rows, err = r.rowViews(rows); err != nil {
		return err
	}
	if data.Live, err = r.live(""); err != nil {
		return err
	}
	title := r.say("documents.title")
	if part != "" {
		title = r.say("documents." + part)
	}
	return r.render(http.StatusOK, "documents", page{Title: title, Data: data, Scripts: []string{"list.js", "live.js"}})
}

// listQuery reads what the address asks for, under the names of the API.
func (r *request) listQuery(part string) (q signing.ListQuery, number int) {
	q.Page, q.PerPage = r.pageOf()
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

func (r *request) listPage(part string, q signing.ListQuery, counts signing.Counts, total int) listPage {
	p := listPage{Part: part, Query: q, Total: total, Here: r.link("row", ""), Kept: r.kept("search", "owner", "created_from", "created_to", "expires_from", "expires_to", "page", "row"),
		Clear: r.Path(), Limit: r.door.MaxUpload, Keys: r.Cookies(keysCookie) == "on"}
	p.Detailed = q.Owner+q.CreatedFrom+q.CreatedTo+q.ExpiresFrom+q.ExpiresTo != ""
	p.Filtered = p.Detailed || strings.TrimSpace(q.Search) != "" || q.Status != "" && part == ""
	p.First = !p.Filtered && part == "" && counts.All+counts.Archived+counts.Deleted == 0
	p.Chips = r.chips(part, q, counts)
	p.Columns = r.columns(part, q.Sort)
	for _, owner := range []string{"", "me"} {
		p.Owners = append(p.Owners, option{owner, r.say("documents.owner." + cmp.Or(owner, "all")), owner == q.Owner})
	}
	p.Bulk = r.bulkOptions(part)
	return p
}

// chips lead to the states. They keep the search and the filters.
func (r *request) chips(part string, q signing.ListQuery, counts signing.Counts) []tab {
	to := func(path, status string) string {
		v := r.query()
		for _, name := range []string{"status", "page", "row"} {
			v.Del(name)
		}
		if status != "" {
			v.Set("status", status)
		}
		return address(path, v)
	}
	out := []tab{{Href: to("/app/documents", ""), Text: r.say("documents.all"), Count: counts.All, Current: part == "" && q.Status == ""}}
	if n := r.shell.Waiting; n > 0 {
		out = append(out, tab{Href: "/app/action", Text: r.say("nav.action"), Count: n})
	}
	for _, s := range signing.Statuses() {
		word := s.String()
		out = append(out, tab{Href: to("/app/documents", word), Text: r.say("status." + word), Count: counts.ByStatus[word],
			Current: part == "" && slices.Contains(strings.Split(q.Status, ","), word)})
	}
	return append(out,
		tab{Href: to("/app/documents/archived", ""), Text: r.say("documents.archived"), Count: counts.Archived, Current: part == "archived"},
		tab{Href: to("/app/documents/trash", ""), Text: r.say("documents.trash"), Count: counts.Deleted, Current: part == "trash"})
}

func (r *request) columns(part, sort string) []column {
	out := []column{r.sortable("title", r.say("documents.column.title"), sort, false),
		r.sortable("status_id", r.say("documents.column.status"), sort, false),
		{Text: r.say("documents.column.people")}, {Text: r.say("documents.column.owner")},
		r.sortable("updated_at", r.say("documents.column.updated"), sort, true)}
	if part == "" {
		return append(out, r.sortable("expires_at", r.say("documents.column.due"), sort, false))
	}
	return append(out, column{Text: r.say("documents.column." + part)})
}

func (r *request) rowViews(rows []signing.Row) ([]rowView, error) {
	open := r.Query("row")
	out := make([]rowView, 0, len(rows))
	for i := range rows {
		v, err := r.rowView(rows[i])
		if err != nil {
			return nil, err
		}
		if v.ID == open {
			if v.Open, err = r.rowMenu(v.ID, r.link("row", "")); err != nil && account.KindOf(err) != account.KindNotFound {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func (r *request) rowView(row signing.Row) (v rowView, err error) {
	v = rowView{Row: row, Href: "/app/documents/" + row.ID, Menu: r.link("row", row.ID) + "#row-" + row.ID, Badges: r.words.badges(row.Signatories),
		Updated: r.on(&row.UpdatedAt), Aside: r.on(row.DeletedAt)}
	if row.ExpiresAt != nil {
		if t, err := time.Parse(time.RFC3339, *row.ExpiresAt); err == nil {
			// Without an element of its own: long lists have many of them.
			v.Due, v.DueAt = r.words.date(t.In(r.who.Zone())), r.moment(t)
		}
	}
	if row.DeletedAt == nil {
		v.Aside = r.on(row.ArchivedAt)
	}
	if v.Mark, err = r.words.statusChip(row.Status); err != nil {
		return v, err
	}
	if len(v.Badges) > maxBadges {
		v.More = len(v.Badges) - maxBadges
		v.Badges = v.Badges[:maxBadges]
	}
	switch {
	case row.Attention != nil:
		v.Progress = r.say("documents.attention." + *row.Attention)
	case row.Progress.Total > 0:
		v.Progress = r.say("documents.progress", "done", row.Progress.Signed, "n", row.Progress.Total)
	default:
		v.Progress = r.say("documents.nobody")
	}
	v.Files = r.say("documents.files", "n", row.FilesCount)
	return v, nil
}

// on is a day in words, with the moment for whoever points at it.
func (r *request) on(at *string) template.HTML {
	if at == nil {
		return ""
	}
	t, err := time.Parse(time.RFC3339, *at)
	if err != nil {
		return ""
	}
	t = t.In(r.who.Zone())
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, *at,
		template.HTMLEscapeString(r.words.moment(t)), template.HTMLEscapeString(r.words.date(t))))
}

// keysCookie says that a person wants to move in lists by single letters.
const keysCookie = "paraph_keys"

func (r *request) setKeys() error {
	if r.form.value("keys") == "on" {
		r.keep(keysCookie, "on", "/", 365*24*time.Hour)
	} else {
		r.keep(keysCookie, "", "/", -1)
	}
	return r.redirect(r.inside(r.form.value("next")))
}

// waitingPage is what waits for whoever reads it.
type waitingPage struct {
	Lists []waitingList
	Here  string
	Live  liveData
}

type waitingList struct {
	Title, Text, More string
	Columns           []column
	Rows              []rowView
	Total             int
	Sign              map[string]string // links by document
}

func (r *request) listWaiting() error {
	w, err := r.door.Signing.ListWaiting(r.UserContext(), r.who.Actor)
	if err != nil {
		return err
	}
	data := waitingPage{Here: r.link("row", "")}
	if data.Live, err = r.live(""); err != nil {
		return err
	}
	columns := r.columns("", "")
	for i := range columns {
		columns[i].Href, columns[i].Aria = "", ""
	}
	for _, l := range []struct {
		name  string
		rows  []signing.Row
		total int
	}{{"sign", w.Sign, w.SignTotal}, {"approve", w.Approve, w.ApproveTotal}, {"back", w.Back, w.BackTotal}} {
		rows, err := r.rowViews(l.rows)
		if err != nil {
			return err
		}
		list := waitingList{Title: r.say("action." + l.name), Text: r.say("action." + l.name + ".none"), Rows: rows, Columns: columns, Total: l.total, Sign: map[string]string{}}
		if l.total > len(rows) {
			list.More = r.say("action.more", "n", l.total-len(rows))
		}
		if l.name == "sign" {
			if err := r.ownLinks(list); err != nil {
				return err
			}
		}
		data.Lists = append(data.Lists, list)
	}
	return r.render(http.StatusOK, "action", page{Title: r.say("nav.action"), Data: data, Scripts: []string{"list.js", "live.js"}})
}

// ownLinks finds the reader's own links to the documents of a list.
func (r *request) ownLinks(list waitingList) error {
	for _, row := range list.Rows {
		d, err := r.door.Signing.Get(r.UserContext(), r.who.Actor, row.ID)
		if account.KindOf(err) == account.KindNotFound {
			continue
		}
		if err != nil {
			return err
		}
		list.Sign[row.ID] = r.ownLink(d)
	}
	return nil
}

// ownLink is the path of the reader's own invitation when it is their turn, or "".
func (r *request) ownLink(d *signing.Document) string {
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if slices.Contains(d.InvitationActions(r.who.Actor, inv, r.door.Now()), signing.ActionSign) {
			return r.door.Signing.SignURL(d, inv, "")
		}
	}
	return ""
}

// Functions are the components that only the lists of documents have.
func documentFunctions() template.FuncMap {
	return template.FuncMap{"rows": listRows, "waitingrows": waitingRows}
}
