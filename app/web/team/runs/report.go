package runs

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/bulk"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// faults describes what is wrong with the options.
func (q *request) faults(r *page.Request) map[string][]string {
	out := map[string][]string{}
	if !q.validPace {
		out["per_minute"] = []string{r.Say("run.pace.bounds", "most", r.Words.Number(bulk.MaxPerMinute))}
	}
	for _, f := range q.badTime {
		out["send_at"] = append(out["send_at"], r.Sentence(f, nil))
	}
	return out
}

// refuse shows the form with what is wrong with the table, its columns or the options.
func (h *Handlers) refuse(r *page.Request, q *request, report bulk.Report, err error) error {
	switch fault.KindOf(err) {
	case fault.KindInvalid, fault.KindMalformed, fault.KindTooLarge, fault.KindConflict:
	default:
		return err
	}
	p := page.Page{Faults: map[string][]string{}}
	for _, f := range fault.FieldsOf(err) {
		name, text := f.Name, r.Sentence(f, nil)
		if heading, ok := strings.CutPrefix(name, "columns."); ok {
			name = "column." + strconv.Itoa(columnOf(report.Columns, heading))
		}
		if name == "rows" {
			name, text = "file", r.Say("run.table."+string(f.Code), "n", h.Bulk.MaxRows)
		}
		p.Faults[name] = append(p.Faults[name], text)
	}
	if len(p.Faults) == 0 {
		p.Fault = r.Explain(r.FailureOf(err))
	}
	form := q.page(h, r, report)
	if len(report.Columns) == 0 {
		form.File = "" // another table is needed
	}
	return h.render(r, http.StatusUnprocessableEntity, form, p)
}

// showReport shows the faults of the table and the options.
func (h *Handlers) showReport(r *page.Request, q *request, report bulk.Report, faults map[string][]string) error {
	f := q.page(h, r, report)
	f.Report = &report
	shown := report.Invalid[:min(len(report.Invalid), shownRows)]
	f.More = len(report.Invalid) - len(shown)
	f.Cells = faultyCells(r, report.Columns, shown)
	f.Kept = slices.DeleteFunc(f.Kept, func(kept page.Pair) bool {
		return slices.ContainsFunc(f.Cells, func(c faultyCell) bool { return c.Name == kept.Name })
	})
	status := http.StatusOK
	if len(faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return h.render(r, status, f, page.Page{Faults: faults})
}

// confirm asks for the confirmation, with the exact numbers.
func (h *Handlers) confirm(r *page.Request, q *request, report bulk.Report) error {
	f := q.page(h, r, report)
	f.Report, f.Confirm, f.Once = &report, true, rand.Text()
	f.Kept = kept(r, func(string) bool { return false })
	title := "run.confirm.draft"
	switch {
	case q.input.SendAt != nil:
		title = "run.confirm.later.title"
	case q.input.Send:
		title = "run.confirm.send"
	}
	return h.render(r, http.StatusOK, f, page.Page{Title: r.Say(title, "n", report.Valid)})
}
