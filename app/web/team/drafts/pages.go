package drafts

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// pagesPage shows the pages of a file, to reorder, turn and remove them.
type pagesPage struct {
	At, Files  string // paths of this page and of the step for the files
	Name       string // of the file
	Count      int
	Order      string // all pages, as they can be changed in the form
	Restorable bool   // pages of the upload were changed
	Pages      []pageRow
	More       int // pages that are not shown
	Steps      []step
}

// pageRow is a page of the file.
type pageRow struct {
	N           int
	Src         string
	First, Last bool
}

// maxPageRows is the number of pages that can be changed one by one.
const maxPageRows = 200

// ShowPages serves the page where pages of a file are changed.
func (h *Handlers) ShowPages(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Status != record.Draft {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return showPages(r, d, http.StatusOK, page.Page{})
}

func showPages(r *page.Request, d *record.Document, status int, p page.Page) error {
	f := d.File(r.Params("file"))
	if f == nil {
		return fault.NotFound("file")
	}
	p.Title = r.Say("pages.title")
	base := "/app/documents/" + d.ID
	data := pagesPage{At: at(d.ID, "files/"+f.ID+"/pages"), Files: at(d.ID, stepFiles), Name: f.Name, Count: len(f.Pages),
		Order: "1", Restorable: f.Arranged != nil, More: max(0, len(f.Pages)-maxPageRows), Steps: steps(r, d.ID, stepFiles)}
	if data.Count > 1 {
		data.Order = "1-" + strconv.Itoa(data.Count)
	}
	for n := range min(data.Count, maxPageRows) {
		data.Pages = append(data.Pages, pageRow{n + 1, fmt.Sprintf("%s/pages/%s/%d.png?w=320&v=%.8s", base, f.ID, n+1, f.Current()),
			n == 0, n == data.Count-1})
	}
	return pagesTemplate.Render(r, status, page.With(p, data))
}

// TakePages changes pages of a file.
func (h *Handlers) TakePages(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	f := d.File(r.Params("file"))
	if f == nil {
		return fault.NotFound("file")
	}
	if r.Form.Value("do") == "split" {
		return splitFile(h.Drafts, r, d, f)
	}
	next, n, ok := changePages(f, r.Form.Value("do"), r.Form.Value("page"), r.Form.Value("order"))
	if !ok {
		return showPages(r, d, http.StatusUnprocessableEntity, page.Page{
			Values: r.Form, Faults: map[string][]string{"order": {r.Say("pages.order.bad", "n", len(f.Pages))}}})
	}
	_, err = h.Drafts.ArrangePages(r.UserContext(), r.Who.Call.At(d.Version), d.ID, f.ID, next)
	if err != nil {
		return notChanged(r, d, err)
	}
	to := at(d.ID, "files/"+f.ID+"/pages")
	if n > 0 {
		to += "#page-" + strconv.Itoa(n)
	}
	return r.SeeOther(to)
}

// splitFile makes a file of its own of the pages after the given one.
func splitFile(drafts *signing.Drafts, r *page.Request, d *record.Document, f *record.File) error {
	n, err := strconv.Atoi(strings.TrimSpace(r.Form.Value("page")))
	if err != nil || n < 1 || n >= len(f.Pages) {
		return showPages(r, d, http.StatusUnprocessableEntity, page.Page{
			Values: r.Form, Faults: map[string][]string{"page": {r.Say("pages.split.bad", "n", len(f.Pages)-1)}}})
	}
	d, made, err := drafts.SplitFile(r.UserContext(), r.Who.Call.At(d.Version), d.ID, f.ID, n+1)
	if err != nil {
		return notChanged(r, d, err)
	}
	r.Flash("ok", "pages.split.done", "name", d.File(made).Name)
	return r.SeeOther(at(d.ID, stepFiles))
}

// notChanged says on the page why its pages were not changed.
func notChanged(r *page.Request, d *record.Document, err error) error {
	why, err := whyNot(r, err)
	if err != nil {
		return err
	}
	return showPages(r, d, http.StatusUnprocessableEntity, page.Page{Fault: why})
}

// changePages applies a button of the page to the pages that a file has. n is the page to go on
// with, 0 for the beginning.
func changePages(f *record.File, do, number, order string) (next []record.PageChoice, n int, ok bool) {
	now := slices.Clone(f.PageChoices())
	switch do {
	case "restore":
		upload := record.File{Pages: f.WholeFile().Pages}
		return upload.PageChoices(), 0, true
	case "order":
		next, ok = pagesInOrder(now, order)
		return next, 0, ok
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(now) {
		return nil, 0, false
	}
	i := n - 1
	switch {
	case do == "left":
		now[i].Rotate = (now[i].Rotate + 270) % 360
	case do == "right":
		now[i].Rotate = (now[i].Rotate + 90) % 360
	case do == "earlier" && i > 0:
		now[i], now[i-1] = now[i-1], now[i]
		n--
	case do == "later" && n < len(now):
		now[i], now[n] = now[n], now[i]
		n++
	case do == "remove" && len(now) > 1:
		now = slices.Delete(now, i, n)
		n = min(n, len(now))
	default:
		return nil, 0, false
	}
	return now, n, true
}

// pagesInOrder reads a list such as "3, 1-2": pages and ranges, which may run backwards.
func pagesInOrder(now []record.PageChoice, order string) (out []record.PageChoice, ok bool) {
	used := map[int]bool{}
	for part := range strings.SplitSeq(order, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err := strconv.Atoi(strings.TrimSpace(first))
		if err != nil {
			return nil, false
		}
		b, err := strconv.Atoi(strings.TrimSpace(last))
		if err != nil || min(a, b) < 1 || max(a, b) > len(now) {
			return nil, false
		}
		step := 1
		if b < a {
			step = -1
		}
		for n := a; n != b+step; n += step {
			if used[n] {
				return nil, false
			}
			used[n] = true
			out = append(out, now[n-1])
		}
	}
	return out, true
}
