// Package runs serves the pages about sending one template to many people: the form that
// checks a table and starts a run, the list of runs, and the progress of each.
package runs

import (
	"io"
	"sync"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	runsTemplate page.Template[listPage] = "runs"
	runTemplate  page.Template[runPage]  = "run"
	newTemplate  page.Template[formPage] = "run-new"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Accounts *account.Services
	Bulk     *bulk.Service
	Drafts   *signing.Drafts
	Mails    func() bool // reports whether e-mails are sent to their recipients

	starting sync.Map // forms whose run is being started
}

// sendCSV sends a table while it is written.
func sendCSV(r *page.Request, name string, write bulk.Writing) error {
	r.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition(name))
	httpkit.Generated(r.Ctx, func(w io.Writer) error { return write(w) })
	return nil
}

// Header serves an empty table with the columns of a template.
func (h *Handlers) Header(r *page.Request) error {
	write, err := h.Bulk.Header(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	return sendCSV(r, "rows.csv", write)
}

// Results serves what became of each row.
func (h *Handlers) Results(r *page.Request) error {
	write, err := h.Bulk.Results(r.UserContext(), r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	return sendCSV(r, "results.csv", write)
}

// Leftover serves the rows of which no document was created, and why.
func (h *Handlers) Leftover(r *page.Request) error {
	write, err := h.Bulk.Leftover(r.UserContext(), r.Who.Call, r.Params("id"), explainer(r))
	if err != nil {
		return err
	}
	return sendCSV(r, "failed.csv", write)
}
