package runs

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/web/page"
)

// listPage is the page that lists runs.
type listPage struct {
	Runs     []listedRun
	MayEdit  bool
	Filters  []page.Tab
	Pager    page.Pager
	Filtered bool
}

// listedRun is a run in the list.
type listedRun struct {
	bulk.Run
	Chip page.Chip
	Over int // rows that need no more work
}

// ShowList serves the list of runs.
func (h *Handlers) ShowList(r *page.Request) error {
	number, size := r.PageOf()
	state := bulk.State(r.Query("status"))
	list, err := h.Bulk.List(r.Who.Call, state, (number-1)*size, size)
	if err != nil {
		return err
	}
	p := listPage{MayEdit: r.Who.Call.Can(account.ScopeWrite), Filtered: state != "",
		Filters: []page.Tab{{Href: r.Link("status", "", "page", ""), Text: r.Say("runs.all"), Current: state == "", Count: -1}},
		Pager:   r.Pager(number, size, list.Total)}
	for _, s := range bulk.States() {
		p.Filters = append(p.Filters, page.Tab{Href: r.Link("status", string(s), "page", ""),
			Text: r.Say("run.state." + string(s)), Current: s == state, Count: -1})
	}
	for i := range list.Items {
		p.Runs = append(p.Runs, listedRun{list.Items[i], runChip(r, &list.Items[i]), over(&list.Items[i])})
	}
	return runsTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("runs.title")}, p))
}

// over returns the number of rows that need no more work.
func over(x *bulk.Run) int { return x.Counts.Rows - x.Counts.Waiting }

// runChip shows the state of a run.
func runChip(r *page.Request, x *bulk.Run) page.Chip {
	look := map[bulk.State]page.Chip{
		bulk.Running:   {Kind: "info", Icon: "hourglass"},
		bulk.Finished:  {Kind: "ok", Icon: "checks"},
		bulk.Cancelled: {Kind: "void", Icon: "void"},
	}[x.State]
	look.Text = r.Say("run.state." + string(x.State))
	if x.State == bulk.Finished && x.Counts.Failed+x.Counts.Invalid > 0 {
		return page.Chip{Kind: "warn", Icon: "alert", Text: r.Say("run.state.partly")}
	}
	return look
}
