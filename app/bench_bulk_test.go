package app_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkBulk measures a bulk run that sends one template to many people, next to single
// sends from the same template in the same run: documents per second, memory, and what
// another company notices meanwhile.
//
// They take turns with the same number of documents: a document costs more the larger the store
// is. Each turn begins when the server has nothing left to do from the one before, such as
// merging tables.
//
// BENCH_ROWS is the number of rows of all runs.
func BenchmarkBulk(b *testing.B) {
	h := &bench{B: b, documents: 10_000, turn: 5 * time.Second}
	if v := os.Getenv("BENCH_ROWS"); v != "" {
		h.documents = must(strconv.Atoi(v))
	}
	for range b.N {
		h.head(fmt.Sprintf("One template sent to %d people", h.documents))
		h.bulk()
		fmt.Printf("\n%d targets missed\n", h.missed)
	}
}

// senders is how many connections send single documents.
const senders = 16

func (h *bench) bulk() {
	_, p := h.start(filepath.Join(h.TempDir(), "bulk"), "serve")
	c := p.login()
	other := h.secondCompany(c)
	template := c.leaseTemplate(h)
	single := post("/templates/"+template+"/documents", c.token, "application/json",
		[]byte(`{"send":true,"people":[{"role":"Tenant","name":"Tim","email":"tim@tenant.example"}]}`))
	sends := func(n int) (perSecond float64, each time.Duration) {
		connections := make([]*lean, senders)
		for i := range connections {
			connections[i] = must(dialLean(p.url))
		}
		began, used := time.Now(), p.processor()
		h.check(inParallel(senders, n, func(i int) error { return connections[i%senders].do(single) }))
		perSecond, each = float64(n)/time.Since(began).Seconds(), (p.processor()-used)/time.Duration(n)
		for _, l := range connections {
			h.check(l.Close())
		}
		return perSecond, each
	}
	read := get("/documents", other)
	quiet, err := load(p.url, 1, h.turn, func(l *lean, _, _ int) error { return l.do(read) })
	h.check(err)

	var checked, singles, eachSingle, bulks, eachBulk []float64
	var above int // memory above that of single sends, in KB
	for range rounds {
		n := h.documents / rounds
		h.rest(p)
		perSecond, each := sends(n)
		singles, eachSingle = append(singles, perSecond), append(eachSingle, each.Seconds())
		use := p.watch()
		h.rest(p)
		began := time.Now()
		run := c.startBulk(h, template, n)
		checked = append(checked, float64(n)/time.Since(began).Seconds())
		began = time.Now()
		used := p.processor()
		h.finished(c, run)
		bulks = append(bulks, float64(n)/time.Since(began).Seconds())
		eachBulk = append(eachBulk, (p.processor()-used).Seconds()/float64(n))
		above = max(above, use.grown())
	}
	// A company that works alone has the whole machine, and divides it with others that come.
	beside := c.startBulk(h, template, h.documents/(2*rounds))
	busy := h.meanwhile(p.url, read, func() { h.finished(c, beside) })

	h.line("checked and stored", fmt.Sprintf("%.0f rows/s", median(checked)))
	h.line(fmt.Sprintf("single sends, %d connections", senders), fmt.Sprintf("%.0f/s", singles))
	h.least("bulk runs", fmt.Sprintf("%.0f/s", bulks), median(bulks)/median(singles), 1, " of single sends")
	h.most("processor time of a document", fmt.Sprintf("%.2f ms", median(eachBulk)*1000), median(eachBulk)/median(eachSingle), 1.25, " of a single send")
	h.line("another company's list, quiet", figures(quiet.took))
	h.line("another company's list, meanwhile", figures(busy.took))
	h.most("p99 of another company", "", busy.p(99).Seconds()*1000, 250, " ms")
	h.most("most memory above that of single sends", p.resident(), float64(above)/1024, 100, " MB")
	p.stop()
}

// rest waits until the server does almost nothing.
func (h *bench) rest(p *process) {
	for {
		before := p.processor()
		time.Sleep(500 * time.Millisecond)
		if p.processor()-before <= 20*time.Millisecond {
			return
		}
	}
}

// secondCompany adds a company and returns a token for it.
func (h *bench) secondCompany(c *client) (token string) {
	h.check(c.do(http.MethodPost, "/installation/companies", map[string]string{"name": "Other Ltd.", "email": adminEmail}, nil))
	var user struct{ Companies []struct{ Token string } }
	h.check(c.do(http.MethodPost, "/login", map[string]string{"email": adminEmail, "password": adminPassword}, &user))
	for _, company := range user.Companies {
		var own struct{ Name string }
		one := &client{http: c.http, url: c.url, token: company.Token}
		h.check(one.do(http.MethodGet, "/company", nil, &own))
		if own.Name == "Other Ltd." {
			return company.Token
		}
	}
	h.Fatal("the second company is missing")
	return ""
}

// finished waits until a run has made all its documents.
func (h *bench) finished(c *client, id string) {
	for {
		var r bulkRun
		h.check(c.do(http.MethodGet, "/bulk/"+id, nil, &r))
		if r.Failed > 0 {
			h.Fatalf("%d rows failed", r.Failed)
		}
		if r.Status == "finished" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// meanwhile repeats a request, a few times a second as a person would, while something else
// goes on.
func (h *bench) meanwhile(url string, request []byte, wait func()) measured {
	l := must(dialLean(url))
	var over atomic.Bool
	ended := make(chan error, 1)
	go func() {
		var err error
		for err == nil && !over.Load() {
			err = l.do(request)
			time.Sleep(50 * time.Millisecond)
		}
		ended <- errors.Join(err, l.Close())
	}()
	wait()
	over.Store(true)
	h.check(<-ended)
	return measured{took: slices.Sorted(slices.Values(l.took))}
}
