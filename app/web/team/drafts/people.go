package drafts

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// peoplePage is the second step of making a document.
type peoplePage struct {
	ID, Order  string
	Name       string // title of the document
	Rows       []personRow
	Blank      int // number of the row that is empty
	Contacts   []contact.Contact
	Steps      []step
	HasMe      bool
	CanDetect  bool
	Sequential bool
}

// personRow is one person as the form shows and sends them.
type personRow struct {
	N                                                                        int
	ID, Name, Email, Role, Position, Check, Code, Hint, Locale, Words, Color string
	Letter                                                                   string
	HasCode, New                                                             bool
	Fields                                                                   int
	First, Last                                                              bool
	Roles, Checks, Locales                                                   []page.Option
}

// field is the name of an input of this row, which is also that of its faults.
func (p personRow) field(name string) string { return "invitations." + strconv.Itoa(p.N) + "." + name }

// Field is field for a template.
func (p personRow) Field(name string) string { return p.field(name) }

// ShowPeople serves the step about the people.
func (h *Handlers) ShowPeople(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Status != signing.Draft {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return h.showPeopleOf(r, d, peopleRows(d), http.StatusOK, page.Page{})
}

// peopleRows are the people of a document in the order of their turn.
func peopleRows(d *signing.Document) []personRow {
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b signing.Invitation) int { return a.Position - b.Position })
	var out []personRow
	for i := range people {
		inv := &people[i]
		row := personRow{ID: inv.ID, Name: inv.Name, Email: inv.Email, Role: inv.Role, Position: strconv.Itoa(inv.Position), Check: inv.Authentication,
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
	data := peoplePage{ID: d.ID, Name: d.Title, Order: d.SigningOrder, Contacts: contacts, Steps: steps(r, d.ID, stepPeople), Sequential: d.SigningOrder == signing.Sequential}
	acting := false
	for i := range rows {
		data.HasMe = data.HasMe || strings.EqualFold(rows[i].Email, r.Who.User.Email)
		acting = acting || rows[i].ID != "" && rows[i].Role != signing.Viewer
	}
	data.CanDetect = acting && len(d.Files) > 0
	if len(rows) == 0 || r.Query("add") != "" && status == http.StatusOK {
		rows = append(rows, personRow{New: true})
	}
	for i := range rows {
		h.dress(r, &rows[i], i, len(rows))
	}
	data.Rows = rows
	p.Title, p.Data, p.Scripts = r.Say("people.title"), data, []string{"people.js"}
	return r.Render(status, "people", p)
}

// dress gives a row what its inputs choose from.
func (h *Handlers) dress(r *page.Request, row *personRow, i, n int) {
	row.N, row.First, row.Last = i, i == 0, i == n-1
	row.Letter, row.Color = page.LetterOf(i), page.HueOf(i)
	if row.Position == "" {
		row.Position = strconv.Itoa(i + 1)
	}
	row.Check = cmp.Or(row.Check, signing.ByLink)
	choose := func(prefix, chosen string, values ...string) []page.Option {
		var out []page.Option
		for _, v := range values {
			out = append(out, page.Option{Value: v, Label: r.Say(prefix + v), Selected: v == chosen})
		}
		return out
	}
	row.Roles = choose("asked.", row.Role, signing.Signer, signing.Approver, signing.Viewer)
	row.Checks = choose("check.", row.Check, signing.ByLink, signing.ByEmailCode, signing.ByAccessCode)
	row.Locales = []page.Option{{Value: "", Label: r.Say("people.locale.any"), Selected: row.Locale == ""}}
	for _, tag := range h.Notify.Words.Tags() {
		row.Locales = append(row.Locales, page.Option{Value: tag, Label: display.Self.Name(language.Make(tag)), Selected: row.Locale == tag})
	}
	slices.SortStableFunc(row.Locales[1:], func(a, b page.Option) int { return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) })
}

// sentPeople reads the rows of the form. Those that nothing was written into
// are left out.
func sentPeople(r *page.Request) []personRow {
	var out []personRow
	n, err := strconv.Atoi(r.Form.Value("rows"))
	if err != nil {
		return nil
	}
	for i := range min(n, len(r.Form.Values)) {
		at := personRow{N: i}
		get := func(name string) string { return strings.TrimSpace(r.Form.Value(at.field(name))) }
		row := personRow{N: i, ID: get("id"), Name: get("name"), Email: get("email"), Role: get("role"), Position: get("position"), Check: get("authentication"),
			Code: r.Form.Value(at.field("access_code")), Hint: get("access_code_hint"), Locale: get("locale"), Words: get("message"), HasCode: get("has_code") != ""}
		if row.ID != "" || row.Name != "" || row.Email != "" {
			out = append(out, row)
		}
	}
	return out
}

