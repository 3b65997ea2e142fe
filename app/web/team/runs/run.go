package runs

import (
	"cmp"
	"net/http"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/web/page"
)

// runPage is one run.
type runPage struct {
	bulk.Run
	Chip     page.Chip
	Over     int // rows that need no more work
	Running  bool
	Reload   int // seconds after which a page without scripts reloads
	MayEdit  bool
	MayRetry bool
	Leftover bool // some rows have no document and won't get one
	Who      string
	Rows     []rowLine
	Filters  []page.Tab
	Pager    page.Pager
}

// rowLine is one row of a run.
type rowLine struct {
	bulk.Row
	Chip page.Chip
	Why  string
}

// reloadAfter is how many seconds a page without scripts shows a run that goes on.
const reloadAfter = 10

// Show serves the progress of a run and its rows.
func (h *Handlers) Show(r *page.Request) error {
	x, err := h.Bulk.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	number, size := r.PageOf()
	state := bulk.RowState(r.Query("status"))
	list, err := h.Bulk.Rows(r.Who.Call, x.ID, state, (number-1)*size, size)
	if err != nil {
		return err
	}
	p := runPage{
		Run: x, Chip: runChip(r, &x), Over: over(&x), Running: x.State == bulk.Running, Reload: reloadAfter, Who: cmp.Or(x.By.Name, x.By.Email),
		MayEdit: r.Who.Call.Can(account.ScopeWrite), Pager: r.Pager(number, size, list.Total),
		Filters: rowFilters(r, &x, state),
	}
	p.MayRetry = p.MayEdit && x.State != bulk.Cancelled && x.Counts.Failed > 0
	p.Leftover = p.MayEdit && x.Counts.Failed+x.Counts.Invalid > 0 || x.State == bulk.Cancelled && x.Counts.Waiting > 0
	explain := explainer(r)
	for i := range list.Items {
		row := list.Items[i]
		p.Rows = append(p.Rows, rowLine{row, rowChip(r, &x, row.State), explain(row.Faults)})
	}
	frame := page.Page{Title: x.Title, Back: "/app/bulk", Scripts: []string{"runs.js"}}
	return runTemplate.Render(r, http.StatusOK, page.With(frame, p))
}

// rowFilters links to the rows of a run by their state.
func rowFilters(r *page.Request, x *bulk.Run, chosen bulk.RowState) []page.Tab {
	tab := func(state bulk.RowState, key string, count int) page.Tab {
		return page.Tab{Href: r.Link("status", string(state), "page", ""), Text: r.Say(key), Current: state == chosen, Count: count}
	}
	return []page.Tab{
		tab("", "run.rows.all", x.Counts.Rows),
		tab(bulk.Made, "run.row.made", x.Counts.Made),
		tab(bulk.Waiting, waitingKey(x), x.Counts.Waiting),
		tab(bulk.Failed, "run.row.failed", x.Counts.Failed),
		tab(bulk.Invalid, "run.row.invalid", x.Counts.Invalid),
	}
}

// waitingKey returns the text for the rows that wait, or that a cancelled run did not reach.
func waitingKey(x *bulk.Run) string {
	if x.State == bulk.Cancelled {
		return "run.row.cancelled"
	}
	return "run.row.waiting"
}

// rowChip shows the state of a row.
func rowChip(r *page.Request, x *bulk.Run, state bulk.RowState) page.Chip {
	chip := map[bulk.RowState]page.Chip{
		bulk.Waiting: {Icon: "clock"},
		bulk.Made:    {Kind: "ok", Icon: "check"},
		bulk.Failed:  {Kind: "danger", Icon: "alert"},
		bulk.Invalid: {Kind: "warn", Icon: "void"},
	}[state]
	key := "run.row." + string(state)
	if state == bulk.Waiting {
		key = waitingKey(x)
	}
	chip.Text = r.Say(key)
	return chip
}

// Cancel stops a run.
func (h *Handlers) Cancel(r *page.Request) error { return h.change(r, h.Bulk.Cancel, "run.cancelled") }

// Retry tries the failed rows again.
func (h *Handlers) Retry(r *page.Request) error { return h.change(r, h.Bulk.Retry, "run.retried") }

func (h *Handlers) change(
	r *page.Request, do func(account.Call, string) (bulk.Run, error), said string,
) error {
	x, err := do(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	r.Flash("ok", said)
	return r.SeeOther("/app/bulk/" + x.ID)
}
