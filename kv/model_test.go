package kv_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"paraph/kv"
)

// model is a collection reduced to a map.
type model map[string]doc

var errAbort = errors.New("abort")

// entry is an index entry of the model.
type entry struct {
	key kv.Key
	id  string
}

// keysOf returns the index keys of docs, computed independently of the package.
func keysOf(index string, d doc) []kv.Key {
	switch index {
	case "company":
		return []kv.Key{kv.K(d.Company)}
	case "status":
		return []kv.Key{kv.K(d.Company, d.Status)}
	case "title":
		return []kv.Key{kv.K(d.Company, d.Title)}
	case "email":
		if d.Email == "" {
			return nil
		}
		return []kv.Key{kv.K(d.Email)}
	}
	if d.Status == d.Title {
		return []kv.Key{kv.K(d.Status)}
	}
	return []kv.Key{kv.K(d.Status), kv.K(d.Title)}
}

// list returns an index of the model in order.
func (m model) list(index string, prefix kv.Key) (out []entry) {
	for id, d := range m {
		if index == "" {
			if bytes.HasPrefix([]byte(id), prefix) {
				out = append(out, entry{nil, id})
			}
			continue
		}
		for _, k := range keysOf(index, d) {
			if bytes.HasPrefix(k, prefix) {
				out = append(out, entry{k, id})
			}
		}
	}
	slices.SortFunc(out, func(a, b entry) int {
		if c := bytes.Compare(a.key, b.key); c != 0 {
			return c
		}
		return bytes.Compare([]byte(a.id), []byte(b.id))
	})
	return out
}

func randomDoc(r *rand.Rand) doc {
	d := doc{
		Company: []string{"a", "ab", "b", "b\x00", "b\x00c"}[min(r.IntN(12), 4)],
		Status:  fmt.Sprint(r.IntN(4)),
		Title:   fmt.Sprintf("%c%d", 'a'+r.IntN(3), r.IntN(500)),
		N:       r.IntN(1000),
	}
	if r.IntN(4) == 0 {
		d.Email = fmt.Sprint(r.IntN(4000))
	}
	return d
}

func randomQuery(r *rand.Rand, size int) kv.Query {
	q := kv.Query{Index: []string{"", "company", "status", "title", "email", "plain"}[r.IntN(6)], Descending: r.IntN(2) == 0, Limit: r.IntN(30)}
	d := randomDoc(r)
	switch {
	case q.Index == "":
		q.Prefix = kv.Key(fmt.Sprint(r.IntN(10)))[:r.IntN(2)]
	case r.IntN(5) == 0: // the whole index
	case q.Index == "company":
		q.Prefix = kv.K(d.Company)
	case q.Index == "status":
		q.Prefix = kv.K(d.Company, d.Status)[:len(kv.K(d.Company))]
		if r.IntN(2) == 0 {
			q.Prefix = kv.K(d.Company, d.Status)
		}
	case q.Index == "title":
		q.Prefix = kv.K(d.Company).Starting(d.Title[:r.IntN(3)])
	case q.Index == "email":
		q.Prefix = kv.Key(nil).Starting(fmt.Sprint(r.IntN(10)))
	default:
		q.Prefix = kv.K(d.Status)
	}
	if r.IntN(3) > 0 {
		q.Offset = r.IntN(size + 10)
	}
	return q
}

