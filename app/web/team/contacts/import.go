package contacts

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/web/page"
)

// maxImport is the maximum size of a file in bytes. The browser sends the file twice,
// the second time in a hidden input.
const maxImport = 4_000_000

// importPage is the form for a file, then the preview of the import.
type importPage struct {
	File     string // the file in base64, once it has been read
	Name     string
	Columns  []columnChoice
	Look     *contact.Import // result of the dry run
	Problems []rowProblem
	More     int // number of problems not shown
	Good     int // number of rows that can be imported
}

// columnChoice maps a field of contacts to a column of the file.
type columnChoice struct {
	Field, Label string
	Options      []page.Option
}

// rowProblem describes a row that can't be imported, or what is remarkable about one that can.
type rowProblem struct {
	Row         int
	Email, Text string
}

// shownProblems is the maximum number of problems listed.
const shownProblems = 100

func renderImport(r *page.Request, status int, i importPage, p page.Page) error {
	p.Title = r.Say("import.title")
	return importTemplate.Render(r, status, page.With(p, i))
}

// Import first previews a file, then imports it on confirmation.
func (h *Handlers) Import(r *page.Request) error {
	if !r.Who.Call.Can(account.ScopeWrite) {
		return r.Forbid(r.Say("contacts.forbidden"))
	}
	raw, name, err := importFile(r)
	if err != nil {
		return importAgain(r, err, importPage{})
	}
	i := importPage{File: base64.StdEncoding.EncodeToString(raw), Name: name}
	headings, err := contact.Headings(bytes.NewReader(raw))
	if err != nil {
		return importAgain(r, err, importPage{})
	}
	chosen := chosenColumns(r)
	in := contact.ImportInput{Body: bytes.NewReader(raw), Columns: chosen, Check: r.Form.Value("do") != "import", Undrawable: h.Undrawable}
	got, err := h.Contacts.Import(r.UserContext(), r.Who.Call, in)
	if err != nil {
		i.Columns = columnChoices(r, headings, chosen)
		return importAgain(r, err, i)
	}
	if !in.Check {
		r.Flash("ok", "import.done", "created", strconv.Itoa(got.Created), "updated", strconv.Itoa(got.Updated), "left", strconv.Itoa(len(got.Faults)))
		return r.SeeOther("/app/contacts")
	}
	i.Look, i.Columns, i.Good = &got, columnChoices(r, headings, got.Columns), got.Created+got.Updated
	found := slices.Concat(got.Faults, got.Warnings)
	for n, f := range found {
		if n == shownProblems {
			i.More = len(found) - n
			break
		}
		var texts []string
		for _, x := range f.Fields {
			texts = append(texts, r.Sentence(x, nil))
		}
		i.Problems = append(i.Problems, rowProblem{f.Row, f.Email, strings.Join(texts, " ")})
	}
	return renderImport(r, http.StatusOK, i, page.Page{})
}

// importFile returns the chosen file, or the one carried along by the form.
func importFile(r *page.Request) (raw []byte, name string, err error) {
	if f, ok := r.Form.Files["file"]; ok && len(f.Data) > 0 {
		raw, name = f.Data, f.Name
	} else if raw, err = base64.StdEncoding.DecodeString(r.Form.Value("data")); err != nil {
		return nil, "", fault.Malformed("form_cut_short").Because(err)
	} else {
		name = r.Form.Value("name")
	}
	switch {
	case len(raw) == 0:
		return nil, "", fault.Invalid("file", "no_file_chosen")
	case len(raw) > maxImport:
		return nil, "", fault.Invalid("file", "import_too_large.file", fault.Text("limit", page.FormatBytes(maxImport)))
	}
	return raw, name, nil
}

// chosenColumns returns the columns chosen in the form; nil means matching by heading.
func chosenColumns(r *page.Request) map[string]string {
	if !r.Form.Has("column.email") {
		return nil
	}
	out := map[string]string{}
	for _, field := range contact.Fields() {
		if heading := r.Form.Value("column." + field); heading != "" {
			out[field] = heading
		}
	}
	return out
}

func columnChoices(r *page.Request, headings []string, chosen map[string]string) (out []columnChoice) {
	for _, field := range contact.Fields() {
		c := columnChoice{Field: field, Label: r.Say("contact." + field), Options: []page.Option{{Value: "", Label: r.Say("import.nothing"), Selected: chosen[field] == ""}}}
		for _, h := range headings {
			if strings.TrimSpace(h) != "" {
				c.Options = append(c.Options, page.Option{Value: h, Label: h, Selected: chosen[field] == h})
			}
		}
		out = append(out, c)
	}
	return out
}

// importAgain shows the form with the problems of the file or of the columns.
func importAgain(r *page.Request, err error, i importPage) error {
	switch fault.KindOf(err) {
	case fault.KindInvalid, fault.KindMalformed, fault.KindTooLarge:
	default:
		return err
	}
	f := r.FailureOf(err)
	p := page.Page{Faults: map[string][]string{}}
	for name, messages := range f.Faults {
		p.Faults[strings.Replace(name, "columns.", "column.", 1)] = messages
	}
	if len(f.Faults) == 0 {
		p.Faults["file"] = []string{r.Explain(f)}
	}
	return renderImport(r, http.StatusUnprocessableEntity, i, p)
}

// Export serves all contacts as a CSV file.
func (h *Handlers) Export(r *page.Request) error {
	write, err := h.Contacts.Export(r.UserContext(), r.Who.Call)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition("contacts.csv"))
	return r.Send(out.Bytes())
}

// ShowImport serves the form for importing contacts.
func (h *Handlers) ShowImport(r *page.Request) error {
	return renderImport(r, http.StatusOK, importPage{}, page.Page{})
}
