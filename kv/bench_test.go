package kv_test

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"paraph/kv"
)

const body = "a row of a list, about four hundred bytes long, as it is sent: names, titles, states and times of one document, " +
	"its signatories and how far they have come, who owns it and when it was changed the last time, repeated a little to fill up; "

// full opens a store with n documents of one company.
func full(b *testing.B, n int) *kv.DB {
	b.Helper()
	dir := os.Getenv("KV_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	db, err := kv.Open(kv.Options{Dir: dir + "/" + strconv.Itoa(n)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	have := 0
	if err := db.View(func(tx *kv.Tx) (err error) {
		have, err = docs.Count(tx, "company", nil)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for i := have; i < n; {
		err := db.Update(func(tx *kv.Tx) error {
			for range min(400, n-i) {
				if err := docs.Put(tx, id(i), sample(i)); err != nil {
					return err
				}
				i++
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return db
}

func id(i int) string { return fmt.Sprintf("01K9ZZZZZZ%016d", i) }

func sample(i int) doc {
	return doc{Company: "01K9COMPANY0000000000000AA", Status: strconv.Itoa(i % 6), Title: fmt.Sprintf("title %07d", i*7919%1000003), Email: "", N: i, Body: body}
}

func BenchmarkPage(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		db := full(b, n)
		for _, c := range []struct {
			name, index string
			prefix      kv.Key
			offset      int
		}{
			{"first", "company", kv.K("01K9COMPANY0000000000000AA"), 0},
			{"middle", "company", kv.K("01K9COMPANY0000000000000AA"), n / 2},
			{"last", "company", kv.K("01K9COMPANY0000000000000AA"), n - 20},
			{"status", "status", kv.K("01K9COMPANY0000000000000AA", "3"), 0},
			{"titlemiddle", "title", kv.K("01K9COMPANY0000000000000AA"), n/3 + 7},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				i := 0
				for b.Loop() {
					q := kv.Query{Index: c.index, Prefix: c.prefix, Descending: true, Offset: c.offset, Limit: 20}
					if c.offset > 0 && c.offset < n-20 {
						q.Offset = (c.offset + i*7919) % (n - 40)
					}
					i++
					err := db.View(func(tx *kv.Tx) error {
						ids, _, _, err := docs.PageRaw(tx, q)
						if err == nil && len(ids) != 20 {
							b.Fatal("page of", len(ids))
						}
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("ours/%d", writers), func(b *testing.B) {
			db, err := kv.Open(kv.Options{Dir: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			var n atomic.Int64
			parallel(b, writers, func() error {
				i := int(n.Add(1))
				return db.Update(func(tx *kv.Tx) error { return docs.Put(tx, id(i), sample(i)) })
			})
			if s := db.Stats(); s.Commits > 0 {
				b.ReportMetric(float64(s.Calls)/float64(s.Commits), "calls/commit")
			}
		})
		b.Run(fmt.Sprintf("badger/%d", writers), func(b *testing.B) {
			db, err := badger.Open(badger.DefaultOptions(b.TempDir()).WithSyncWrites(true).WithLogger(nil))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			var n atomic.Int64
			parallel(b, writers, func() error {
				i := int(n.Add(1))
				return db.Update(func(txn *badger.Txn) error { // the same bytes: two rows, three entries
					for k := range 5 {
						value := []byte(nil)
						if k < 2 {
							value = []byte(body + body[:100])
						}
						if err := txn.Set(fmt.Appendf(nil, "index%d/01K9COMPANY0000000000000AA/%s", k, id(i)), value); err != nil {
							return err
						}
					}
					return nil
				})
			})
		})
	}
}

func parallel(b *testing.B, writers int, fn func() error) {
	b.SetParallelism(max(1, writers/2)) // of 2 processors
	b.ResetTimer()
	run := func() {
		if err := fn(); err != nil {
			b.Error(err)
		}
	}
	if writers == 1 {
		for b.Loop() {
			run()
		}
		return
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			run()
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	dir := os.Getenv("KV_BENCH_DIR")
	cases := map[string]kv.Options{"memory": {InMemory: true}, "empty": {Dir: b.TempDir()}}
	if dir != "" {
		cases["million"] = kv.Options{Dir: dir + "/1000000"}
	}
	for name, o := range cases {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				db, err := kv.Open(o)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

func BenchmarkReset(b *testing.B) {
	db := open(b, kv.Options{})
	for b.Loop() {
		if err := db.Reset(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	db := full(b, 10_000)
	i := 0
	for b.Loop() {
		i++
		err := db.View(func(tx *kv.Tx) error { _, err := docs.Get(tx, id(i*7919%10_000)); return err })
		if err != nil {
			b.Fatal(err)
		}
	}
}
