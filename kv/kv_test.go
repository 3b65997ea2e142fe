package kv_test

import (
	"errors"
	"fmt"
	"testing"

	"paraph/kv"
)

type doc struct {
	Company, Status, Title, Email, Body string
	N                                   int
}

var docs = kv.NewCollection("docs", kv.JSON[doc](),
	kv.Index[doc]{Name: "company", Counted: true, Covering: true, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Company)} }},
	kv.Index[doc]{Name: "status", Counted: true, Depth: 2, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Company, d.Status)} }},
	kv.Index[doc]{Name: "title", Counted: true, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Company, d.Title)} }},
	kv.Index[doc]{Name: "email", Unique: true, Keys: func(d doc) []kv.Key {
		if d.Email == "" {
			return nil
		}
		return []kv.Key{kv.K(d.Email)}
	}},
	kv.Index[doc]{Name: "plain", Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Status), kv.K(d.Title)} }},
)

func open(t testing.TB) *kv.DB {
	t.Helper()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestSmoke(t *testing.T) {
	t.Parallel()
	db := open(t)
	for i := range 1000 {
		err := db.Update(func(tx *kv.Tx) error {
			return docs.Put(tx, fmt.Sprintf("d%05d", i), doc{Company: fmt.Sprint("c", i%3), Status: fmt.Sprint(i % 5), Title: fmt.Sprint((i * 7919) % 1000), N: i})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.View(func(tx *kv.Tx) error {
		p, err := docs.Page(tx, kv.Query{Index: "company", Prefix: kv.K("c1"), Offset: 100, Limit: 3, Descending: true})
		if err != nil {
			return err
		}
		if p.Total != 333 || p.Items[0].N != 997-300 {
			t.Errorf("got %+v", p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if errs := db.Check(docs); len(errs) > 0 {
		t.Fatal(errors.Join(errs...))
	}
}
