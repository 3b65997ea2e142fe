package signing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/kv"
)

// vital is all that the administrators of the installation see of a document: not
// its title, nor anybody in it.
type vital struct {
	Company   string
	Document  string
	Bytes     int64         // of its files
	Attention AttentionKind `json:",omitempty"`
	Since     time.Time     // of its last change
}

var vitals = kv.NewCollection("vitals", kv.JSON[vital](), kv.Index[vital]{
	Name: "attention", Counted: true, Keys: func(v vital) []kv.Key {
		if v.Attention == "" {
			return nil
		}
		return []kv.Key{kv.K(string(v.Attention), kv.KeyTime(v.Since))}
	},
})

// Usage is what a company takes up.
type Usage struct {
	Documents int
	Bytes     int64 // of their files; what several documents share counts for each
}

var usages = kv.NewCollection("usage", kv.JSON[Usage]())

func vitalOf(d *Document) vital {
	v := vital{Company: d.Company, Document: d.ID, Bytes: d.Bytes(), Since: d.UpdatedAt}
	if d.DeletedAt == nil {
		v.Attention = d.Attention.Kind
	}
	return v
}

// putVital keeps the vital record and the company's usage in step with the
// document.
func putVital(tx *kv.Tx, d *Document) error {
	key, now := documentKey(d.Company, d.ID), vitalOf(d)
	before, err := vitals.Get(tx, key)
	added := errors.Is(err, kv.ErrNotFound)
	if err != nil && !added {
		return err
	}
	if err := vitals.Put(tx, key, now); err != nil || !added && now.Bytes == before.Bytes {
		return err
	}
	u, err := usageOf(tx, d.Company)
	if err != nil {
		return err
	}
	if added {
		u.Documents++
	}
	u.Bytes += now.Bytes - before.Bytes
	return usages.Put(tx, d.Company, u)
}

func dropVital(tx *kv.Tx, d *Document) error {
	key := documentKey(d.Company, d.ID)
	v, err := vitals.Get(tx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	u, err := usageOf(tx, d.Company)
	u.Documents, u.Bytes = u.Documents-1, u.Bytes-v.Bytes
	return errors.Join(err, vitals.Delete(tx, key), usages.Put(tx, d.Company, u))
}

func usageOf(tx *kv.Tx, company string) (Usage, error) {
	u, err := usages.Get(tx, company)
	if errors.Is(err, kv.ErrNotFound) {
		return Usage{}, nil
	}
	return u, err
}

// UsageOf returns what a company takes up. The caller checks who may see it.
func (s *Service) UsageOf(company string) (u Usage, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		u, err = usageOf(tx, company)
		return err
	})
	return u, err
}

// MigrateUsage makes the vital records of documents from before they existed. It
// may be run repeatedly.
func MigrateUsage(db *kv.DB) error {
	var keys []string
	err := db.View(func(tx *kv.Tx) error {
		return documents.Each(tx, "", nil, func(key string, _ Document) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
	})
	for part := range slices.Chunk(keys, batch) {
		err = errors.Join(err, db.Update(func(tx *kv.Tx) error {
			for _, key := range part {
				d, err := documents.Get(tx, key)
				if err == nil {
					err = putVital(tx, &d)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return err
}

// checkUsage compares what companies take up with the vital records.
func checkUsage(tx *kv.Tx) (problems []error) {
	want := map[string]Usage{}
	err := vitals.Each(tx, "", nil, func(_ string, v vital) (bool, error) {
		u := want[v.Company]
		want[v.Company] = Usage{u.Documents + 1, u.Bytes + v.Bytes}
		return true, nil
	})
	problems = append(problems, err)
	err = usages.Each(tx, "", nil, func(company string, got Usage) (bool, error) {
		if got != want[company] {
			problems = append(problems, fmt.Errorf("company %s: %d documents with %d bytes are counted as %d with %d",
				company, want[company].Documents, want[company].Bytes, got.Documents, got.Bytes))
		}
		delete(want, company)
		return true, nil
	})
	for company := range want {
		problems = append(problems, fmt.Errorf("company %s: its documents are not counted", company))
	}
	return slices.DeleteFunc(append(problems, err), func(err error) bool { return err == nil })
}

// Ailing is a document that needs attention, as the administrators of the
// installation see it.
type Ailing struct {
	Company, Document string
	Attention         AttentionKind
	Since             time.Time
}

// ListAiling lists the documents of all companies that need attention, by reason
// and time.
func (s *Service) ListAiling(_ context.Context, who account.Actor, offset, limit int) (all list.Page[Ailing], err error) {
	if !who.RunsInstallation() {
		return all, fault.NotFound("page")
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		p, err := vitals.Page(tx, kv.Query{Index: "attention", Offset: offset, Limit: limit})
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
func (s *Service) LastActivity(company string) (at *time.Time, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		newest, _, err := journal.Scope(tx, company, kv.LogQuery{Descending: true, Limit: 1})
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
func (s *Service) SearchState() (at SearchState, err error) {
	if at.Lag, err = s.SearchLag(); err != nil {
		return at, err
	}
	stats, err := s.Search.Stats()
	if err != nil {
		return at, err
	}
	at.Indexed = int(stats.Documents)
	err = s.DB.View(func(tx *kv.Tx) error {
		return usages.Each(tx, "", nil, func(_ string, u Usage) (bool, error) {
			at.Documents += u.Documents
			return true, nil
		})
	})
	return at, err
}

// Seals reports whether a job seals a document.
func Seals(job kv.Job) bool { return job.Kind == sealJob }

// DocumentOfJob returns the document that a job of this package is about.
func DocumentOfJob(job kv.Job) (company, document string, err error) {
	var p documentJob
	if err := json.Unmarshal(job.Payload, &p); err != nil {
		return "", "", fmt.Errorf("signing: job %s: %w", job.ID, err)
	}
	return p.Company, p.Document, nil
}
