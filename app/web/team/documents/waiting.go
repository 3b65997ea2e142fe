package documents

import (
	"net/http"
	"slices"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// waitingPage lists what needs the reader's action.
type waitingPage struct {
	Lists []waitingList
	Here  string
	Live  liveData
}

type waitingList struct {
	Title, More string
	Columns     []page.Column
	Rows        []rowView
	Total       int
	Sign        map[string]string // links for signing, by document
}

// ShowWaiting serves the documents that need the reader's action.
func (h *Handlers) ShowWaiting(r *page.Request) error {
	w, err := h.Lists.ListWaiting(r.Who.Call)
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
		rows  []record.Row
		total int
	}{{"sign", w.Sign, w.SignTotal}, {"approve", w.Approve, w.ApproveTotal}, {"back", w.Back, w.BackTotal}} {
		if len(l.rows) == 0 {
			continue
		}
		rows, err := h.rowViews(r, l.rows, "")
		if err != nil {
			return err
		}
		list := waitingList{Title: r.Say("action." + l.name), Rows: rows, Columns: columns, Total: l.total, Sign: map[string]string{}}
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
	p := page.Page{Title: r.Say("nav.action"), Scripts: []string{"list.js", "live.js"}}
	return actionTemplate.Render(r, http.StatusOK, page.With(p, data))
}

// ownLinks adds the reader's own links for signing to a list.
func (h *Handlers) ownLinks(r *page.Request, list waitingList) error {
	for _, row := range list.Rows {
		d, err := h.Completion.Get(r.Who.Call, row.ID)
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

// ownLink returns the path that opens the reader's own signing page, "" if it isn't
// their turn.
func (h *Handlers) ownLink(r *page.Request, d *record.Document) string {
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		mayDo := d.InvitationActions(r.Who.Call.Actor, inv, h.Now(r.Who.Company.ID))
		if slices.Contains(mayDo, inv.Action()) && h.Sending.OwnURL(r.Who.Call, d, inv, "") != "" {
			return "/app/documents/" + d.ID + "/people/" + inv.ID + "/sign"
		}
	}
	return ""
}
