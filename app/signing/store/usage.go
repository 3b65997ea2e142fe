package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// vital is all that the administrators of the installation see of a document: not
// its title, nor anybody in it.
type vital struct {
	Company   string
	Document  string
	Bytes     int64                // of its files
	Attention record.AttentionKind `json:",omitempty"`
	Since     time.Time            // of its last change
}

var Vitals = kv.NewCollection("vitals", kv.JSON[vital](), kv.Index[vital]{
	Name: "attention", Counted: true, Keys: func(v vital) []kv.Key {
		if v.Attention == "" {
			return nil
		}
		return []kv.Key{kv.K(string(v.Attention), kv.KeyTime(v.Since))}
	},
})

// Usage counts the documents and bytes that a company stores.
type Usage struct {
	Documents int
	Bytes     int64 // of their files; what several documents share counts for each
}

var Usages = kv.NewCollection("usage", kv.JSON[Usage]())

// VitalOf returns the part of a document that the administration of the installation lists.
func VitalOf(d *record.Document) vital {
	v := vital{Company: d.Company, Document: d.ID, Bytes: d.Bytes(), Since: d.UpdatedAt}
	if d.DeletedAt == nil {
		v.Attention = d.Attention.Kind
	}
	return v
}

// PutVital keeps the vital record and the company's usage in step with the
// document.
func PutVital(tx *kv.Tx, d *record.Document) error {
	key, now := DocumentKey(d.Company, d.ID), VitalOf(d)
	before, err := Vitals.Get(tx, key)
	added := errors.Is(err, kv.ErrNotFound)
	if err != nil && !added {
		return err
	}
	if err := Vitals.Put(tx, key, now); err != nil || !added && now.Bytes == before.Bytes {
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
	return Usages.Put(tx, d.Company, u)
}

func DropVital(tx *kv.Tx, d *record.Document) error {
	key := DocumentKey(d.Company, d.ID)
	v, err := Vitals.Get(tx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	u, err := usageOf(tx, d.Company)
	u.Documents, u.Bytes = u.Documents-1, u.Bytes-v.Bytes
	return errors.Join(err, Vitals.Delete(tx, key), Usages.Put(tx, d.Company, u))
}

// Quota bounds what one company may store. Zero sets no limit.
type Quota struct {
	Documents int // and templates, those in the trash included
	Bytes     int64
}

// Room refuses what would take a company over its quota.
func (q Quota) Room(tx *kv.Tx, company string, documents int, bytes int64) error {
	u, err := usageOf(tx, company)
	if err != nil {
		return err
	}
	if q.Documents > 0 && u.Documents+documents > q.Documents || q.Bytes > 0 && u.Bytes+bytes > q.Bytes {
		return fault.Conflict("company_full")
	}
	return nil
}

func usageOf(tx *kv.Tx, company string) (Usage, error) {
	u, err := Usages.Get(tx, company)
	if errors.Is(err, kv.ErrNotFound) {
		return Usage{}, nil
	}
	return u, err
}

// UsageOf returns what a company takes up. The caller checks who may see it.
func (s *Store) UsageOf(company string) (u Usage, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
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
		return Documents.Each(tx, "", nil, func(key string, _ record.Document) (bool, error) {
			keys = append(keys, key)
			return true, nil
		})
	})
	for part := range slices.Chunk(keys, Batch) {
		err = errors.Join(err, db.Update(func(tx *kv.Tx) error {
			for _, key := range part {
				d, err := Documents.Get(tx, key)
				if err == nil {
					err = PutVital(tx, &d)
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

// CheckUsage compares what companies take up with the vital records.
func CheckUsage(tx *kv.Tx) (problems []error) {
	want := map[string]Usage{}
	err := Vitals.Each(tx, "", nil, func(_ string, v vital) (bool, error) {
		u := want[v.Company]
		want[v.Company] = Usage{u.Documents + 1, u.Bytes + v.Bytes}
		return true, nil
	})
	problems = append(problems, err)
	err = Usages.Each(tx, "", nil, func(company string, got Usage) (bool, error) {
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
