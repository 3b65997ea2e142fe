package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/signing"
)

// Bounds of what is done with many documents at once.
const (
	maxBulk = 1000
	maxZip  = 200
)

// bulkActions are offered for many documents, by the part of the lists.
var bulkActions = map[string][]string{
	"":         {"remind", "download", "archive", "void", "delete"},
	"archived": {"download", "restore", "delete"},
	"trash":    {"restore"},
}

func (r *request) bulkOptions(part string) []option {
	var out []option
	for _, a := range bulkActions[part] {
		if a == "download" || r.who.Actor.Can(account.ScopeWrite) {
			out = append(out, option{Value: a, Label: r.say("act." + a)})
		}
	}
	return out
}

// bulkPage asks for what is still needed, or tells what came of it.
type bulkPage struct {
	Action, Next string
	IDs          []string
	Results      []bulkResult
	Done, Failed int
	Count        int
}

// bulkResult is what came of one document.
type bulkResult struct {
	Title, Href, Fault string
}

// bulk does one thing with all documents that were chosen, and says of each what
// came of it: one that can't does not keep the others from it.
func (r *request) bulk() error {
	data := bulkPage{Action: r.form.value("action"), Next: r.inside(r.form.value("next"))}
	known := slices.ContainsFunc([]string{"", "archived", "trash"}, func(part string) bool { return slices.Contains(bulkActions[part], data.Action) })
	ids, err := r.ticked(data.Next)
	if err != nil {
		return err
	}
	if !known || len(ids) == 0 {
		r.flash("warn", "bulk.nothing")
		return r.redirect(data.Next)
	}
	data.IDs, data.Count = ids, len(ids)
	reason := r.form.value("reason")
	switch {
	case data.Action == "download" && len(ids) > maxZip:
		r.flash("warn", "bulk.toomany")
		return r.redirect(data.Next)
	case data.Action == "download":
		all, err := r.door.Signing.DownloadMany(r.UserContext(), r.who.Actor, ids)
		if account.KindOf(err) == account.KindConflict {
			r.flash("warn", "bulk.nofiles")
			return r.redirect(data.Next)
		}
		if err != nil {
			return err
		}
		return r.stream(all)
	case data.Action == "void" && !r.form.has("reason"):
		return r.render(http.StatusOK, "bulk", page{Title: r.say("bulk.void.title", "n", len(ids)), Data: data})
	case data.Action == "void" && strings.TrimSpace(reason) == "":
		return r.render(http.StatusUnprocessableEntity, "bulk", page{Title: r.say("bulk.void.title", "n", len(ids)), Data: data,
			Values: r.form, Faults: map[string][]string{"reason": {r.say("act.reason.missing")}}})
	}
	for _, id := range ids {
		result, err := r.bulkOne(data.Action, id, reason)
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
	return r.render(http.StatusOK, "bulk", page{Title: r.say("bulk.done." + data.Action), Data: data})
}

// bulkOne gives an error only for what is our fault.
func (r *request) bulkOne(action, id, reason string) (bulkResult, error) {
	ctx, who := r.UserContext(), r.who.Actor
	var d *signing.Document
	var err error
	if action == "void" {
		d, err = r.door.Signing.Void(ctx, who, id, &reason)
	} else {
		d, err = documentSteps[action](r.door.Signing, ctx, who, id)
	}
	if err == nil {
		return bulkResult{Title: d.Title, Href: "/app/documents/" + d.ID}, nil
	}
	f := r.failureOf(err)
	if f.Status >= http.StatusInternalServerError && f.Status != http.StatusServiceUnavailable {
		return bulkResult{}, err
	}
	result := bulkResult{Title: id, Fault: r.explain(f)}
	if d, err := r.door.Signing.Get(ctx, who, id); err == nil {
		result.Title, result.Href = d.Title, "/app/documents/"+d.ID
	}
	return result, nil
}

// ticked are the documents that were ticked, or with "all" those that the list
// at an address has.
func (r *request) ticked(list string) ([]string, error) {
	if r.form.value("all") != "yes" {
		ids := r.form.values["id"]
		return ids[:min(len(ids), maxBulk)], nil
	}
	u, err := url.Parse(list)
	if err != nil {
		return nil, account.Malformed("The list is not known.").Because(err)
	}
	v := u.Query()
	q := signing.ListQuery{Page: 1, PerPage: maxBulk, Search: v.Get("search"), Status: v.Get("status"), Owner: v.Get("owner"),
		CreatedFrom: v.Get("created_from"), CreatedTo: v.Get("created_to"), ExpiresFrom: v.Get("expires_from"), ExpiresTo: v.Get("expires_to")}
	switch strings.TrimPrefix(u.Path, "/app/documents/") {
	case "archived":
		q.Status = "archived"
	case "trash":
		q.Status = "deleted"
	}
	found, err := r.door.Signing.List(r.UserContext(), r.who.Actor, q)
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
