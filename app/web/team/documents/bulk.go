package documents

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// Limits of bulk actions.
const (
	maxBulk = 1000
	maxZip  = 200
)

// bulkActions are the bulk actions of each list.
var bulkActions = map[string][]string{
	"":         {"remind", "download", "archive", "void", "delete"},
	"archived": {"download", "restore", "delete"},
	"trash":    {"restore"},
}

// bulkButton is the button of a bulk action.
type bulkButton struct {
	Name, Text, Icon string
	Danger           bool
}

func bulkButtons(r *page.Request, part string) []bulkButton {
	var out []bulkButton
	for _, a := range bulkActions[part] {
		if a == "download" || r.Who.Call.Can(account.ScopeWrite) {
			out = append(out, bulkButton{a, r.Say("act." + a), menuIcons[record.Action(a)], a == "void" || a == "delete"})
		}
	}
	return out
}

// bulkPage asks for further input, or shows the results.
type bulkPage struct {
	Action, Next string
	IDs          []string
	Results      []bulkResult
	Done, Failed int
	Count        int
}

// bulkResult is the result for one document.
type bulkResult struct {
	Title, Href, Fault string
}

// Bulk applies an action to all selected documents and reports the result for
// each. A failure doesn't affect the others.
func (h *Handlers) Bulk(r *page.Request) error {
	data := bulkPage{Action: r.Form.Value("action"), Next: r.Inside(r.Form.Value("next"))}
	known := slices.ContainsFunc([]string{"", "archived", "trash"}, func(part string) bool { return slices.Contains(bulkActions[part], data.Action) })
	ids, err := h.selectedIDs(r, data.Next)
	if err != nil {
		return err
	}
	if !known || len(ids) == 0 {
		r.Flash("warn", "bulk.nothing")
		return r.SeeOther(data.Next)
	}
	data.IDs, data.Count = ids, len(ids)
	reason := r.Form.Value("reason")
	switch {
	case data.Action == "download" && len(ids) > maxZip:
		r.Flash("warn", "bulk.toomany")
		return r.SeeOther(data.Next)
	case data.Action == "download":
		all, err := h.Completion.DownloadMany(r.Who.Call, ids)
		if fault.KindOf(err) == fault.KindConflict {
			r.Flash("warn", "bulk.nofiles")
			return r.SeeOther(data.Next)
		}
		if err != nil {
			return err
		}
		return r.Download(all)
	case data.Action == "void" && !r.Form.Has("reason"):
		p := page.Page{Title: r.Say("bulk.void.title", "n", len(ids))}
		return bulkTemplate.Render(r, http.StatusOK, page.With(p, data))
	case data.Action == "void" && strings.TrimSpace(reason) == "":
		return bulkTemplate.Render(r, http.StatusUnprocessableEntity, page.With(page.Page{Title: r.Say("bulk.void.title", "n", len(ids)),
			Values: r.Form, Faults: map[string][]string{"reason": {r.Say("act.reason.missing")}}}, data))
	}
	for _, id := range ids {
		result, err := h.bulkOne(r, data.Action, id, reason)
		if err != nil {
			return err
		}
		if result.Fault == "" {
			data.Done++
		} else {
			data.Failed++
		}
		data.Results = append(data.Results, result)
	}
	if data.Failed > 0 || len(ids) > page.MaxUndo || data.Action == "void" {
		p := page.Page{Title: r.Say("bulk.done." + data.Action)}
		return bulkTemplate.Render(r, http.StatusOK, page.With(p, data))
	}
	// Nothing failed, so the list itself shows the result.
	notice := page.Notice{Kind: "ok", Key: "bulk.did." + data.Action, Pairs: []string{"n", strconv.Itoa(len(ids))}}
	if data.Action == "remind" {
		notice.Key = page.Mailed(notice.Key, h.Mails())
	}
	if data.Action == "archive" || data.Action == "delete" {
		notice.Undo, notice.Do, notice.IDs = "/app/documents/bulk", "restore", ids
	}
	r.FlashNotice(notice)
	return r.SeeOther(data.Next)
}

// bulkOne applies an action to one document. It returns an error only for internal
// failures; a refusal is part of the result.
func (h *Handlers) bulkOne(r *page.Request, action, id, reason string) (bulkResult, error) {
	ctx, who := r.UserContext(), r.Who.Call
	var d *record.Document
	var err error
	if action == "void" {
		d, err = h.Sending.Void(who, id, &reason)
	} else {
		d, err = h.steps(ctx, "")[action](who, id)
	}
	if err == nil {
		return bulkResult{Title: d.Title, Href: "/app/documents/" + d.ID}, nil
	}
	f := r.FailureOf(err)
	if f.Status >= http.StatusInternalServerError && f.Status != http.StatusServiceUnavailable {
		return bulkResult{}, err
	}
	result := bulkResult{Title: id, Fault: r.Explain(f)}
	if d, err := h.Completion.Get(who, id); err == nil {
		result.Title, result.Href = d.Title, "/app/documents/"+d.ID
	}
	return result, nil
}

// selectedIDs returns the IDs of the selected documents, or if "all" are selected,
// those of the list at an address.
func (h *Handlers) selectedIDs(r *page.Request, list string) ([]string, error) {
	if r.Form.Value("all") != "yes" {
		ids := r.Form.Values["id"]
		return ids[:min(len(ids), maxBulk)], nil
	}
	u, err := url.Parse(list)
	if err != nil {
		return nil, fault.Malformed("list_unknown").Because(err)
	}
	v := u.Query()
	q := lists.Query{Page: 1, PerPage: maxBulk, Search: v.Get("search"), Status: v.Get("status"), Owner: v.Get("owner"),
		CreatedFrom: v.Get("created_from"), CreatedTo: v.Get("created_to"), ExpiresFrom: v.Get("expires_from"), ExpiresTo: v.Get("expires_to")}
	switch strings.TrimPrefix(u.Path, "/app/documents/") {
	case "archived":
		q.Status = "archived"
	case "trash":
		q.Status = "deleted"
	}
	found, err := h.Lists.List(r.UserContext(), r.Who.Call, q)
	if err != nil {
		return nil, err
	}
	rows, err := found.Items()
	ids := make([]string, 0, len(rows))
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids, err
}
