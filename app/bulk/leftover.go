package bulk

import (
	"context"
	"io"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/sheet"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Leftover returns a function that writes the rows of which no document was made, in the form
// of the file they came in, with a last column that says why.
func (s *Service) Leftover(
	ctx context.Context, who account.Call, id string, say func([]fault.Field) string,
) (Writing, error) {
	r, err := s.Get(who, id)
	if err != nil {
		return nil, err
	}
	var t record.Document
	err = s.DB.View(func(tx *kv.Tx) (err error) {
		t, err = templates.Get(tx, r.key())
		return err
	})
	if err != nil {
		return nil, err
	}
	names := known(Targets(&t))
	return func(w io.Writer) error {
		out := sheet.NewWriter(w, r.Form)
		if err := out.Write(append(slices.Clone(r.Headings), errorHeading)...); err != nil {
			return err
		}
		err := s.each(ctx, &r, everything, func(part []Row) error {
			for i := range part {
				if err := s.leftover(out, &r, names, &part[i], say); err != nil {
					return err
				}
			}
			return out.Flush()
		})
		if err != nil {
			return err
		}
		return out.Close()
	}, nil
}

// errorHeading heads the column that says why a row was left out.
const errorHeading = "error"

func (s *Service) leftover(
	out *sheet.Writer, r *Run, names headings, row *Row, say func([]fault.Field) string,
) error {
	why := row.Faults
	switch {
	case row.State == Made, row.State == Waiting && r.State != Cancelled:
		return nil
	case row.State == Waiting:
		why = []fault.Field{{Code: "run_cancelled"}}
	}
	c, err := s.open(row)
	if err != nil {
		return err
	}
	cells := c.Cells
	if cells == nil {
		cells = cellsOf(r.Headings, names, c.Input)
	}
	padded := make([]string, len(r.Headings), len(r.Headings)+1)
	copy(padded, cells)
	return out.Write(append(padded, say(why))...)
}
