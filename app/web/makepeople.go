package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/signing"
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
	Roles, Checks, Locales                                                   []option
}

// field is the name of an input of this row, which is also that of its faults.
func (p personRow) field(name string) string { return "invitations." + strconv.Itoa(p.N) + "." + name }

// Field is field for a template.
func (p personRow) Field(name string) string { return p.field(name) }

func (r *request) showPeople() error {
	d, err := r.draft()
	if err != nil {
		return err
	}
	if d.Status != signing.Draft {
		return r.redirect("/app/documents/" + d.ID)
	}
	return r.showPeopleOf(d, peopleRows(d), http.StatusOK, page{})
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

func (r *request) showPeopleOf(d *signing.Document, rows []personRow, status int, p page) error {
	contacts, err := r.door.Contacts.Suggest(r.UserContext(), r.who.Actor, "", 50)
	if err != nil {
		return err
	}
	data := peoplePage{ID: d.ID, Name: d.Title, Order: d.SigningOrder, Contacts: contacts, Steps: r.steps(d.ID, stepPeople), Sequential: d.SigningOrder == signing.Sequential}
	acting := false
	for i := range rows {
		data.HasMe = data.HasMe || strings.EqualFold(rows[i].Email, r.who.User.Email)
		acting = acting || rows[i].ID != "" && rows[i].Role != signing.Viewer
	}
	data.CanDetect = acting && len(d.Files) > 0
	if len(rows) == 0 || r.Query("add") != "" && status == http.StatusOK {
		rows = append(rows, personRow{New: true})
	}
	for i := range rows {
		r.dress(&rows[i], i, len(rows))
	}
	data.Rows = rows
	p.Title, p.Data, p.Scripts = r.say("people.title"), data, []string{"people.js"}
	return r.render(status, "people", p)
}

// dress gives a row what its inputs choose from.
func (r *request) dress(row *personRow, i, n int) {
	row.N, row.First, row.Last = i, i == 0, i == n-1
	row.Letter, row.Color = letterOf(i), hueOf(i)
	if row.Position == "" {
		row.Position = strconv.Itoa(i + 1)
	}
	row.Check = cmp.Or(row.Check, signing.ByLink)
	choose := func(prefix, chosen string, values ...string) []option {
		var out []option
		for _, v := range values {
			out = append(out, option{v, r.say(prefix + v), v == chosen})
		}
		return out
	}
	row.Roles = choose("asked.", row.Role, signing.Signer, signing.Approver, signing.Viewer)
	row.Checks = choose("check.", row.Check, signing.ByLink, signing.ByEmailCode, signing.ByAccessCode)
	row.Locales = []option{{"", r.say("people.locale.any"), row.Locale == ""}}
	for _, tag := range r.door.Notify.Words.Tags() {
		row.Locales = append(row.Locales, option{tag, display.Self.Name(language.Make(tag)), row.Locale == tag})
	}
	slices.SortStableFunc(row.Locales[1:], func(a, b option) int { return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) })
}

// sentPeople reads the rows of the form. Those that nothing was written into
// are left out.
func (r *request) sentPeople() []personRow {
	var out []personRow
	n, err := strconv.Atoi(r.form.value("rows"))
	if err != nil {
		return nil
	}
	for i := range min(n, maxParts) {
		at := personRow{N: i}
		get := func(name string) string { return strings.TrimSpace(r.form.value(at.field(name))) }
		row := personRow{N: i, ID: get("id"), Name: get("name"), Email: get("email"), Role: get("role"), Position: get("position"), Check: get("authentication"),
			Code: r.form.value(at.field("access_code")), Hint: get("access_code_hint"), Locale: get("locale"), Words: get("message"), HasCode: get("has_code") != ""}
		if row.ID != "" || row.Name != "" || row.Email != "" {
			out = append(out, row)
		}
	}
	return out
}

// savePeople keeps the whole form and does what its button says.
func (r *request) savePeople() error {
	d, err := r.draft()
	if err != nil {
		return err
	}
	rows := r.sentPeople()
	do, number, _ := strings.Cut(r.form.value("do"), ".")
	rows = r.arrange(rows, do, number)
	order := r.form.value("signing_order")
	if order == signing.Sequential {
		slices.SortStableFunc(rows, func(a, b personRow) int { return a.turn() - b.turn() })
	}
	if order != d.SigningOrder {
		if _, err := r.door.Signing.Update(r.UserContext(), r.who.Actor, d.ID, signing.DocumentInput{SigningOrder: &order}); err != nil {
			return err
		}
		d.SigningOrder = order
	}
	in := make([]signing.InvitationInput, len(rows))
	for i := range rows {
		in[i] = rows[i].input(i, order == signing.Sequential)
	}
	_, err = r.door.Signing.ReplaceInvitations(r.UserContext(), r.who.Actor, d.ID, in)
	if account.KindOf(err) == account.KindInvalid {
		return r.showPeopleOf(d, rows, http.StatusUnprocessableEntity, page{Faults: plainFaults(r.failureOf(err).Faults)})
	}
	if err != nil {
		return err
	}
	return r.afterPeople(d.ID, do)
}

// plainFaults leaves the number of the row out of the messages, which stand
// beside it.
func plainFaults(all map[string][]string) map[string][]string {
	out := map[string][]string{}
	for field, messages := range all {
		prefix := field[:strings.LastIndexByte(field, '.')+1]
		for _, m := range messages {
			out[field] = append(out[field], strings.Replace(m, "The "+prefix, "The ", 1))
		}
	}
	return out
}

// arrange changes the rows as a button of one of them says, and adds whoever
// signs too. Rows that were left out do not count in the numbers of the form.
func (r *request) arrange(rows []personRow, do, number string) []personRow {
	if do == "me" {
		return append(rows, personRow{Name: r.who.User.Name, Email: r.who.User.Email, Role: signing.Signer})
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
func (r *request) afterPeople(id, do string) error {
	switch do {
	case "next":
		return r.redirect(at(id, stepFields))
	case "review":
		return r.redirect(at(id, stepReview))
	case "add":
		return r.redirect(at(id, stepPeople) + "?add=1#new")
	case "detect":
		_, added, nobody, err := r.door.Signing.AddDetected(r.UserContext(), r.who.Actor, id)
		switch {
		case err != nil:
			return err
		case added == 0 && nobody == 0:
			r.flash("info", "people.found.none")
		case nobody > 0:
			r.flash("warn", "people.found.some", "added", strconv.Itoa(added), "nobody", strconv.Itoa(nobody))
		default:
			r.flash("ok", "people.found", "added", strconv.Itoa(added))
		}
	case "save":
		r.flash("ok", "create.saved")
	}
	return r.redirect(at(id, stepPeople))
}
