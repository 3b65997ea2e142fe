package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// summary is all that the administrators of the installation see of a document. It
// excludes its title and the people in it.
type summary struct {
	Company   string
	Document  string
	Bytes     int64                // of its files
	Attention record.AttentionKind `json:",omitempty"`
	Since     time.Time            // of its last change
}

var Summaries = kv.NewCollection("vitals", kv.JSON[summary](), kv.Index[summary]{
	Name: "attention", Counted: true, Keys: func(v summary) []kv.Key {
		if v.Attention == "" {
			return nil
		}
		return []kv.Key{kv.K(string(v.Attention), kv.KeyTime(v.Since))}
	},
})

// Usage counts the documents and bytes that a company stores.
type Usage struct {
	Documents int
	Bytes     int64 // of their files; shared files count once per document
}

var Usages = kv.NewCollection("usage", kv.JSON[Usage]())

// SummaryOf returns the summary of a document for the installation's administrators.
func SummaryOf(d *record.Document) summary {
	v := summary{Company: d.Company, Document: d.ID, Bytes: d.Bytes(), Since: d.UpdatedAt}
	if d.DeletedAt == nil {
		v.Attention = d.Attention.Kind
	}
	return v
}

// PutSummary keeps the summary and the company's usage in step with the document.
func PutSummary(tx *kv.Tx, d *record.Document) error {
	key, now := DocumentKey(d.Company, d.ID), SummaryOf(d)
	before, err := Summaries.Get(tx, key)
	added := errors.Is(err, kv.ErrNotFound)
	if err != nil && !added {
		return err
	}
	if err := Summaries.Put(tx, key, now); err != nil || !added && now.Bytes == before.Bytes {
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

func DropSummary(tx *kv.Tx, d *record.Document) error {
	key := DocumentKey(d.Company, d.ID)
	v, err := Summaries.Get(tx, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	u, err := usageOf(tx, d.Company)
	u.Documents, u.Bytes = u.Documents-1, u.Bytes-v.Bytes
	return errors.Join(err, Summaries.Delete(tx, key), Usages.Put(tx, d.Company, u))
}

// Quota bounds what one company may store.
type Quota struct {
	Documents int   // and templates, those in the trash included; 0 sets no limit
	Bytes     int64 // 0 sets a limit only while the disk is nearly full; see overShare
	// Disk returns how many bytes of the disk are free, and its size; 0 if that is unknown.
	Disk func() (free, size int64)
}

// Percent returns how much of the quota a company uses, in percent; 0 if nothing limits it.
func (q Quota) Percent(u Usage) (used int) {
	if q.Documents > 0 {
		used = int(int64(u.Documents) * 100 / int64(q.Documents))
	}
	if q.Bytes > 0 {
		used = max(used, int(float64(u.Bytes)/float64(q.Bytes)*100))
	}
	return used
}

// Room refuses what would take a company over its quota.
func (q Quota) Room(tx *kv.Tx, company string, documents int, bytes int64) error {
	u, err := usageOf(tx, company)
	if err != nil {
		return err
	}
	full := q.Documents > 0 && u.Documents+documents > q.Documents || q.Bytes > 0 && u.Bytes+bytes > q.Bytes
	if !full && q.Bytes == 0 && q.Disk != nil {
		full, err = q.overShare(tx, u.Bytes+bytes)
	}
	if full && err == nil {
		return fault.Conflict("company_full")
	}
	return err
}

// shared is the part of the disk, one in so many, that is kept for companies with less than
// their share.
const shared = 10

// overShare reports whether a company with that many bytes would take from others: several
// companies share the disk, less than a tenth of it is free, and the company has more than an
// even share of what their documents take and could still take.
func (q Quota) overShare(tx *kv.Tx, bytes int64) (bool, error) {
	free, size := q.Disk()
	if size == 0 || free >= size/shared {
		return false, nil
	}
	companies, err := account.CountCompanies(tx)
	if err != nil || companies < 2 {
		return false, err
	}
	total := free
	err = Usages.Each(tx, "", nil, func(_ string, u Usage) (bool, error) {
		total += u.Bytes
		return true, nil
	})
	return bytes > total/int64(companies), err
}

func usageOf(tx *kv.Tx, company string) (Usage, error) {
	u, err := Usages.Get(tx, company)
	if errors.Is(err, kv.ErrNotFound) {
		return Usage{}, nil
	}
	return u, err
}

// UsageOf returns the storage that a company uses. The caller checks access.
func (s *Store) UsageOf(company string) (u Usage, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		u, err = usageOf(tx, company)
		return err
	})
	return u, err
}

// EachUsage calls fn for every company that stores anything. The caller checks access.
func (s *Store) EachUsage(fn func(company string, u Usage)) error {
	return s.db.View(func(tx *kv.Tx) error {
		return Usages.Each(tx, "", nil, func(company string, u Usage) (bool, error) {
			fn(company, u)
			return true, nil
		})
	})
}

// MigrateUsage creates the summaries of documents stored before summaries existed. It
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
					err = PutSummary(tx, &d)
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

// CheckUsage compares the usage of companies with the summaries.
func CheckUsage(tx *kv.Tx) (problems []error) {
	want := map[string]Usage{}
	err := Summaries.Each(tx, "", nil, func(_ string, v summary) (bool, error) {
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
