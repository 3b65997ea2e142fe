package bulk

import (
	"context"
	"io"
	"slices"
	"strconv"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/sheet"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/kv"
)

// List returns a page of the company's runs, newest first. An empty state means all.
func (s *Service) List(
	_ context.Context, who account.Actor, state State, offset, limit int,
) (page list.Page[Run], err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return page, err
	}
	part := everything
	if state != "" {
		part = string(state)
		if !slices.Contains(States(), state) {
			return page, notOneOf(States())
		}
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := runs.Page(tx, kv.Query{Index: "order", Prefix: kv.K(who.CompanyID, part), Descending: true,
			Offset: offset, Limit: limit})
		if err != nil {
			return err
		}
		page.Items, page.Total = p.Items, p.Total
		for i := range page.Items {
			if err := page.Items[i].count(tx); err != nil {
				return err
			}
		}
		return nil
	})
	return page, err
}

func notOneOf[S ~string](all []S) error {
	names := make([]string, 0, len(all))
	for _, s := range all {
		names = append(names, string(s))
	}
	var f fault.Fields
	f.OneOf("status", names...)
	return f.Err()
}

// Get returns one run.
func (s *Service) Get(_ context.Context, who account.Actor, id string) (r Run, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return Run{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		r, err = load(tx, who.CompanyID, id)
		return err
	})
	if err == nil && r.State == Preparing {
		return Run{}, fault.NotFound("run")
	}
	return r, err
}

// Rows returns a page of the rows of a run, in their order. An empty state means all.
func (s *Service) Rows(
	ctx context.Context, who account.Actor, id string, state RowState, offset, limit int,
) (page list.Page[Row], err error) {
	r, err := s.Get(ctx, who, id)
	if err != nil {
		return page, err
	}
	part := everything
	if state != "" {
		part = string(state)
		if !slices.Contains(RowStates(), state) {
			return page, notOneOf(RowStates())
		}
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := rows.Page(tx, kv.Query{Index: "order", Prefix: kv.K(r.ID, part), Offset: offset, Limit: limit})
		page.Items, page.Total = p.Items, p.Total
		return err
	})
	return page, err
}

// Writing writes a table.
type Writing = func(w io.Writer) error

// Header returns a function that writes an empty file with the headings of a template.
func (s *Service) Header(ctx context.Context, who account.Actor, template string) (Writing, error) {
	t, err := s.Templates.Get(ctx, who, template)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return writeAll(w, sheet.Standard(), header(t.Document)) }, nil
}

func writeAll(w io.Writer, f sheet.Form, rows ...[]string) error {
	out := sheet.NewWriter(w, f)
	for _, cells := range rows {
		if err := out.Write(cells...); err != nil {
			return err
		}
	}
	return out.Close()
}

// each visits the rows of a run with a state, in parts, so that no transaction is held open for
// a slow reader.
func (s *Service) each(ctx context.Context, r *Run, state string, visit func(part []Row) error) error {
	for next := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var part []Row
		prefix := kv.K(r.ID, state)
		err := s.DB.View(func(tx *kv.Tx) error {
			from := prefix.With(kv.KeyUint(uint64(next)))
			return rows.EachFrom(tx, "order", prefix, from, func(_ string, row Row) (bool, error) {
				part = append(part, row)
				return len(part) < perTransaction, nil
			})
		})
		if err != nil || len(part) == 0 {
			return err
		}
		if err := visit(part); err != nil {
			return err
		}
		next = part[len(part)-1].Number + 1
	}
}

// Results returns a function that writes one row for each row of a run: what became of it, and
// the values of the fields of its document.
func (s *Service) Results(ctx context.Context, who account.Actor, id string) (Writing, error) {
	r, names, err := s.readable(ctx, who, id)
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
				cells, err := s.result(ctx, who, &part[i], names)
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
func (s *Service) readable(ctx context.Context, who account.Actor, id string) (r Run, names []string, err error) {
	if r, err = s.Get(ctx, who, id); err != nil {
		return r, nil, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		t, err := templates.Get(tx, r.key())
		names = valueNames(&t)
		return err
	})
	return r, names, err
}

// result returns the cells of a row. A document that was deleted since has none of its own.
func (s *Service) result(ctx context.Context, who account.Actor, row *Row, names []string) ([]string, error) {
	cells := []string{strconv.Itoa(row.Number), string(row.State), row.Document, "", "", "", "", ""}
	values := make([]string, len(names))
	if row.Document == "" {
		return append(cells, values...), nil
	}
	d, err := s.Documents.Get(ctx, who, row.Document)
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
func valueOf(d *signing.Document, name string) string {
	for i := range d.Fields {
		if x := &d.Fields[i]; x.Name == name && x.Value != "" && !x.Drawn() {
			return x.Value
		}
	}
	return ""
}

// Leftover returns a function that writes the rows of which no document was made, in the form
// of the file they came in, with a last column that says why.
func (s *Service) Leftover(
	ctx context.Context, who account.Actor, id string, say func([]fault.Field) string,
) (Writing, error) {
	r, err := s.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	var t signing.Document
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
	out *sheet.Writer, r *Run, names map[string]string, row *Row, say func([]fault.Field) string,
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

// ReportOf returns the report that a run was started with.
func (s *Service) ReportOf(ctx context.Context, who account.Actor, id string) (Report, error) {
	r, err := s.Get(ctx, who, id)
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
