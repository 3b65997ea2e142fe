package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/search"
)

// TestAnyTextIsAQuery checks that no text is treated as syntax, fails or is slow.
func TestAnyTextIsAQuery(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	apply(t, x, search.Batch{Put: []search.Document{
		doc("1", "Rental contract AND OR NOT title:foo"),
		doc("2", `quote " backslash \ slash / star * 100%`),
	}})
	for _, tt := range []struct {
		text string
		want []string
	}{
		{`"rental contract"`, []string{"1"}},
		{`"rental`, []string{"1"}},
		{"rental AND contract", []string{"1"}},
		{"+rental -contract", []string{"1"}},
		{"title:foo", []string{"1"}},
		{"title:rental", []string{"1"}},
		{"rent*", []string{"1"}},
		{"r?ntal", nil},
		{"/ren.*/", []string{"1"}},
		{"rental~2", nil},
		{"rental^5", nil},
		{"(rental) [contract] {not}", []string{"1"}},
		{`\`, nil}, {"*", nil}, {"???", nil}, {`""`, nil}, {"&&", nil}, {"()", nil}, {"\x00", nil}, {"-", nil},
		{"rental\x00contract", []string{"1"}},
		{"rental\xff\xfecontract", []string{"1"}},
		{"\xff", nil},
		{"rental\u200bcontract", nil},
		{"' OR 1=1 --", nil},
		{"<script>quote</script>", nil},
		{"100%", []string{"2"}},
		{"\t\n\r \u00a0\u3000", []string{"1", "2"}},
		{"rental " + strings.Repeat("rental ", 20_000), []string{"1"}},
		{strings.Repeat("(", 100_000), nil},
		{strings.Repeat("a", 100_000), nil},
		{strings.Repeat("z.", 50_000), nil},
		{strings.Repeat("ﷺ", 30_000), nil},
		{strings.Repeat("契約", 30_000), nil},
		{strings.Repeat("e\u0301", 50_000), nil},
	} {
		began := time.Now()
		if got := find(t, x, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%.40q finds %v, want %v", tt.text, got, tt.want)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%.40q took %v", tt.text, took)
		}
	}
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "w%d ", i)
	}
	if got := find(t, x, many.String()); got != nil {
		t.Errorf("many words find %v", got)
	}
	// Words after the first ones do not count.
	if got := find(t, x, "rental contract and or not title foo "+strings.Repeat("\u3000", 5000)+"nonsense"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("got %v", got)
	}
}

func TestPagesOutOfRange(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "a"), doc("2", "a"), doc("3", "a")}})
	for _, tt := range []struct {
		offset, limit int
		want          []string
	}{
		{0, 0, nil}, {0, -1, nil}, {3, 1, nil}, {math.MaxInt, math.MaxInt, nil},
		{-5, 1, []string{"1"}}, {2, math.MaxInt, []string{"3"}}, {1, 1, []string{"2"}}, {0, math.MaxInt, []string{"1", "2", "3"}},
	} {
		got, total, err := x.Query(t.Context(), search.Query{Scope: "s", Offset: tt.offset, Limit: tt.limit})
		if err != nil || total != 3 || !slices.Equal(got, tt.want) {
			t.Errorf("%d, %d: %v of %d, %v, want %v", tt.offset, tt.limit, got, total, err, tt.want)
		}
	}
}

func TestFiltersAndWalls(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	put := func(id, scope, kind string, filters ...string) search.Document {
		return search.Document{ID: id, Scope: scope, Kind: kind, Title: "word", Filters: filters}
	}
	apply(t, x, search.Batch{Put: []search.Document{
		put("1", "s", "document", "status:1", "active"),
		put("2", "s", "document", "status:2", "active"),
		put("3", "s", "document", "status:2", "trashed"),
		put("4", "s", "template", "status:2", "active"),
		put("5", "t", "document", "status:2", "active"),
		put("6", "", "document"),
		put("7", "s\x00document", "document", "k\x00document"),
	}})
	for _, tt := range []struct {
		name string
		q    search.Query
		want []string
	}{
		{"scope", search.Query{Scope: "s"}, []string{"1", "2", "3", "4"}},
		{"kind", search.Query{Scope: "s", Kind: "document"}, []string{"1", "2", "3"}},
		{"and of ors", search.Query{Scope: "s", Filters: [][]string{{"status:1", "status:2"}, {"active"}}}, []string{"1", "2", "4"}},
		{"all together", search.Query{Scope: "s", Kind: "document", Text: "wor", Filters: [][]string{{"status:2"}, {"active"}}}, []string{"2"}},
		{"a prefix of a filter", search.Query{Scope: "s", Filters: [][]string{{"status:"}}}, nil},
		{"an or of nothing", search.Query{Scope: "s", Filters: [][]string{{}}}, nil},
		{"a filter is no scope", search.Query{Scope: "active"}, nil},
		{"a scope is no filter", search.Query{Scope: "s", Filters: [][]string{{"t"}, {"s"}}}, nil},
		{"no scope is a scope", search.Query{}, []string{"6"}},
		{"a filter is no text", search.Query{Scope: "s", Text: "active"}, nil},
		{"nul in a scope", search.Query{Scope: "s\x00document"}, []string{"7"}},
	} {
		tt.q.Limit = 100
		if got := query(t, x, tt.q); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestDocumentsAreReplacedAndDeleted(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "first"), doc("1", "second"), doc("2", "gone")}})
	apply(t, x, search.Batch{Put: []search.Document{doc("3", "third"), doc("1", "latest")}, Delete: []string{"2", "3", "never there"}})
	for text, want := range map[string][]string{"first": nil, "second": nil, "latest": {"1"}, "gone": nil, "third": {"3"}, "": {"1", "3"}} {
		if got := find(t, x, text); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
	for name, b := range map[string]search.Batch{
		"no ID":           {Put: []search.Document{doc("4", "a"), {Scope: "s", Title: "a"}}, Place: 9},
		"deletion, no ID": {Delete: []string{""}, Place: 9},
	} {
		if err := x.Apply(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if x.Place() != 0 || len(find(t, x, "a")) != 0 {
		t.Error("a refused batch had an effect")
	}
}

// TestLargeDocuments checks that large and odd documents are accepted, up to the limit of their
// text.
func TestLargeDocuments(t *testing.T) {
	alone(t)
	t.Parallel()
	x := open(t, "")
	var body strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&body, "w%06d ", i)
	}
	apply(t, x, search.Batch{Put: []search.Document{
		{ID: "1", Scope: "s", Title: "large", Body: body.String(), Sort: map[string]string{"k": strings.Repeat("\xff", 1000)}},
		{ID: "2", Scope: "s", Title: "odd \xff\xfe\x00", Body: strings.Repeat("契", 1<<20), Sort: map[string]string{"k": "\xfe"}},
		{ID: "3", Scope: "s", Title: strings.Repeat("x", 1<<20)},
		{ID: strings.Repeat("4", 3000), Scope: strings.Repeat("s", 3000), Filters: []string{strings.Repeat("f", 3000), ""}},
	}})
	for text, want := range map[string][]string{"w000001 w100": {"1"}, "w299999": nil, "契契": {"2"}, strings.Repeat("x", 70): {"3"}} {
		if got := find(t, x, text); !slices.Equal(got, want) {
			t.Errorf("%.20q finds %v, want %v", text, got, want)
		}
	}
	if got := query(t, x, search.Query{Scope: "s", Sort: "k", Limit: 9}); !slices.Equal(got, []string{"3", "2", "1"}) {
		t.Errorf("by k: %v", got)
	}
}

func TestQueriesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "a")}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := x.Query(ctx, search.Query{Scope: "s", Text: "a", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

// TestManyAtOnce runs readers, a writer and resets concurrently: every answer reflects a state
// that existed.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				ids, total, err := x.Query(context.Background(), search.Query{Scope: "s", Text: "pair", Limit: 1000})
				if err != nil || total != len(ids) || total%2 != 0 {
					t.Errorf("%d of %d, %v", len(ids), total, err)
					return
				}
				if _, err := x.Stats(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 60 {
		if i == 30 {
			if err := x.Reset(); err != nil {
				t.Fatal(err)
			}
			x.Place()
		}
		apply(t, x, search.Batch{Put: []search.Document{doc(fmt.Sprintf("%d a", i%10), "pair"), doc(fmt.Sprintf("%d b", i%10), "pair")}, Place: uint64(i + 1)})
	}
	close(done)
	wg.Wait()
}

func FuzzQuery(f *testing.F) {
	x, err := search.Open(search.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = x.Close() })
	for _, s := range []string{"rent", "jane.doe@example.com", "契約書", "e\u0301", "a.b-c_d", "\xff", "สัญญา 12", "inv2024 ١٢"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// A document is found by its own text, whatever that is.
		if err := x.Apply(search.Batch{Put: []search.Document{doc("1", text)}}); err != nil {
			t.Fatal(err)
		}
		ids, _, err := x.Query(t.Context(), search.Query{Scope: "s", Text: text, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) == 0 && strings.ContainsFunc(text, func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }) {
			t.Errorf("%q does not find itself", text)
		}
	})
}
