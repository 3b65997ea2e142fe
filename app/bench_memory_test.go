package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// BenchmarkMemory measures the memory that a server uses: idle, while many documents are created
// at once, and after a rest.
//
// BENCH_CREATES is the number of documents, BENCH_REST the length of the rest.
func BenchmarkMemory(b *testing.B) {
	h := &bench{B: b, documents: 50_000}
	if v := os.Getenv("BENCH_CREATES"); v != "" {
		h.documents = must(strconv.Atoi(v))
	}
	rest := time.Minute
	if v := os.Getenv("BENCH_REST"); v != "" {
		rest = must(time.ParseDuration(v))
	}
	for range b.N {
		h.head(fmt.Sprintf("Memory: %d documents made by %d writers", h.documents, writers))
		h.memory(rest)
		fmt.Printf("\n%d targets missed\n", h.missed)
	}
}

// writers is the number of connections that create documents concurrently.
const writers = 64

func (h *bench) memory(rest time.Duration) {
	dir := filepath.Join(h.TempDir(), "memory")
	_, p := h.start(dir, "serve")
	h.most("in use when idle", p.resident(), float64(p.inUse())/1024, 60, " MB")
	token := p.login().token
	create := post("/documents", token, "application/json",
		[]byte(`{"title":"Lease of a windmill","invitations":[{"name":"Sam Signer","email":"sam@signer.example"}]}`))
	began := time.Now()
	use := p.watch()
	h.check(h.times(p.url, h.documents, func(l *lean) error { return l.do(create) }))
	h.line("creates", fmt.Sprintf("%.0f/s", float64(h.documents)/time.Since(began).Seconds()))
	h.most("most in use meanwhile", p.resident(), float64(use.most())/1024, 256, " MB")
	time.Sleep(rest)
	h.most(fmt.Sprintf("in use %v later", rest), p.resident(), float64(p.inUse())/1024, 80, " MB")
	h.line("on disk", fmt.Sprintf("%d MB of records, %d MB of index", spaceOf(filepath.Join(dir, "kv"))>>20, spaceOf(filepath.Join(dir, "search"))>>20))
	p.stop()
}

// times lets all writers together repeat an action n times.
func (h *bench) times(url string, n int, act func(l *lean) error) error {
	errs := make([]error, writers)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			l, err := dialLean(url)
			if err != nil {
				errs[w] = err
				return
			}
			for i := w; i < n && err == nil; i += writers {
				l.took = l.took[:0]
				err = act(l)
			}
			errs[w] = errors.Join(err, l.Close())
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// resident describes the resident memory of a process, mapped files included, which is what the
// system makes of it.
func (p *process) resident() string {
	return fmt.Sprintf("resident %d MB, at most %d MB", p.status("VmRSS")/1024, p.status("VmHWM")/1024)
}
