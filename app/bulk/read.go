package bulk

import (
	"context"
	"io"
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/sheet"
	"paraph/kv"
)

// List returns a page of the company's runs, newest first. An empty state means all.
func (s *Service) List(
	who account.Call, state State, offset, limit int,
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
func (s *Service) Get(who account.Call, id string) (r Run, err error) {
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
	who account.Call, id string, state RowState, offset, limit int,
) (page list.Page[Row], err error) {
	r, err := s.Get(who, id)
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
func (s *Service) Header(who account.Call, template string) (Writing, error) {
	t, err := s.Drafts.GetTemplate(who, template)
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
