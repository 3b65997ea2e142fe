package lists

import (
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// AttentionItem is a document that needs attention, as shown to the administrators of
// the installation.
type AttentionItem struct {
	Company, Document string
	Attention         record.AttentionKind
	Since             time.Time
}

// ListAttention lists the documents of all companies that need attention, by reason
// and time.
func (s *Lists) ListAttention(who account.Call, offset, limit int) (all list.Page[AttentionItem], err error) {
	if !who.RunsInstallation() {
		return all, fault.NotFound("page")
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := store.Summaries.Page(tx, kv.Query{Index: "attention", Offset: offset, Limit: limit})
		for _, v := range p.Items {
			all.Items = append(all.Items, AttentionItem{v.Company, v.Document, v.Attention, v.Since})
		}
		all.Total = p.Total
		return err
	})
	return all, err
}

// Unsealed counts the documents that everybody has signed and that have not been sealed.
type Unsealed struct {
	Waiting, Failed int       // being retried, and given up
	Since           time.Time // of the first that waits or was given up; zero for none
}

// Unsealed returns the documents that have not been sealed. The caller checks access.
func (s *Lists) Unsealed() (u Unsealed, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		for kind, n := range map[record.AttentionKind]*int{record.AttentionSealing: &u.Waiting, record.AttentionSealingFailed: &u.Failed} {
			p, err := store.Summaries.Page(tx, kv.Query{Index: "attention", Prefix: kv.K(string(kind)), Limit: 1})
			if err != nil {
				return err
			}
			*n = p.Total
			if len(p.Items) > 0 && (u.Since.IsZero() || p.Items[0].Since.Before(u.Since)) {
				u.Since = p.Items[0].Since
			}
		}
		return nil
	})
	return u, err
}

// LastActivity returns when a company's documents last changed, nil if it has none.
// The caller checks access.
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

// SearchState is the progress of the search index.
type SearchState struct {
	Place      uint64 // the last change indexed
	Lag        uint64 // changes not yet indexed
	Indexed    int    // documents in the index
	Documents  int    // documents in the store
	Rebuilding bool   // it is being rebuilt: Indexed grows to Documents
}

// SearchState returns the progress of the search index. The caller checks access.
func (s *Lists) SearchState() (at SearchState, err error) {
	stats, err := s.Search.Stats() // not Place, which belongs to the indexer
	if err != nil {
		return at, err
	}
	at.Place, at.Indexed, at.Rebuilding = stats.Place, int(stats.Documents), s.rebuild.running()
	err = s.DB.View(func(tx *kv.Tx) error {
		head, _, err := store.Changes.Head(tx)
		if err != nil {
			return err
		}
		at.Lag = head - min(head, stats.Place)
		return store.Usages.Each(tx, "", nil, func(_ string, u store.Usage) (bool, error) {
			at.Documents += u.Documents
			return true, nil
		})
	})
	return at, err
}
