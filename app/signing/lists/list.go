// Package lists answers queries for documents, from the rows in the store or from
// the search index, which it keeps in step with the store.
package lists

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	json "github.com/goccy/go-json"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
	"paraph/search"
)

// Query selects a page of documents. Page counts from 1.
type Query struct {
	Page        int
	PerPage     int
	Sort        Sort
	Search      string
	Status      string // comma-separated names and numbers
	WithTrashed bool
	Templates   bool   // list templates instead of documents
	Owner       string // "me" or the identifier of a member; "" means anyone
	// Days such as 2026-12-31, in UTC, inclusive; "" means unbounded.
	CreatedFrom, CreatedTo string
	ExpiresFrom, ExpiresTo string
}

// Page is one page: rows in the JSON the API sends, and the total number of rows.
type Page struct {
	Rows  [][]byte
	Total int
}

// cell is one part of the lists: a visibility with one state or with any.
type cell struct{ visibility, status string }

var Visibilities = []string{"active", "archived", "deleted"}

// List returns a page of the company's documents.
func (s *Lists) List(ctx context.Context, who account.Actor, q Query) (Page, error) {
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
	states := map[string]bool{}
	for word := range strings.SplitSeq(q.Status, ",") {
		word = strings.TrimSpace(word)
		switch status, ok := parseStatus(word); {
		case slices.Contains(Visibilities, word):
			whole = append(whole, word)
		case ok:
			states[status.String()] = true
		default:
			f.Add("status", "unknown_status", fault.Text("status", strconv.Quote(shorten(word))), fault.Choices("known", record.StatusNames()...))
		}
	}
	slices.Sort(whole)
	out := all(slices.Compact(whole))
	for _, v := range shown {
		if slices.Contains(whole, v) {
			continue
		}
		for _, st := range record.Statuses() {
			if states[st.String()] {
				out = append(out, cell{v, st.String()})
			}
		}
	}
	return out
}

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
	rest, err := u.skip(offset)
	if err != nil {
		return Page{}, err
	}
	rows, err := u.merge(rest, limit)
	return Page{Rows: rows, Total: total}, err
}

// union reads several parts of the lists as one.
type union struct {
	tx      *kv.Tx
	company string
	sort    Sort
	parts   []part
}

// part is one part of a union, with the number of its rows already passed.
type part struct {
	cell      cell
	at, total int
}

func (u *union) read(c cell, offset, limit int) (raw [][]byte, total int, err error) {
	_, raw, total, err = store.Rows.PageRaw(u.tx,
		kv.Query{Index: string(u.sort.order()), Prefix: kv.K(u.company, c.visibility, c.status),
			Descending: !u.sort.Ascending, Offset: offset, Limit: limit})
	return raw, total, err
}

func (u *union) rows(p part, offset, limit int) ([]sortedRow, error) {
	raw, _, err := u.read(p.cell, offset, limit)
	if err != nil {
		return nil, err
	}
	out := make([]sortedRow, 0, len(raw))
	for _, b := range raw {
		r, err := store.RowCodec.Decode(b)
		if err != nil {
			return nil, err
		}
		out = append(out, sortedRow{r.SortKey(u.sort.order()), r.ID, b[store.RowPrefix:]})
	}
	return out, nil
}

// skip moves forward by n rows of the union and returns how many are left to skip,
// fewer than there are parts. Of the k parts, the one whose row n/k ahead sorts first
// has its next n/k rows among the next n of the union, so they can be passed without
// being read: the cost grows with the logarithm of n.
func (u *union) skip(n int) (rest int, err error) {
	for step := n / len(u.parts); step > 0; step = n / len(u.parts) {
		first, best := -1, sortedRow{}
		for i, p := range u.parts {
			if p.total-p.at < step {
				continue
			}
			ahead, err := u.rows(p, p.at+step-1, 1)
			if err != nil {
				return 0, err
			}
			if len(ahead) == 1 && (first < 0 || ahead[0].compare(best, !u.sort.Ascending) < 0) {
				first, best = i, ahead[0]
			}
		}
		if first < 0 {
			return n, nil // unreachable, since counts and entries come from one snapshot
		}
		u.parts[first].at += step
		n -= step
	}
	return n, nil
}

// merge returns rows in order, omitting the first few.
func (u *union) merge(skip, limit int) ([][]byte, error) {
	var all []sortedRow
	for _, p := range u.parts {
		next, err := u.rows(p, p.at, skip+limit)
		if err != nil {
			return nil, err
		}
		all = append(all, next...)
	}
	slices.SortFunc(all, func(a, b sortedRow) int { return a.compare(b, !u.sort.Ascending) })
	all = all[min(skip, len(all)):min(skip+limit, len(all))]
	out := make([][]byte, 0, len(all))
	for _, r := range all {
		out = append(out, r.json)
	}
	return out, nil
}

type sortedRow struct {
	key, id string
	json    []byte
}

func (a sortedRow) compare(b sortedRow, descending bool) int {
	if descending {
		a, b = b, a
	}
	if c := strings.Compare(a.key, b.key); c != 0 {
		return c
	}
	return strings.Compare(a.id, b.id)
}

func trimRows(raw [][]byte) [][]byte {
	for i := range raw {
		raw[i] = raw[i][store.RowPrefix:]
	}
	return raw
}

// searchList queries the index and loads every hit from the store, so that a stale
// index can't show documents that no longer exist.
func (s *Lists) searchList(ctx context.Context, who account.Actor, q Query, filters [][]string) (Page, error) {
	s.waitForIndex(ctx, who.CompanyID)
	var by string // the index lists the newest first by itself
	if order := q.Sort.order(); order != ByCreation {
		by = string(order)
	}
	ids, total, err := s.query(ctx, who, search.Query{Scope: who.CompanyID, Kind: documentKind, Text: q.Search,
		Filters: filters, Sort: by, Descending: !q.Sort.Ascending, Offset: (q.Page - 1) * q.PerPage, Limit: q.PerPage})
	if err != nil {
		return Page{}, err
	}
	page := Page{Total: total}
	err = s.DB.View(func(tx *kv.Tx) error {
		for _, id := range ids {
			r, err := store.Rows.Get(tx, store.DocumentKey(who.CompanyID, id))
			if err == kv.ErrNotFound {
				continue
			}
			if err != nil {
				return err
			}
			b, err := json.Marshal(r)
			if err != nil {
				return err
			}
			page.Rows = append(page.Rows, b)
		}
		return nil
	})
	return page, err
}

// queryLimit is the time limit of one index query.
const queryLimit = 10 * time.Second

// query queries the index when the caller's turn comes.
func (s *Lists) query(ctx context.Context, who account.Actor, q search.Query) (ids []string, total int, err error) {
	leave, err := s.Searching.Enter(ctx, who.Turn())
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, queryLimit)
	defer cancel()
	ids, total, err = s.Search.Query(limited, q)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, 0, fault.Unavailable("busy").Because(err)
	}
	return ids, total, err
}

func (c cell) term() string { return "in:" + c.visibility + ":" + c.status }

// patience is how long a search waits for the index to contain what was committed earlier.
const patience = 3 * time.Second

// waitForIndex waits, for a limited time, until the index contains everything
// committed earlier, including the text of files just uploaded. After that the search
// uses the index as it is.
func (s *Lists) waitForIndex(ctx context.Context, company string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.reading.wait(ctx, company)
	var head uint64
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		head, _, err = store.Changes.Head(tx)
		return err
	})
	if err == nil {
		err = s.Search.Wait(ctx, head)
	}
	if err != nil {
		s.Log.Warn("search did not catch up", "company", company, "error", err)
	}
}
