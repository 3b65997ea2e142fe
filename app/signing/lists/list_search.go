package lists

import (
	"context"
	"errors"
	"time"

	json "github.com/goccy/go-json"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/store"
	"paraph/kv"
	"paraph/search"
)

// searchList queries the index and loads every hit from the store, so that a stale
// index can't show documents that no longer exist.
func (s *Lists) searchList(ctx context.Context, who account.Call, q Query, filters [][]string) (Page, error) {
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
func (s *Lists) query(ctx context.Context, who account.Call, q search.Query) (ids []string, total int, err error) {
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
