package documents

import (
	"html/template"
	"time"

	"paraph/app/fault"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// rowsData is the component "rows".
type rowsData struct {
	Rows    []rowView
	Columns []page.Column
	Choose  bool   // rows can be selected
	Aside   string // heading of the day when they were archived or deleted, "" for others
	Sign    map[string]string
}

func listRows(rows []rowView, columns []page.Column, part string) rowsData {
	data := rowsData{Rows: rows, Columns: columns, Choose: true, Sign: map[string]string{}}
	if part != "" {
		data.Aside = columns[len(columns)-1].Text
	}
	return data
}

func waitingRows(l waitingList) rowsData {
	return rowsData{Rows: l.Rows, Columns: l.Columns, Sign: l.Sign}
}

// rowView is a document in a list.
type rowView struct {
	record.Row
	Href, Menu string
	Mark       page.Chip
	Look       string        // class of the status icon
	Name       template.HTML // the title, with the words that were searched for
	People     template.HTML // who is next, or who is involved
	Bad        bool          // People says what went wrong
	Progress   string        // how many have signed, "" where only one has to; when it is sent
	Files      string        // how many; "" for one
	Match      *rowMatch     // why it was found; nil if the rest of the row shows it
	Updated    template.HTML
	Due        string        // a day
	DueAt      string        // the same with the time
	Aside      template.HTML // date it was archived or deleted
	Open       *rowMenu

	people string // People, unmarked
}

// rowViews returns the rows of a list, with the words of a search marked.
func (h *Handlers) rowViews(r *page.Request, rows []record.Row, searched string) ([]rowView, error) {
	open, now := r.Query("row"), h.Now(r.Who.Company.ID)
	marker, missing := lists.NewMarker(searched), map[string]*lists.Marker{}
	out := make([]rowView, 0, len(rows))
	for i := range rows {
		v, err := rowViewOf(r, rows[i], now)
		if err != nil {
			return nil, err
		}
		if v.ID == open {
			if v.Open, err = h.rowMenu(r, v.ID, r.Link("row", "")); err != nil && fault.KindOf(err) != fault.KindNotFound {
				return nil, err
			}
		}
		if !marker.Empty() {
			if rest := v.mark(marker); !rest.Empty() {
				missing[v.ID] = rest
			}
		}
		out = append(out, v)
	}
	return out, h.explain(r, out, missing)
}

func rowViewOf(r *page.Request, row record.Row, now time.Time) (v rowView, err error) {
	v = rowView{Row: row, Href: "/app/documents/" + row.ID, Menu: r.Link("row", row.ID) + "#row-" + row.ID, Look: row.Status,
		Name: page.Marked(row.Title, nil), Updated: on(r, &row.UpdatedAt, now), Aside: on(r, row.DeletedAt, now)}
	if row.ExpiresAt != nil {
		if t, err := time.Parse(time.RFC3339, *row.ExpiresAt); err == nil {
			// Plain strings, because long lists have many of them.
			v.Due, v.DueAt = r.Words.ShortDate(t.In(r.Who.Zone())), moment(r, t)
		}
	}
	if row.DeletedAt == nil {
		v.Aside = on(r, row.ArchivedAt, now)
	}
	if v.Mark, err = page.StatusChip(r.Words, row.Status); err != nil {
		return v, err
	}
	if row.Attention != nil && *row.Attention == string(record.AttentionDeclined) {
		v.Mark, v.Look = declinedChip(r), record.Rejected.String()
	}
	if row.SendAt != nil {
		v.Mark, v.Look = scheduledChip(r), "scheduled"
		if t, err := time.Parse(time.RFC3339, *row.SendAt); err == nil {
			v.Progress = r.Say("documents.scheduled", "when", moment(r, t))
		}
	}
	v.people = people(r, row)
	v.People, v.Bad = page.Marked(v.people, nil), row.Attention != nil
	if row.Status == record.Sent.String() && row.Progress.Total > 1 {
		v.Progress = r.Say("documents.progress", "done", row.Progress.Signed, "n", row.Progress.Total)
	}
	if row.FilesCount > 1 {
		v.Files = r.Say("documents.files", "n", row.FilesCount)
	}
	return v, nil
}

// people says who is next on a document, or who is involved where nobody is.
func people(r *page.Request, row record.Row) string {
	var all, next, declined []string
	for _, p := range row.Signatories {
		switch p.Status {
		case record.Delegated, record.NotNeeded:
			continue
		case record.Notified, record.Viewed:
			next = append(next, p.Name)
		case record.Declined:
			declined = append(declined, p.Name)
		}
		all = append(all, p.Name)
	}
	switch {
	case len(declined) > 0 && row.Attention != nil:
		return r.Say("documents.declined", "names", names(r, declined, maxNames))
	case row.Attention != nil:
		return r.Say("documents.attention." + *row.Attention)
	case len(all) == 0:
		return r.Say("documents.nobody")
	case row.Status == record.Sent.String() && len(next) > 0:
		return r.Say("documents.waiting", "names", names(r, next, maxNames))
	}
	return names(r, all, maxNames)
}

// maxNames is the maximum number of names in a row.
const maxNames = 2

// on formats a time relative to now, with the exact time as a tooltip.
func on(r *page.Request, at *string, now time.Time) template.HTML {
	if at == nil {
		return ""
	}
	t, err := time.Parse(time.RFC3339, *at)
	if err != nil {
		return ""
	}
	return page.Ago(r, t, now)
}

// Functions returns the components used only by the lists of documents.
func Functions() template.FuncMap {
	return template.FuncMap{"rows": listRows, "waitingrows": waitingRows}
}
