package contact

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"paraph/app/account"
	"paraph/app/sheet"
	"paraph/kv"
)

// Export returns a function that writes the contacts that are not in the trash,
// oldest first, as CSV that Import accepts.
func (s *Service) Export(ctx context.Context, who account.Call) (write func(w io.Writer) error, err error) {
	if err := staff(who, account.ScopeRead); err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		out := csv.NewWriter(w)
		if err := out.Write(heading()); err != nil {
			return err
		}
		for from, more := kv.Key(key(who.CompanyID, "")), true; more; {
			some, err := s.after(who.CompanyID, from)
			if err != nil {
				return err
			}
			for _, c := range some {
				if err := out.Write(c.cells()); err != nil {
					return err
				}
				from = kv.Key(c.key() + "\x00")
			}
			out.Flush() // no transaction is held open for a slow reader
			if err := errors.Join(ctx.Err(), out.Error()); err != nil {
				return err
			}
			more = len(some) > 0
		}
		return nil
	}, nil
}

func heading() []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.field)
	}
	return out
}

// after returns the next contacts after a key that are not in the trash.
func (s *Service) after(company string, from kv.Key) (some []Contact, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		return contacts.EachFrom(tx, "", kv.Key(key(company, "")), from, func(_ string, c Contact) (bool, error) {
			if c.DeletedAt == nil {
				some = append(some, c)
			}
			return len(some) < perTransaction, nil
		})
	})
	return some, err
}

// cells returns the contact as a row of a file.
func (c Contact) cells() []string {
	cells := []string{c.Name, c.Email, c.Organization, c.Phone, c.Locale, c.Note, strings.Join(c.Tags, ";"), c.JobTitle}
	for i := range cells {
		cells[i] = sheet.Guarded(cells[i])
	}
	return cells
}

// Headings returns the first row of a file, for mapping the columns.
func Headings(body io.Reader) ([]string, error) {
	file, err := readCSV(body)
	return file.Headings, err
}

// Fields lists the possible fields of a column, in the order of an export.
func Fields() []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.field)
	}
	return out
}
