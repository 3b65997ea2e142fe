package search_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"paraph/search"
)

func open(t testing.TB, dir string) *search.Index {
	t.Helper()
	x, err := search.Open(search.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func apply(t testing.TB, x *search.Index, b search.Batch) {
	t.Helper()
	if err := x.Apply(b); err != nil {
		t.Fatal(err)
	}
}

// find returns the IDs of all results in scope s, in ascending order.
func find(t testing.TB, x *search.Index, text string) []string {
	t.Helper()
	return query(t, x, search.Query{Scope: "s", Text: text, Limit: 1000})
}

// query checks the total against the results if the page holds all of them.
func query(t testing.TB, x *search.Index, q search.Query) []string {
	t.Helper()
	ids, total, err := x.Query(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if q.Offset == 0 && q.Limit > total && total != len(ids) {
		t.Errorf("query %+v: total %d, but %d results", q, total, len(ids))
	}
	return ids
}

func doc(id, title string) search.Document {
	return search.Document{ID: id, Scope: "s", Kind: "document", Title: title}
}

func TestWordsAreFoundByTheirBeginning(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	apply(t, x, search.Batch{Put: []search.Document{
		{ID: "1", Scope: "s", Title: "Rental contract", Texts: []string{"jane.doe@example.com", "Kaufvertrag_2024-03.pdf"}, Body: "The tenant pays."},
		{ID: "2", Scope: "s", Title: "Bob's lease", Texts: []string{"alice@example.com", "INV2024.pdf"}},
		{ID: "3", Scope: "other", Title: "Rental contract"},
	}})
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"rent", []string{"1"}},
		{"RENTAL Con", []string{"1"}},
		{"ental", nil},
		{"rental lease", nil},
		{"", []string{"1", "2"}},
		{"  ", []string{"1", "2"}},
		{"tenant", []string{"1"}},
		{"jane.doe@example.com", []string{"1"}},
		{"jane.doe@exa", []string{"1"}},
		{"doe", []string{"1"}},
		{"doe@example.com", []string{"1"}},
		{"example.com", []string{"1", "2"}},
		{"example", []string{"1", "2"}},
		{"bob@example.com", nil},
		{"alice@example.com", []string{"2"}},
		{"kaufvertrag_2024-03.pdf", []string{"1"}},
		{"kaufvertrag-2024", []string{"1"}},
		{"2024-03", []string{"1"}},
		{"03.pdf", []string{"1"}},
		{"pdf", []string{"1", "2"}},
		{"2024", []string{"1", "2"}},
		{"inv2024", []string{"2"}},
		{"rental-contract", []string{"1"}},
		{"bob", []string{"2"}},
		{"bob’s", []string{"2"}},
	} {
		if got := find(t, x, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q finds %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestPagesFollowTheOrder(t *testing.T) {
	alone(t)
	t.Parallel()
	const n = 3000
	x := open(t, "")
	for from := 0; from < n; from += 500 {
		var b search.Batch
		for i := from; i < from+500; i++ {
			d := doc(fmt.Sprintf("%06d", (i*7919)%n), "common word")
			d.Sort = map[string]string{"title": fmt.Sprintf("%03d", i%100)}
			if i%5 == 0 {
				d.Sort = nil
			}
			if i%1000 == 0 {
				d.Title = "rare common"
			}
			b.Put = append(b.Put, d)
		}
		apply(t, x, b)
	}
	for _, text := range []string{"", "common", "rare"} {
		for _, sort := range []string{"", "title", "nothing"} {
			all := query(t, x, search.Query{Scope: "s", Text: text, Sort: sort, Limit: n + 1})
			down := query(t, x, search.Query{Scope: "s", Text: text, Sort: sort, Limit: n + 1, Descending: true})
			slices.Reverse(down)
			if !slices.Equal(all, down) {
				t.Fatalf("%q by %q: descending is not the reverse of ascending", text, sort)
			}
			if sort != "title" && !slices.IsSorted(all) {
				t.Fatalf("%q by %q is not by ID", text, sort)
			}
			var pages []string
			for offset := 0; offset < len(all); offset += 7 {
				pages = append(pages, query(t, x, search.Query{Scope: "s", Text: text, Sort: sort, Offset: offset, Limit: 7})...)
			}
			if !slices.Equal(all, pages) {
				t.Fatalf("%q by %q: pages do not add up to the whole", text, sort)
			}
		}
	}
}

// alone skips a test in which nothing happens at the same time where -short asks for those that the race detector can
// tell something about.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing happens at the same time")
	}
}
