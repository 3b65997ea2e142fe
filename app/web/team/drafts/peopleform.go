package drafts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// submittedPeople reads the rows of the form except empty ones.
func submittedPeople(r *page.Request) []personRow {
	var out []personRow
	n, err := strconv.Atoi(r.Form.Value("rows"))
	if err != nil {
		return nil
	}
	for i := range min(n, len(r.Form.Values)) {
		at := personRow{N: i}
		get := func(name string) string { return strings.TrimSpace(r.Form.Value(at.field(name))) }
		row := personRow{
			N: i, ID: get("id"), RoleName: get("role_name"), Name: get("name"), Email: get("email"), Role: get("role"),
			Position: get("position"), Check: get("authentication"), Code: r.Form.Value(at.field("access_code")),
			Hint: get("access_code_hint"), Company: get("company"), JobTitle: get("job_title"), Group: get("group"), Named: get("named_by_previous") != "", Shares: get("shares_email") != "", Locale: get("locale"), Words: get("message"), HasCode: get("has_code") != "",
		}
		if row.ID != "" || row.RoleName != "" || row.Name != "" || row.Email != "" {
			out = append(out, row)
		}
	}
	return append(out, pasted(r.Form.Value("several"))...)
}

// writtenPerson matches a person as people write them in lists: an address, or one in angle
// brackets or another cell after a name.
var writtenPerson = regexp.MustCompile(`(?:"([^"\n]*)"|([^<>,;"\n\t]*))\s*<\s*([^<>\s]+)\s*>` +
	`|(?:([^<>,;"\n\t]+)\t+)?([^\s<>,;"]+@[^\s<>,;"]+)`)

// pasted returns a row for every person in a text such as "Ann <ann@x.org>, ben@x.org". What is
// none becomes the name of a row without an address, so that nothing is lost.
func pasted(text string) (rows []personRow) {
	add := func(name, email string) {
		if name = strings.Trim(name, " \t\r\n,;"); (name != "" || email != "") && len(rows) < maxPasted {
			rows = append(rows, personRow{N: -1, Name: name, Email: email})
		}
	}
	rest := func(text string) {
		for _, part := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",;\r\n", c) }) {
			add(part, "")
		}
	}
	at := 0
	for _, m := range writtenPerson.FindAllStringSubmatchIndex(text, maxPasted) {
		rest(text[at:m[0]])
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[m[2*n]:m[2*n+1]]
		}
		add(group(1)+group(2)+group(4), group(3)+group(5))
		at = m[1]
	}
	rest(text[at:])
	return rows
}

// maxPasted is the maximum number of people read from one text. There are far fewer recipients.
const maxPasted = 1000

// savePeople stores the recipients and their order, after the button has changed them. It
// returns the rows with their faults if they are refused.
func (h Form) savePeople(r *page.Request, d *record.Document) ([]personRow, map[string][]string, error) {
	rows := submittedPeople(r)
	do, number, _ := strings.Cut(r.Form.Value("do"), ".")
	rows = applyRowButton(r, rows, do, number)
	sequential := d.SigningOrder == record.Sequential
	if sequential {
		slices.SortStableFunc(rows, func(a, b personRow) int { return a.turn() - b.turn() })
	}
	if len(rows) == 0 && len(d.Invitations) == 0 {
		return nil, nil, nil
	}
	in := make([]record.InvitationInput, len(rows))
	for i := range rows {
		in[i] = rows[i].input(i, sequential)
	}
	_, err := h.Drafts.ReplaceInvitations(r.Who.Call, d.ID, in)
	if fault.KindOf(err) == fault.KindInvalid {
		return rows, rowFaults(r, err), nil
	}
	return rows, nil, err
}

// applyRowButton moves or removes the row whose button was pressed, or adds the sender
// as a signatory. Rows keep the numbers they have in the form, empty ones included.
func applyRowButton(r *page.Request, rows []personRow, do, number string) []personRow {
	if do == "me" {
		return append(rows, personRow{Name: r.Who.User.Name, Email: r.Who.User.Email, Role: record.Signer})
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
			// They had the same turn; now every row gets its own.
			for k := range rows {
				rows[k].Position = strconv.Itoa(k + 1)
			}
		}
	}
	return rows
}

// turn returns a row's turn. Rows without a valid one come last.
func (p *personRow) turn() int {
	n, err := strconv.Atoi(p.Position)
	if err != nil || n < 1 {
		return 1 << 20
	}
	return n
}

// input converts the row at index i into the service's input.
func (p *personRow) input(i int, sequential bool) record.InvitationInput {
	in := record.InvitationInput{ID: p.ID, Name: &p.Name, Email: &p.Email, Locale: &p.Locale, Message: &p.Words,
		AccessCode: &p.Code, AccessCodeHint: &p.Hint, Group: &p.Group, Named: &p.Named, SharesEmail: &p.Shares, Position: new(i + 1)}
	in.Company, in.JobTitle = &p.Company, &p.JobTitle
	if p.RoleName != "" {
		in.RoleName = &p.RoleName
	}
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