// SavePeople keeps the whole form and does what its button says.
func (h *Handlers) SavePeople(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	rows := sentPeople(r)
	do, number, _ := strings.Cut(r.Form.Value("do"), ".")
	rows = arrange(r, rows, do, number)
	order := r.Form.Value("signing_order")
	if order == signing.Sequential {
		slices.SortStableFunc(rows, func(a, b personRow) int { return a.turn() - b.turn() })
	}
	if order != d.SigningOrder {
		if _, err := h.Signing.Update(r.UserContext(), r.Who.Actor, d.ID, signing.DocumentInput{SigningOrder: &order}); err != nil {
			return err
		}
		d.SigningOrder = order
	}
	in := make([]signing.InvitationInput, len(rows))
	for i := range rows {
		in[i] = rows[i].input(i, order == signing.Sequential)
	}
	_, err = h.Signing.ReplaceInvitations(r.UserContext(), r.Who.Actor, d.ID, in)
	if fault.KindOf(err) == fault.KindInvalid {
		return h.showPeopleOf(r, d, rows, http.StatusUnprocessableEntity, page.Page{Faults: rowFaults(r, err)})
	}
	if err != nil {
		return err
	}
	return h.afterPeople(r, d.ID, do)
}

// rowFaults leaves the number of the row out of the sentences, which stand beside
// it.
func rowFaults(r *page.Request, err error) map[string][]string {
	out := map[string][]string{}
	for _, f := range fault.FieldsOf(err) {
		name := strings.ReplaceAll(f.Name, "_", " ")
		labels := map[string]string{name: name[strings.LastIndexByte(name, '.')+1:]}
		out[f.Name] = append(out[f.Name], r.Sentence(f, labels))
	}
	return out
}

// arrange changes the rows as a button of one of them says, and adds whoever
// signs too. Rows that were left out do not count in the numbers of the form.
func arrange(r *page.Request, rows []personRow, do, number string) []personRow {
	if do == "me" {
		return append(rows, personRow{Name: r.Who.User.Name, Email: r.Who.User.Email, Role: signing.Signer})
	}
	n, err := strconv.Atoi(number)
	i := slices.IndexFunc(rows, func(p personRow) bool { return p.N == n })
	if err != nil || i < 0 {
		return rows
	}
	to := i
	switch do {
	case "remove":
		return slices.Delete(rows, i, i+1)
	case "up":
		to = max(0, i-1)
	case "down":
		to = min(len(rows)-1, i+1)
	}
	if to != i {
		rows[i], rows[to] = rows[to], rows[i]
		rows[i].Position, rows[to].Position = rows[to].Position, rows[i].Position
		if rows[i].Position == rows[to].Position {
			// They had the same turn; who is moved gets one of their own.
			for k := range rows {
				rows[k].Position = strconv.Itoa(k + 1)
			}
		}
	}
	return rows
}

// turn is the number of a row's turn; what is no number comes last.
func (p *personRow) turn() int {
	n, err := strconv.Atoi(p.Position)
	if err != nil || n < 1 {
		return 1 << 20
	}
	return n
}

// input is the row as the heart takes it; i is its place.
func (p *personRow) input(i int, sequential bool) signing.InvitationInput {
	in := signing.InvitationInput{ID: p.ID, Name: &p.Name, Email: &p.Email, Locale: &p.Locale, Message: &p.Words, AccessCode: &p.Code, AccessCodeHint: &p.Hint, Position: new(i + 1)}
	if p.Role != "" {
		in.Role = &p.Role
	}
	if p.Check != "" {
		in.Authentication = &p.Check
	}
	if n := p.turn(); sequential && n < 1<<20 {
		in.Position = &n
	}
	return in
}

// afterPeople leads to where the button said.
func (h *Handlers) afterPeople(r *page.Request, id, do string) error {
	switch do {
	case "next":
		return r.SeeOther(at(id, stepFields))
	case "review":
		return r.SeeOther(at(id, stepReview))
	case "add":
		return r.SeeOther(at(id, stepPeople) + "?add=1#new")
	case "detect":
		_, added, nobody, err := h.Signing.AddDetected(r.UserContext(), r.Who.Actor, id)
		switch {
		case err != nil:
			return err
		case added == 0 && nobody == 0:
			r.Flash("info", "people.found.none")
		case nobody > 0:
			r.Flash("warn", "people.found.some", "added", strconv.Itoa(added), "nobody", strconv.Itoa(nobody))
		default:
			r.Flash("ok", "people.found", "added", strconv.Itoa(added))
		}
	case "save":
		r.Flash("ok", "create.saved")
	}
	return r.SeeOther(at(id, stepPeople))
}
