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
// BENCH_ROWS is the number of rows, BENCH_TURN the length of each turn of single sends.
func BenchmarkBulk(b *testing.B) {
	h := &bench{B: b, documents: 10_000, turn: 5 * time.Second}
	if v := os.Getenv("BENCH_ROWS"); v != "" {
		h.documents = must(strconv.Atoi(v))
	}
	if v := os.Getenv("BENCH_TURN"); v != "" {
		h.turn = must(time.ParseDuration(v))
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
	sends := func() (perSecond float64, each time.Duration) {
		used := p.processor()
		m, err := load(p.url, senders, h.turn, func(l *lean, _, _ int) error { return l.do(single) })
		h.check(err)
		return m.perSecond, (p.processor() - used) / time.Duration(len(m.took))
	}
	read := get("/documents", other)
	quiet, err := load(p.url, 1, h.turn, func(l *lean, _, _ int) error { return l.do(read) })
	h.check(err)

	before, eachBefore := sends()
	idle := p.status("VmRSS")
	began := time.Now()
	run := c.startBulk(h, template, h.documents)
	h.line("checked and stored", fmt.Sprintf("%.0f rows/s", float64(h.documents)/time.Since(began).Seconds()))
	began = time.Now()
	used := p.processor()
	h.finished(c, run)
	perSecond := float64(h.documents) / time.Since(began).Seconds()
	each := (p.processor() - used) / time.Duration(h.documents)
	highest := p.status("VmHWM")
	after, eachAfter := sends()
	// A company that works alone has the whole machine, and divides it with others that come.
	beside := c.startBulk(h, template, h.documents/4)
	busy := h.meanwhile(p.url, read, func() { h.finished(c, beside) })

	h.line(fmt.Sprintf("single sends, %d connections", senders), fmt.Sprintf("%.0f/s before, %.0f/s after", before, after))
	h.least("bulk run", fmt.Sprintf("%.0f/s", perSecond), perSecond/((before+after)/2), 1, " of single sends")
	h.most("processor time of a document", milliseconds(each), float64(each)/float64((eachBefore+eachAfter)/2), 1.25, " of a single send")
	h.line("another company's list, quiet", figures(quiet.took))
	h.line("another company's list, meanwhile", figures(busy.took))
	h.most("p99 of another company", "", busy.p(99).Seconds()*1000, 250, " ms")
	h.most("most memory above that of single sends", p.parts(), float64(highest-idle)/1024, 100, " MB")
	p.stop()
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
