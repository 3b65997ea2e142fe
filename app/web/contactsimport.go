package web

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
)

// maxImport is the largest file that the form takes: it travels twice, the second
// time as text in a hidden input.
const maxImport = 4_000_000

// importPage is the form for a file, and then what would become of it.
type importPage struct {
	File     string // the file in base64, once it was read
	Name     string
	Columns  []columnChoice
	Look     *contact.Import // what would happen
	Problems []rowProblem
	More     int // problems that are not shown
	Good     int // rows that can be taken
}

// columnChoice maps a field to a heading of the file.
type columnChoice struct {
	Field, Label string
	Options      []option
}

// rowProblem is a row that can't be taken, in words.
type rowProblem struct {
	Row         int
	Email, Text string
}

// shownProblems is how many rows with a problem are listed.
const shownProblems = 100

func (r *request) renderImport(status int, i importPage, p page) error {
	p.Title, p.Data = r.say("import.title"), i
	return r.render(status, "contact-import", p)
}

// importContacts looks at a file first, shows what would become of it, and takes
// it when asked to.
func (r *request) importContacts() error {
	if !r.who.Actor.Can(account.ScopeWrite) {
		return r.forbid(r.say("contacts.forbidden"))
	}
	raw, name, err := r.importFile()
	if err != nil {
		return r.importAgain(err, importPage{})
	}
	i := importPage{File: base64.StdEncoding.EncodeToString(raw), Name: name}
	headings, err := contact.Headings(bytes.NewReader(raw))
	if err != nil {
		return r.importAgain(err, importPage{})
	}
	chosen := r.chosenColumns()
	in := contact.ImportInput{Body: bytes.NewReader(raw), Columns: chosen, Check: r.form.value("do") != "import"}
	got, err := r.door.Contacts.Import(r.UserContext(), r.who.Actor, in)
	if err != nil {
		i.Columns = r.columnChoices(headings, chosen)
		return r.importAgain(err, i)
	}
	if !in.Check {
		r.flash("ok", "import.done", "created", strconv.Itoa(got.Created), "updated", strconv.Itoa(got.Updated), "left", strconv.Itoa(len(got.Faults)))
		return r.redirect("/app/contacts")
	}
	i.Look, i.Columns, i.Good = &got, r.columnChoices(headings, got.Columns), got.Created+got.Updated
	for n, f := range got.Faults {
		if n == shownProblems {
			i.More = len(got.Faults) - n
			break
		}
		var texts []string
		for _, messages := range f.Fields {
			texts = append(texts, messages...)
		}
		i.Problems = append(i.Problems, rowProblem{f.Row, f.Email, strings.Join(texts, " ")})
	}
	return r.renderImport(http.StatusOK, i, page{})
}

// importFile is the file that was chosen, or the one that the form brings back.
func (r *request) importFile() (raw []byte, name string, err error) {
	if f, ok := r.form.files["file"]; ok && len(f.Data) > 0 {
		raw, name = f.Data, f.Name
	} else if raw, err = base64.StdEncoding.DecodeString(r.form.value("data")); err != nil {
		return nil, "", account.Malformed("The form did not arrive whole.").Because(err)
	} else {
		name = r.form.value("name")
	}
	switch {
	case len(raw) == 0:
		return nil, "", account.Invalid("file", r.say("import.none"))
	case len(raw) > maxImport:
		return nil, "", account.Invalid("file", r.say("import.large", "limit", bytesInWords(maxImport)))
	}
	return raw, name, nil
}

// chosenColumns are those of the form; nil goes by the headings.
func (r *request) chosenColumns() map[string]string {
	if !r.form.has("column.email") {
		return nil
	}
	out := map[string]string{}
	for _, field := range contact.Fields() {
		if heading := r.form.value("column." + field); heading != "" {
			out[field] = heading
		}
	}
	return out
}

func (r *request) columnChoices(headings []string, chosen map[string]string) (out []columnChoice) {
	for _, field := range contact.Fields() {
		c := columnChoice{Field: field, Label: r.say("contact." + field), Options: []option{{"", r.say("import.nothing"), chosen[field] == ""}}}
		for _, h := range headings {
			if strings.TrimSpace(h) != "" {
				c.Options = append(c.Options, option{h, h, chosen[field] == h})
			}
		}
		out = append(out, c)
	}
	return out
}

// importAgain shows what is wrong with the file, or with the columns.
func (r *request) importAgain(err error, i importPage) error {
	switch account.KindOf(err) {
	case account.KindInvalid, account.KindMalformed, account.KindTooLarge:
	default:
		return err
	}
	f := r.failureOf(err)
	p := page{Faults: map[string][]string{}}
	for name, messages := range f.Faults {
		p.Faults[strings.Replace(name, "columns.", "column.", 1)] = messages
	}
	if len(f.Faults) == 0 {
		p.Faults["file"] = []string{r.explain(f)}
	}
	return r.renderImport(http.StatusUnprocessableEntity, i, p)
}

// exportContacts sends all contacts as a file.
func (r *request) exportContacts() error {
	write, err := r.door.Contacts.Export(r.UserContext(), r.who.Actor)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	r.Set(fiber.HeaderContentDisposition, `attachment; filename="contacts.csv"`)
	return r.Send(out.Bytes())
}
