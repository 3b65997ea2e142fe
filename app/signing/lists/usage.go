package lists

import (
	"context"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Ailing is a document that needs attention, as the administrators of the
// installation see it.
type Ailing struct {
	Company, Document string
	Attention         record.AttentionKind
	Since             time.Time
}

// ListAiling lists the documents of all companies that need attention, by reason
// and time.
func (s *Lists) ListAiling(_ context.Context, who account.Actor, offset, limit int) (all list.Page[Ailing], err error) {
	if !who.RunsInstallation() {
		return all, fault.NotFound("page")
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := store.Vitals.Page(tx, kv.Query{Index: "attention", Offset: offset, Limit: limit})
		for _, v := range p.Items {
			all.Items = append(all.Items, Ailing{v.Company, v.Document, v.Attention, v.Since})
		}
		all.Total = p.Total
		return err
	})
	return all, err
}

// LastActivity returns when something last happened to a company's documents, nil
// if nothing has. The caller checks who may see it.
func (s *Lists) LastActivity(company string) (at *time.Time, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		newest, _, err := store.Events.Scope(tx, company, kv.LogQuery{Descending: true, Limit: 1})
		if len(newest) > 0 {
			at = &newest[0].At
		}
		return err
	})
	return at, err
}

// SearchState is how far the search index is. After a start without an index it is
// built anew, and Indexed grows to Documents.
type SearchState struct {
	Lag       uint64 // changes that it does not contain yet
	Indexed   int    // documents in it
	Documents int    // documents that there are
}

// SearchState returns how far the search index is. The caller checks who may see it.
func (s *Lists) SearchState() (at SearchState, err error) {
	if at.Lag, err = s.SearchLag(); err != nil {
		return at, err
	}
	stats, err := s.Search.Stats()
	if err != nil {
		return at, err
	}
	at.Indexed = int(stats.Documents)
	err = s.DB.View(func(tx *kv.Tx) error {
		return store.Usages.Each(tx, "", nil, func(_ string, u store.Usage) (bool, error) {
			at.Documents += u.Documents
			return true, nil
		})
	})
	return at, err
}
