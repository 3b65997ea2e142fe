package drafts

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// redactPage shows the pages of a file, to black out parts of them.
type redactPage struct {
	At, Files string // paths of this page and of the step for the files
	Name      string // of the file
	Count     int
	Pages     []pageRow
	More      int // pages that are not shown
	Regions   []region
	Steps     []step
}

// region is a part of a page as it is entered: in percent of the page.
type region struct{ Page, Left, Top, Width, Height string }

// regionRows is the number of rows for parts of pages without scripts.
const regionRows = 3

// ShowRedact shows the page where parts of a file's pages are blacked out.
func (h *Handlers) ShowRedact(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Status != record.Draft {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return showRedact(r, d, http.StatusOK, page.Page{}, nil)
}

func showRedact(r *page.Request, d *record.Document, status int, p page.Page, entered []region) error {
	f := d.File(r.Params("file"))
	if f == nil {
		return fault.NotFound("file")
	}
	p.Title, p.Scripts = r.Say("redact.title"), []string{"redact.js"}
	data := redactPage{At: at(d.ID, "files/"+f.ID+"/redact"), Files: at(d.ID, stepFiles), Name: f.Name, Count: len(f.Pages),
		More: max(0, len(f.Pages)-maxPageRows), Regions: entered, Steps: steps(r, d.ID, stepFiles)}
	for len(data.Regions) < regionRows {
		data.Regions = append(data.Regions, region{})
	}
	for n := range min(data.Count, maxPageRows) {
		src := fmt.Sprintf("/app/documents/%s/pages/%s/%d.png?w=1240&v=%.8s", d.ID, f.ID, n+1, f.Current())
		data.Pages = append(data.Pages, pageRow{N: n + 1, Src: src})
	}
	return redactTemplate.Render(r, status, page.With(p, data))
}

// TakeRedact blacks out parts of a file's pages.
func (h *Handlers) TakeRedact(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	f := d.File(r.Params("file"))
	if f == nil {
		return fault.NotFound("file")
	}
	rows := enteredRegions(r.Form)
	areas, bad := regionsOf(rows, len(f.Pages))
	if bad > 0 {
		return showRedact(r, d, http.StatusUnprocessableEntity, page.Page{Fault: r.Say("redact.bad", "row", bad, "n", len(f.Pages))}, rows)
	}
	if len(areas) == 0 {
		return showRedact(r, d, http.StatusUnprocessableEntity, page.Page{Fault: r.Say("redact.none")}, rows)
	}
	if _, err = h.Drafts.RedactFile(r.UserContext(), r.Who.Call.At(d.Version), d.ID, f.ID, areas); err != nil {
		why, err := whyNot(r, err)
		if err != nil {
			return err
		}
		return showRedact(r, d, http.StatusUnprocessableEntity, page.Page{Fault: why}, rows)
	}
	r.Flash("ok", "redact.done")
	return r.SeeOther(at(d.ID, "files/"+f.ID+"/redact"))
}

// enteredRegions returns the rows of the form that are not empty.
func enteredRegions(form page.Form) (out []region) {
	value := func(name string, i int) string {
		if all := form.Values[name]; i < len(all) {
			return strings.TrimSpace(all[i])
		}
		return ""
	}
	for i := range form.Values["page"] {
		x := region{value("page", i), value("left", i), value("top", i), value("width", i), value("height", i)}
		if x != (region{}) {
			out = append(out, x)
		}
	}
	return out
}

// regionsOf reads rows; bad is the first one that is no part of a page, counted from 1.
func regionsOf(rows []region, pages int) (out []detect.Area, bad int) {
	for i, x := range rows {
		n, err := strconv.Atoi(x.Page)
		if err != nil || n < 1 || n > pages {
			return nil, i + 1
		}
		a := detect.Area{Page: n}
		for _, side := range []struct {
			text string
			to   *float64
		}{{x.Left, &a.X}, {x.Top, &a.Y}, {x.Width, &a.Width}, {x.Height, &a.Height}} {
			v, err := strconv.ParseFloat(strings.ReplaceAll(side.text, ",", "."), 64)
			if err != nil || !(v >= 0 && v <= 100) {
				return nil, i + 1
			}
			*side.to = v / 100
		}
		a.Width, a.Height = min(a.Width, 1-a.X), min(a.Height, 1-a.Y)
		if a.Width <= 0 || a.Height <= 0 {
			return nil, i + 1
		}
		out = append(out, a)
	}
	return out, 0
}
