package drafts

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// peoplePage is the second step of preparing a document.
type peoplePage struct {
	ID, Order  string
	Name       string // title of the document
	Rows       []personRow
	Blank      personRow // for scripts, to add rows
	Contacts   []contact.Contact
	Steps      []step
	HasMe      bool
	CanDetect  bool
	Sequential bool
	Template   bool // its recipients are roles
}

// personRow is a recipient in the form.
type personRow struct {
	N                                                                                         int
	ID, RoleName, Name, Email, Role, Group, Position, Check, Code, Hint, Locale, Words, Color string
	Company, JobTitle                                                                         string
	Letter                                                                                    string
	HasCode, New, Named                                                                       bool

	Open                   bool // its less common settings are shown
	Template               bool // it is a role
	frame                  page.Page
	Fields                 int
	First, Last            bool
	Roles, Checks, Locales []page.Option
}

// field returns the name of an input of this row, which also names its errors.
func (p personRow) field(name string) string { return "invitations." + strconv.Itoa(p.N) + "." + name }

// Frame returns the page with the messages about the form.
func (p personRow) Frame() page.Page { return p.frame }

// Field is field, for templates.
func (p personRow) Field(name string) string { return p.field(name) }

// ShowPeople serves the step for the recipients.
func (h *Handlers) ShowPeople(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Status != record.Draft {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return h.showPeopleOf(r, d, peopleRows(d), http.StatusOK, page.Page{})
}

// peopleRows returns the recipients of a document in signing order.
func peopleRows(d *signing.Document) []personRow {
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b signing.Invitation) int { return a.Position - b.Position })
	var out []personRow
	for i := range people {
		inv := &people[i]
		row := personRow{ID: inv.ID, RoleName: inv.RoleName, Name: inv.Name, Email: inv.Email, Role: inv.Role,
			Company: inv.Company, JobTitle: inv.JobTitle, Group: inv.Group, Named: inv.NamedByPrevious,
			Position: strconv.Itoa(inv.Position), Check: inv.Authentication,
			Locale: inv.Locale, Words: inv.Message, Hint: inv.AccessCodeHint, HasCode: inv.AccessCodeHash != ""}
		for _, x := range d.Fields {
			if x.Invitation == inv.ID {
				row.Fields++
			}
		}
		out = append(out, row)
	}
	return out
}

func (h *Handlers) showPeopleOf(r *page.Request, d *signing.Document, rows []personRow, status int, p page.Page) error {
	contacts, err := h.Contacts.Suggest(r.UserContext(), r.Who.Actor, "", 50)
	if err != nil {
		return err
	}
	data := peoplePage{
		ID:         d.ID,
		Name:       d.Title,
		Order:      d.SigningOrder,
		Contacts:   contacts,
		Steps:      storing(steps(r, d.ID, stepPeople)),
		Blank:      personRow{Template: d.Template},
		Sequential: d.SigningOrder == record.Sequential,
		Template:   d.Template,
	}
	acting := false
	for i := range rows {
		data.HasMe = data.HasMe || strings.EqualFold(rows[i].Email, r.Who.User.Email)
		acting = acting || rows[i].ID != "" && slices.Contains([]string{record.Signer, record.Approver}, rows[i].Role)
	}
	data.CanDetect = acting && len(d.Files) > 0
	if len(rows) == 0 || r.Query("add") != "" && status == http.StatusOK {
		rows = append(rows, personRow{New: true})
	}
	for i := range rows {
		rows[i].frame, rows[i].Template = p, d.Template
		h.setOptions(r, &rows[i], i, len(rows))
		refused := p.Faults[rows[i].field("access_code")] != nil || !d.Template && p.Faults[rows[i].field("role_name")] != nil || p.Faults[rows[i].field("message")] != nil
		lacksCode := rows[i].Check == record.ByAccessCode && rows[i].Code == "" && !rows[i].HasCode
		rows[i].Open = refused || lacksCode
	}
	h.setOptions(r, &data.Blank, len(rows), len(rows)+1)
	data.Rows = rows
	p.Title, p.Scripts = r.Say("people.title"), []string{"people.js"}
	return peopleTemplate.Render(r, status, page.With(p, data))
}

// setOptions sets the options of a row's inputs.
func (h *Handlers) setOptions(r *page.Request, row *personRow, i, n int) {
	row.N, row.First, row.Last = i, i == 0, i == n-1
	row.Letter, row.Color = page.LetterOf(i), page.HueOf(i)
	if row.Position == "" {
		row.Position = strconv.Itoa(i + 1)
	}
	row.Check = cmp.Or(row.Check, record.ByLink)
	choose := func(prefix, chosen string, values ...string) []page.Option {
		var out []page.Option
		for _, v := range values {
			out = append(out, page.Option{Value: v, Label: r.Say(prefix + v), Selected: v == chosen})
		}
		return out
	}
	row.Roles = choose("asked.", row.Role, record.Roles()...)
	row.Checks = choose("check.", row.Check, record.ByLink, record.ByEmailCode, record.ByAccessCode)
	if !h.Mails() {
		row.Checks[1].Label, row.Checks[1].Disabled = r.Say("check.email_code.nomail"), row.Check != record.ByEmailCode
	}
	row.Locales = []page.Option{{Value: "", Label: r.Say("people.locale.any"), Selected: row.Locale == ""}}
	row.Locales = append(row.Locales, r.LanguageOptions(row.Locale)...)
}

// rowFaults returns the faults of a form's rows. The messages don't name the row,
// because they are shown beside it.
func rowFaults(r *page.Request, err error) map[string][]string {
	out := map[string][]string{}
	for _, f := range fault.FieldsOf(err) {
		name := strings.ReplaceAll(f.Name, "_", " ")
		labels := map[string]string{name: name[strings.LastIndexByte(name, '.')+1:]}
		out[f.Name] = append(out[f.Name], r.Sentence(f, labels))
	}
	return out
}
