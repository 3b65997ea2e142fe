//go:build unix

package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paraph/search"
)

// benchSize is the number of documents in the benchmarks: SEARCH_BENCH_DOCS, or 10,000.
func benchSize(b *testing.B) int {
	b.Helper()
	n, err := strconv.Atoi(os.Getenv("SEARCH_BENCH_DOCS"))
	if err != nil {
		return 10_000
	}
	return n
}

// cpu reports the processor time of each operation, which depends less on other work on the
// machine than the elapsed time.
func cpu(b *testing.B) (report func()) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := used()
	return func() { b.ReportMetric(float64((used()-began).Microseconds())/float64(b.N), "cpu-µs/op") }
}

// corpus makes documents with a word distribution like that of real texts: the most common
// words in seven of ten, the rare ones in one of a thousand.
type corpus struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newCorpus() *corpus {
	random := rand.New(rand.NewPCG(1, 2))
	return &corpus{random: random, zipf: rand.NewZipf(random, 1.1, 20, 50_000)}
}

func (c *corpus) words(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s ", word(c.zipf.Uint64()))
	}
	return b.String()
}

// word spells a number in syllables.
func word(n uint64) string {
	syllables := []string{"ka", "lo", "mi", "ne", "ru", "ta", "vo", "si", "be", "du"}
	var b strings.Builder
	for n += 100; n > 0; n /= 10 {
		b.WriteString(syllables[n%10])
	}
	return b.String()
}

func (c *corpus) document(i, body int) search.Document {
	title := fmt.Sprintf("Contract %d %s", i, c.words(3))
	return search.Document{
		ID: fmt.Sprintf("01HZ%022d", i), Scope: "company", Kind: "document", Title: title,
		Texts:   []string{fmt.Sprintf("signer%d@example.com", i), fmt.Sprintf("contract_%d.pdf", i)},
		Body:    c.words(body),
		Filters: []string{"status:" + strconv.Itoa(i%6), "active"},
		Sort:    map[string]string{"title": strings.ToLower(title), "updated_at": fmt.Sprintf("%020d", c.random.Int64())},
	}
}

// loaded returns an index of n documents.
func loaded(b *testing.B, n int) *search.Index {
	b.Helper()
	x := open(b, b.TempDir())
	c := newCorpus()
	for from := 0; from < n; from += 1000 {
		var batch search.Batch
		for i := from; i < min(from+1000, n); i++ {
			batch.Put = append(batch.Put, c.document(i, 300))
		}
		apply(b, x, batch)
	}
	for i := range 200 {
		apply(b, x, search.Batch{Put: []search.Document{c.document(i*n/200, 300)}})
	}
	return x
}

func BenchmarkQuery(b *testing.B) {
	n := benchSize(b)
	x := loaded(b, n)
	filters := [][]string{{"active"}, {"status:2", "status:3"}}
	for _, bb := range []struct {
		name string
		q    search.Query
	}{
		{"everything", search.Query{}},
		{"in all titles", search.Query{Text: "contract"}},
		{"one letter", search.Query{Text: "k"}},
		{"common", search.Query{Text: word(0)}},
		{"medium", search.Query{Text: word(500)}},
		{"rare", search.Query{Text: word(20_000)}},
		{"e-mail", search.Query{Text: "signer77@example.com"}},
		{"e-mails beginning", search.Query{Text: "signer"}},
		{"two words, filters", search.Query{Text: "contract " + word(3), Filters: filters}},
		{"common by title", search.Query{Text: word(0), Sort: "title"}},
		{"rare by title", search.Query{Text: word(20_000), Sort: "title"}},
		{"medium by updated", search.Query{Text: word(500), Sort: "updated_at"}},
		{"common, middle page", search.Query{Text: "contract", Offset: n / 2}},
		{"common, last page", search.Query{Text: "contract", Offset: n - 20}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			q := bb.q
			q.Scope, q.Kind, q.Limit = "company", "document", 20
			q.Descending = q.Sort == ""
			began := time.Now()
			if _, _, err := x.Query(b.Context(), q); err != nil {
				b.Fatal(err)
			}
			first := time.Since(began)
			total, report := 0, cpu(b)
			for b.Loop() {
				var err error
				if _, total, err = x.Query(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
			report()
			b.ReportMetric(float64(first.Microseconds()), "µs-first")
			b.ReportMetric(float64(total), "hits")
		})
	}
	s, err := x.Stats()
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d documents, %d segments, %d MB", s.Documents, s.Segments, s.DiskBytes>>20)
}

func BenchmarkQueryParallel(b *testing.B) {
	x := loaded(b, benchSize(b))
	b.ResetTimer()
	defer cpu(b)()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			q := search.Query{Scope: "company", Kind: "document", Text: word(uint64(i % 300)), Limit: 20, Descending: true}
			if _, _, err := x.Query(b.Context(), q); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	for _, bb := range []struct{ batch, body int }{{1, 0}, {1, 300}, {100, 0}, {100, 300}, {1000, 300}} {
		b.Run(fmt.Sprintf("%d documents of %d words", bb.batch, bb.body), func(b *testing.B) {
			x := open(b, b.TempDir())
			c := newCorpus()
			docs := make([]search.Document, 0, 4000)
			for i := range cap(docs) {
				docs = append(docs, c.document(i, bb.body))
			}
			at, place, report := 0, uint64(0), cpu(b)
			for b.Loop() {
				if at+bb.batch > len(docs) {
					at = 0
				}
				place++
				apply(b, x, search.Batch{Put: docs[at : at+bb.batch], Place: place})
				at += bb.batch
			}
			report()
			b.ReportMetric(float64(bb.batch)*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	x, err := search.Open(search.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	c := newCorpus()
	var batch search.Batch
	for i := range 10_000 {
		batch.Put = append(batch.Put, c.document(i, 100))
	}
	apply(b, x, batch)
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		x, err := search.Open(search.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenTemporary(b *testing.B) {
	for b.Loop() {
		x, err := search.Open(search.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
