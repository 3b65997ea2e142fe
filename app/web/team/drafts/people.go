package drafts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// people are the recipients of a draft in its form.
type people struct {
	Rows       []personRow
	Blank      personRow // for scripts, to add rows
	Contacts   []contact.Contact
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
	HasCode, New, Named, Shares                                                               bool

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

// peopleRows returns the recipients of a document in signing order.
func peopleRows(d *record.Document) []personRow {
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b record.Invitation) int { return a.Position - b.Position })
	var out []personRow
	for i := range people {
		inv := &people[i]
		row := personRow{ID: inv.ID, RoleName: inv.RoleName, Name: inv.Name, Email: inv.Email, Role: inv.Role,
			Company: inv.Company, JobTitle: inv.JobTitle, Group: inv.Group, Named: inv.NamedByPrevious, Shares: inv.SharesEmail,
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

// peopleOf returns the part of the form for the recipients. Their faults are in p.
func (h Form) peopleOf(r *page.Request, d *record.Document, rows []personRow, p page.Page) (people, error) {
	contacts, err := h.Contacts.Suggest(r.UserContext(), r.Who.Call, "", 50)
	if err != nil {
		return people{}, err
	}
	data := people{
		Contacts:   contacts,
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
	if len(rows) == 0 || r.Query("add") != "" && len(p.Faults) == 0 {
		rows = append(rows, personRow{New: true})
	}
	for i := range rows {
		rows[i].frame, rows[i].Template = page.Page{Faults: p.Faults}, d.Template
		h.setOptions(r, &rows[i], i, len(rows))
		refused := p.Faults[rows[i].field("access_code")] != nil || !d.Template && p.Faults[rows[i].field("role_name")] != nil || p.Faults[rows[i].field("message")] != nil
		lacksCode := rows[i].Check == record.ByAccessCode && rows[i].Code == "" && !rows[i].HasCode
		twice := p.Faults[rows[i].field("email")] != nil && slices.ContainsFunc(rows, func(o personRow) bool {
			return o.N != rows[i].N && o.Email != "" && strings.EqualFold(o.Email, rows[i].Email)
		})
		rows[i].Open = refused || lacksCode || twice || rows[i].Shares
	}
	h.setOptions(r, &data.Blank, len(rows), len(rows)+1)
	data.Rows = rows
	return data, nil
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