// agree compares pages, totals and scans with the model.
func agree(t *testing.T, tx *kv.Tx, m model, r *rand.Rand, queries int) {
	t.Helper()
	for range queries {
		q := randomQuery(r, len(m))
		want := m.list(q.Index, q.Prefix)
		got, err := docs.Page(tx, q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if got.Total != len(want) {
			t.Fatalf("%+v: total %d, want %d", q, got.Total, len(want))
		}
		if n, err := docs.Count(tx, q.Index, q.Prefix); err != nil || n != len(want) {
			t.Fatalf("%+v: count %d, %v; want %d", q, n, err, len(want))
		}
		if q.Descending {
			slices.Reverse(want)
		}
		part := want[min(q.Offset, len(want)):min(q.Offset+q.Limit, len(want))]
		if len(got.IDs) != len(part) {
			t.Fatalf("%+v: %d records, want %d", q, len(got.IDs), len(part))
		}
		for i, e := range part {
			if got.IDs[i] != e.id || got.Items[i] != m[e.id] {
				t.Fatalf("%+v: record %d is %s %+v, want %s %+v", q, i, got.IDs[i], got.Items[i], e.id, m[e.id])
			}
		}
	}
}

// change makes the same random change to store and model.
func (m model) change(tx *kv.Tx, r *rand.Rand, prefix string, ids int) error {
	id := fmt.Sprintf("%s%05d", prefix, r.IntN(ids))
	if r.IntN(3) == 0 {
		delete(m, id)
		return docs.Delete(tx, id)
	}
	d := randomDoc(r)
	if prefix != "" && d.Email != "" {
		d.Email = prefix + d.Email
	}
	err := docs.Put(tx, id, d)
	if errors.Is(err, kv.ErrExists) {
		for other, had := range m {
			if other != id && had.Email == d.Email {
				return nil // correctly refused; nothing changed
			}
		}
		return fmt.Errorf("no other record has %q: %w", d.Email, err)
	}
	m[id] = d
	return err
}

func TestCollectionIsAMap(t *testing.T) {
	t.Parallel()
	for _, onDisk := range []bool{false, true} {
		t.Run(fmt.Sprint("disk=", onDisk), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			o := kv.Options{InMemory: !onDisk}
			if onDisk {
				o.Dir = t.TempDir()
			}
			db, err := kv.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			m := model{}
			for round := range 250 {
				next := maps.Clone(m)
				abort := r.IntN(4) == 0
				err := db.Update(func(tx *kv.Tx) error {
					for range r.IntN(80) {
						if err := next.change(tx, r, "", 3000); err != nil {
							return err
						}
					}
					if round%10 == 0 {
						agree(t, tx, next, r, 5) // own writes are visible
					}
					if abort {
						return errAbort
					}
					return nil
				})
				switch {
				case err == nil:
					m = next
				case !abort || !errors.Is(err, errAbort):
					t.Fatal(err)
				}
				if round%10 == 5 {
					view(t, db, func(tx *kv.Tx) error { agree(t, tx, m, r, 12); return nil })
				}
				if onDisk && round%60 == 59 {
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					if db, err = kv.Open(o); err != nil {
						t.Fatal(err)
					}
				}
			}
			clean(t, db, docs)
			emptied(t, db, m, r)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// emptied deletes everything, so that blocks shrink, merge and disappear.
func emptied(t *testing.T, db *kv.DB, m model, r *rand.Rand) {
	ids := slices.Sorted(maps.Keys(m))
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for part := range slices.Chunk(ids, 100) {
		update(t, db, func(tx *kv.Tx) error {
			for _, id := range part {
				delete(m, id)
				if err := docs.Delete(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		view(t, db, func(tx *kv.Tx) error { agree(t, tx, m, r, 5); return nil })
	}
	clean(t, db, docs)
	view(t, db, func(tx *kv.Tx) error {
		counts, err := tx.Keys('r')
		if len(counts) > 0 {
			t.Errorf("%d counts left in an empty store", len(counts))
		}
		return err
	})
}

// TestConcurrentWriters runs writers of their own records, some of them failing, while readers
// compare.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	var wg sync.WaitGroup
	parts := make([]model, 16)
	for w := range parts {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			m := model{}
			for range 40 {
				next := maps.Clone(m)
				abort := r.IntN(3) == 0
				err := db.Update(func(tx *kv.Tx) error {
					for range r.IntN(12) {
						if err := next.change(tx, r, fmt.Sprintf("w%02d-", w), 200); err != nil {
							return err
						}
					}
					if abort {
						return errAbort
					}
					return nil
				})
				if err == nil {
					m = next
				} else if !abort {
					t.Error(err)
				}
			}
			parts[w] = m
		})
	}
	wg.Wait()
	all := model{}
	for _, m := range parts {
		maps.Copy(all, m)
	}
	view(t, db, func(tx *kv.Tx) error { agree(t, tx, all, rand.New(rand.NewPCG(3, 3)), 100); return nil })
	clean(t, db, docs)
}
