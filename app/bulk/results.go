package bulk

import (
	"context"
	"io"
	"strconv"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/sheet"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Results returns a function that writes one row for each row of a run: what became of it, and
// the values of the fields of its document.
func (s *Service) Results(ctx context.Context, who account.Call, id string) (Writing, error) {
	r, names, err := s.readable(who, id)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		out := sheet.NewWriter(w, sheet.Form{Encoding: sheet.UTF8Mark, Separator: r.Form.Separator})
		err := out.Write(append(resultHeadings(), names...)...)
		if err != nil {
			return err
		}
		err = s.each(ctx, &r, everything, func(part []Row) error {
			for i := range part {
				cells, err := s.result(who, &part[i], names)
				if err != nil {
					return err
				}
				if err := out.Write(cells...); err != nil {
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

func resultHeadings() []string {
	return []string{"row", "state", "document_id", "title", "external_id", "status", "sent_at", "completed_at"}
}

// readable returns a run and the names of the fields of its template.
func (s *Service) readable(who account.Call, id string) (r Run, names []string, err error) {
	if r, err = s.Get(who, id); err != nil {
		return r, nil, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		t, err := templates.Get(tx, r.key())
		names = fieldNames(&t, (*record.Field).HasAnswer)
		return err
	})
	return r, names, err
}

// result returns the cells of a row. A document that was deleted since has none of its own.
func (s *Service) result(who account.Call, row *Row, names []string) ([]string, error) {
	cells := []string{strconv.Itoa(row.Number), string(row.State), row.Document, "", "", "", "", ""}
	values := make([]string, len(names))
	if row.Document == "" {
		return append(cells, values...), nil
	}
	d, err := s.Drafts.Get(who, row.Document)
	if fault.KindOf(err) == fault.KindNotFound {
		return append(cells, values...), nil
	}
	if err != nil {
		return nil, err
	}
	cells[3], cells[4], cells[5] = d.Title, d.ExternalID, d.Status.String()
	if d.SentAt != nil {
		cells[6] = record.FormatTime(*d.SentAt)
	}
	if d.CompletedAt != nil {
		cells[7] = record.FormatTime(*d.CompletedAt)
	}
	for i, name := range names {
		values[i] = valueOf(d, name)
	}
	return append(cells, values...), nil
}

// valueOf returns the first value of the fields with a name.
func valueOf(d *record.Document, name string) string {
	for i := range d.Fields {
		if x := &d.Fields[i]; x.Name == name && x.Value != "" && !x.Hidden && x.HasAnswer() {
			return x.Value
		}
	}
	return ""
}

// ReportOf returns the report that a run was started with.
func (s *Service) ReportOf(ctx context.Context, who account.Call, id string) (Report, error) {
	r, err := s.Get(who, id)
	if err != nil {
		return Report{}, err
	}
	out := Report{Run: &r, Rows: r.Counts.Rows, Messages: r.Messages, Columns: r.Columns,
		Valid: r.Counts.Rows - r.Counts.Invalid}
	err = s.each(ctx, &r, string(Invalid), func(part []Row) error {
		for i := range part {
			out.Invalid = append(out.Invalid, InvalidRow{Number: part[i].Number, Faults: part[i].Faults})
		}
		return nil
	})
	return out, err
}
