package contact

import (
	"errors"
	"io"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/sheet"
)

// row is one row of a file and the line it starts on.
type row sheet.Row

// readCSV reads a whole file, which must have a heading.
func readCSV(body io.Reader) (sheet.Table, error) {
	t, err := sheet.Read(body, sheet.Limits{Bytes: MaxImport, Rows: MaxImportRows})
	if errors.Is(err, sheet.ErrTooManyRows) {
		return t, fault.TooLarge("import_too_long", fault.Number("limit", MaxImportRows))
	}
	if err != nil {
		return t, err
	}
	joinNames(&t)
	return t, nil
}

// Headings of the two parts of a name, as address books export them. All are folded: without accents.
var (
	firstNames = []string{"first name", "firstname", "given name", "forename", "vorname", "prenom", "nombre", "nome", "voornaam", "imie", "jmeno"}
	lastNames  = []string{"last name", "lastname", "family name", "surname", "nachname", "nom", "apellidos", "cognome", "apelido", "achternaam", "nazwisko", "prijmeni"}
)

// joinNames adds a column with the whole name to a table that has only its parts.
func joinNames(t *sheet.Table) {
	column := func(names []string) int {
		return slices.IndexFunc(t.Headings, func(h string) bool { return slices.Contains(names, input.Fold(h)) })
	}
	first, last := column(firstNames), column(lastNames)
	if first < 0 || last < 0 || column(columns[0].names) >= 0 {
		return
	}
	n := len(t.Headings)
	t.Headings = append(t.Headings, "Name")
	for i := range t.Rows {
		cells := make([]string, n+1)
		copy(cells[:n], t.Rows[i].Cells)
		cells[n] = strings.TrimSpace(strings.TrimSpace(cells[first]) + " " + strings.TrimSpace(cells[last]))
		t.Rows[i].Cells = cells
	}
}

// assign finds the column of every field, as specified by the caller or from the headings.
func (i *Import) assign(said map[string]string) (at map[string]int, err error) {
	at, i.Columns = map[string]int{}, map[string]string{}
	var f fault.Fields
	for _, c := range columns {
		names := c.names
		if said != nil {
			names = []string{input.Fold(said[c.field])}
		}
		n := slices.IndexFunc(i.Headings, func(h string) bool { return h != "" && slices.Contains(names, input.Fold(h)) })
		if n >= 0 {
			at[c.field], i.Columns[c.field] = n, i.Headings[n]
		} else if said[c.field] != "" {
			f.Selected("columns." + c.field)
		}
	}
	if _, ok := at["email"]; !ok && f.Empty() {
		f.Add("columns.email", "no_email_column")
	}
	return at, f.Err()
}

// nameOf derives a name from an e-mail address.
func nameOf(email string) string {
	local, _, _ := strings.Cut(email, "@")
	return local
}

func (r row) cell(at map[string]int, field string) string {
	n, ok := at[field]
	if !ok || n >= len(r.Cells) {
		return ""
	}
	return sheet.Unguarded(strings.TrimSpace(r.Cells[n]))
}

// input returns the contact described by a row.
func (r row) input(at map[string]int) Input {
	given := func(field string) *string {
		if s := r.cell(at, field); s != "" {
			return &s
		}
		return nil
	}
	in := Input{Name: given("name"), Email: given("email"), Organization: given("organization"), JobTitle: given("job_title"), Phone: given("phone"), Locale: given("locale"), Note: given("note")}
	if s := given("tags"); s != nil {
		tags := strings.FieldsFunc(*s, func(r rune) bool { return r == ';' || r == ',' })
		in.Tags = &tags
	}
	return in
}
