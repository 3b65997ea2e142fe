package contact

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/sheet"
	"paraph/kv"
)

// Limits of an import.
const (
	MaxImport     = 8_000_000 // bytes
	MaxImportRows = 20_000
)

// columns are the fields of a file, in the order of an export, with the names used for them by
// other programs. All are folded.
var columns = []struct {
	field string
	names []string
}{
	{"name", []string{"name", "full name", "fullname", "display name"}},
	{"email", []string{"email", "e-mail", "email address", "e-mail address", "mail", "e-mail-adresse", "e-mail 1 - value", "e-mail 1 address", "adresse e-mail", "courriel", "correo electronico", "indirizzo e-mail", "e-mailadres"}},
	{"organization", []string{"organization", "organisation", "company", "company name", "organization name", "firma", "societe", "entreprise", "empresa", "azienda", "bedrijf"}},
	{"phone", []string{"phone", "telephone", "phone number", "mobile"}},
	{"locale", []string{"locale", "language"}},
	{"note", []string{"note", "notes", "comment"}},
	{"tags", []string{"tags", "tag", "labels"}},
	{"job_title", []string{"job_title", "job title", "organization title", "position"}},
}

// ImportInput describes a file of contacts to import.
type ImportInput struct {
	Body io.Reader // CSV with a heading; separated by comma, semicolon or tab
	// Columns maps columns of the file (by heading) to fields (name, email, organization,
	// job_title, phone, locale, note, tags). If nil, columns are recognised by their headings.
	Columns map[string]string
	Check   bool // only report what would happen
	// Undrawable returns the characters of a name that no font has.
	Undrawable func(name string) string
	// Resume continues an import that ended early, from what it recorded with the last batch
	// ([account.Once]); "" begins.
	Resume string
}

// progress is how far an import has come.
type progress struct{ Next, Created, Updated int }

// Import is the result of importing a file.
type Import struct {
	Headings []string          // of the file
	Columns  map[string]string // field → heading of the column used for it
	Rows     int               // of the file, without the heading
	Created  int
	Updated  int
	Faults   []RowFault // of the rows that were left out
	Warnings []RowFault // of rows that were imported all the same
}

// RowFault describes what is wrong with one row, or remarkable. The heading is row 1.
type RowFault struct {
	Row    int
	Email  string
	Fields []fault.Field
}

// Import adds the contacts of a file, and updates those that the company already has; an empty
// cell changes nothing. A faulty row is left out and reported; the others are imported.
func (s *Service) Import(ctx context.Context, who account.Call, in ImportInput) (Import, error) {
	if err := staff(who, account.ScopeWrite); err != nil {
		return Import{}, err
	}
	file, err := readCSV(in.Body)
	if err != nil {
		return Import{}, err
	}
	out := Import{Headings: file.Headings, Rows: len(file.Rows)}
	at, err := out.assign(in.Columns)
	if err != nil {
		return Import{}, err
	}
	rest, err := s.resume(who, in, file.Rows, at, &out)
	if err != nil {
		return Import{}, err
	}
	for batch := range slices.Chunk(rest, importedAtOnce) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if err := s.importSome(who, in, batch, at, in.Check, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// resume returns the rows that are left to import. What is wrong with the others is found
// again, since it is not recorded.
func (s *Service) resume(who account.Call, in ImportInput, rows []sheet.Row, at map[string]int, out *Import) ([]sheet.Row, error) {
	if in.Resume == "" {
		return rows, nil
	}
	var done progress
	if err := json.Unmarshal([]byte(in.Resume), &done); err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(rows[:done.Next], importedAtOnce) {
		if err := s.importSome(who, in, batch, at, true, out); err != nil {
			return nil, err
		}
	}
	out.Created, out.Updated = done.Created, done.Updated
	return rows[done.Next:], nil
}

// importedAtOnce is how many rows are imported in one transaction, for the end of which others wait: of
// four times as many, they notice twice as much, and the import is no faster.
const importedAtOnce = 25

// importSome imports some rows in one transaction, or only checks them.
func (s *Service) importSome(who account.Call, in ImportInput, rows []sheet.Row, at map[string]int, check bool, out *Import) error {
	run := s.DB.For(who.CompanyID).Update
	if check {
		run = s.DB.View
	}
	return run(func(tx *kv.Tx) error {
		for i := range rows {
			r := row(rows[i])
			read := r.input(at)
			created, err := s.importRow(tx, who, read, check)
			switch e, _ := errors.AsType[*fault.Error](err); {
			case err == nil && created:
				out.Created++
			case err == nil:
				out.Updated++
			case e != nil && e.Kind == fault.KindInvalid:
				out.Faults = append(out.Faults, RowFault{Row: r.Line, Email: r.cell(at, "email"), Fields: e.Fields})
			default:
				return err
			}
			if missing := in.undrawable(read.Name); err == nil && missing != "" {
				out.Warnings = append(out.Warnings, RowFault{Row: r.Line, Email: r.cell(at, "email"), Fields: []fault.Field{
					{Name: "name", Code: "name_undrawable", Args: []fault.Arg{fault.Text("name", *read.Name), fault.Text("characters", missing)}}}})
			}
		}
		if check {
			return nil
		}
		return out.record(tx, who)
	})
}

// undrawable returns the characters of a row's name that no font has.
func (in ImportInput) undrawable(name *string) string {
	if name == nil || in.Undrawable == nil {
		return ""
	}
	return in.Undrawable(*name)
}

// record notes how far the import has come, with the work itself.
func (i *Import) record(tx *kv.Tx, who account.Call) error {
	done := progress{Next: i.Created + i.Updated + len(i.Faults), Created: i.Created, Updated: i.Updated}
	text, err := json.Marshal(done)
	if err != nil {
		return err
	}
	return who.Once.Done(tx, string(text))
}

func (s *Service) importRow(tx *kv.Tx, who account.Call, in Input, check bool) (created bool, err error) {
	email := ""
	if in.Email != nil {
		email = *in.Email
	}
	_, c, err := contacts.Lookup(tx, "email", emailKey(who.CompanyID, email))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		if full, err := s.full(tx, who.CompanyID); err != nil || full {
			return false, cmp.Or[error](err, fault.Conflict("company_full"))
		}
		created = true
		c = Contact{ID: s.NewID().String(), Company: who.CompanyID, CreatedAt: tx.Now, Name: nameOf(email)}
	case err != nil:
		return false, err
	}
	if check {
		var f fault.Fields
		in.apply(&f, &c)
		return created, f.Err()
	}
	return created, change(tx, &c, in)
}
