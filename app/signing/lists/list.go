// Package lists answers queries for documents, from the rows in the store or from
// the search index, which it keeps in step with the store.
package lists

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Query selects a page of documents. Page counts from 1.
type Query struct {
	Page    int
	PerPage int
	Sort    Sort
	Search  string
	Status  string // comma-separated names and numbers
	// ScheduledApart leaves documents that are scheduled to be sent out of the lists of their
	// states.
	ScheduledApart bool
	WithTrashed    bool
	Templates      bool   // list templates instead of documents
	Owner          string // "me" or the identifier of a member; "" means anyone
	// Exact values; "" means any.
	ExternalID string
	Attention  string // a [record.AttentionKind]
	Recipient  string // the e-mail address of somebody who is or was invited
	Template   string // the identifier of the template that documents were made from
	Metadata   map[string]string
	// Days such as 2026-12-31, in UTC, inclusive; "" means unbounded.
	CreatedFrom, CreatedTo string
	ExpiresFrom, ExpiresTo string
}

// Page is one page: rows in the JSON the API sends, and the total number of rows.
type Page struct {
	Rows  [][]byte
	Total int
}

// cell is one part of the lists: a visibility with one [store.Phase] or with any.
type cell struct{ visibility, status string }

var Visibilities = []string{"active", "archived", "deleted"}

// List returns a page of the company's documents.
func (s *Lists) List(ctx context.Context, who account.Call, q Query) (Page, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return Page{}, err
	}
	var f fault.Fields
	q.Sort.check(&f)
	cells, filters := q.cells(&f), q.filters(&f, who)
	if err := f.Err(); err != nil {
		return Page{}, err
	}
	if q.searches() {
		terms := make([]string, 0, len(cells))
		for _, c := range cells {
			terms = append(terms, c.term())
		}
		return s.searchList(ctx, who, q, append([][]string{terms}, filters...))
	}
	var page Page
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		page, err = listCells(tx, who.CompanyID, q.Sort, cells, (q.Page-1)*q.PerPage, q.PerPage)
		return err
	})
	return page, err
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// cells returns the disjoint parts of the lists that the status filter selects.
func (q *Query) cells(f *fault.Fields) []cell {
	shown := []string{"active"}
	if q.WithTrashed {
		shown = Visibilities
	}
	cells := all(shown)
	if q.Status != "" {
		cells = q.named(f, shown)
	}
	if q.Templates {
		for i := range cells {
			cells[i].visibility = record.TemplatePrefix + cells[i].visibility
		}
	}
	return cells
}

// named returns the parts that the names in the status filter select.
func (q *Query) named(f *fault.Fields, shown []string) []cell {
	var whole []string
	phases := map[string]bool{}
	for word := range strings.SplitSeq(q.Status, ",") {
		word = strings.TrimSpace(word)
		switch status, ok := parseStatus(word); {
		case slices.Contains(Visibilities, word):
			whole = append(whole, word)
		case ok:
			phases[status.String()] = true
			if !q.ScheduledApart {
				phases[store.Scheduled(status)] = true
			}
		case word == scheduled:
			for _, status := range record.Statuses() {
				phases[store.Scheduled(status)] = true
			}
		default:
			f.Add("status", "unknown_status", fault.Text("status", strconv.Quote(shorten(word))),
				fault.Choices("known", append(record.StatusNames(), scheduled)...))
		}
	}
	slices.Sort(whole)
	out := all(slices.Compact(whole))
	for _, v := range shown {
		if slices.Contains(whole, v) {
			continue
		}
		for _, st := range record.Statuses() {
			if phases[st.String()] {
				out = append(out, cell{v, st.String()})
			}
			if record.CanBeScheduled(st) && phases[store.Scheduled(st)] {
				out = append(out, cell{v, store.Scheduled(st)})
			}
		}
	}
	return out
}

// scheduled is the name in the status filter of documents that are scheduled to be sent.
const scheduled = "scheduled"

func all(visibilities []string) []cell {
	out := make([]cell, 0, len(visibilities))
	for _, v := range visibilities {
		out = append(out, cell{v, store.AnyStatus})
	}
	return out
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// parseStatus parses a state's name or number.
func parseStatus(word string) (record.Status, bool) {
	if n, err := strconv.Atoi(word); err == nil {
		return record.Status(n), n >= int(record.Draft) && n <= int(record.Voided) && strconv.Itoa(n) == word
	}
	i := slices.Index(record.StatusNames(), word)
	return record.Status(i + 1), i >= 0
}

// listCells returns a page of the union of several parts. A single part is read
// directly from its index; several are merged.
func listCells(tx *kv.Tx, company string, by Sort, cells []cell, offset, limit int) (Page, error) {
	u := &union{tx: tx, company: company, sort: by}
	if len(cells) == 1 {
		raw, total, err := u.read(cells[0], offset, limit)
		return Page{trimRows(raw), total}, err
	}
	total := 0
	for _, c := range cells {
		_, n, err := u.read(c, 0, 0)
		if err != nil {
			return Page{}, err
		}
		if total += n; n > 0 {
			u.parts = append(u.parts, part{cell: c, total: n})
		}
	}
	if offset >= total {
		return Page{Total: total}, nil
	}
	if len(u.parts) == 1 {
		raw, _, err := u.read(u.parts[0].cell, offset, limit)
		return Page{trimRows(raw), total}, err
	}
	rest, err := u.skip(offset)
	if err != nil {
		return Page{}, err
	}
	rows, err := u.merge(rest, limit)
	return Page{Rows: rows, Total: total}, err
}

func trimRows(raw [][]byte) [][]byte {
	for i := range raw {
		raw[i] = raw[i][store.RowPrefix:]
	}
	return raw
}
