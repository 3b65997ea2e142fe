package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkSoak keeps a server under mixed load and fails if its resources leak:
// memory, goroutines, file handles, and the disk space per round.
//
// SOAKTIME is its duration.
func BenchmarkSoak(b *testing.B) {
	h := &bench{B: b, turn: time.Hour}
	if v := os.Getenv("SOAKTIME"); v != "" {
		h.turn = must(time.ParseDuration(v))
	}
	for range b.N {
		h.head(fmt.Sprintf("Mixed load for %v: %d people, each signing, listing, searching and deleting", h.turn, teamSize))
		h.soak()
		fmt.Printf("\n%d targets missed\n", h.missed)
	}
	if h.missed > 0 {
		b.Error("the server leaks resources")
	}
}

// soakSamples is how many samples are taken. The first third is for warming up;
// the other two are compared.
const soakSamples = 18

// held describes the resources of a server at one moment.
type held struct {
	memory, goroutines, handles float64
	disk                        float64 // of the records, in KB
	rounds                      int     // of the load so far
}

func (h *bench) soak() {
	dir := filepath.Join(h.TempDir(), "soak")
	socket := filepath.Join(h.TempDir(), "metrics")
	p := launch(h.B, []string{"PARAPH_ADMIN_EMAIL=" + adminEmail, "PARAPH_ADMIN_PASSWORD=" + adminPassword}, dir, "serve", "metrics.listen=unix:"+socket)
	token := p.login().token
	content := smallPDF("Soak", 100_000)
	var samples []held
	rounds := 0
	for range soakSamples {
		took := h.work(p.url, h.turn/soakSamples, func(l *lean, _, _ int) error { return h.soakRound(l, token, content) })
		rounds += len(took) / requestsPerRound
		s := h.sample(p, socket, dir)
		s.rounds = rounds
		samples = append(samples, s)
		h.line(fmt.Sprintf("%d rounds", rounds), fmt.Sprintf("%.0f MB, %.0f goroutines, %.0f file handles, %.0f MB of records", s.memory, s.goroutines, s.handles, s.disk/1024))
	}
	h.steady(samples)
	p.stop()
}

// requestsPerRound is how many requests soakRound sends.
const requestsPerRound = 10

// soakRound has a document signed, looks for it, and deletes it.
func (h *bench) soakRound(l *lean, token string, content []byte) error {
	id, err := h.signed(l, token, content)
	if err != nil {
		return err
	}
	for _, request := range [][]byte{
		get("/documents", token),
		get("/documents/"+id, token),
		get("/documents?search=upload", token),
		send(http.MethodDelete, "/documents/"+id, token),
	} {
		if err := l.do(request); err != nil {
			return err
		}
	}
	return nil
}

// send returns a request without a body.
func send(method, path, token string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\n\r\n", method, path, token)
}

func (h *bench) sample(p *process, socket, dir string) held {
	return held{
		memory: float64(p.inUse()) / 1024, goroutines: h.goroutines(socket), handles: float64(h.handles(p)),
		disk: float64(spaceOf(filepath.Join(dir, "kv"))) / 1024,
	}
}

// handles counts the open files, except for the store's tables: there is one for every 512 KB of
// records, which are judged themselves.
func (h *bench) handles(p *process) (n int) {
	dir := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	open, err := os.ReadDir(dir)
	h.check(err)
	for _, f := range open {
		// One closed meanwhile is no longer open.
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil && filepath.Ext(to) != ".sst" {
			n++
		}
	}
	return n
}

var countOfGoroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutines reads the figures for Prometheus.
func (h *bench) goroutines(socket string) float64 {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	r, err := client.Get("http://metrics/metrics")
	h.check(err)
	b, err := io.ReadAll(r.Body)
	h.check(errors.Join(err, r.Body.Close()))
	found := countOfGoroutines.FindSubmatch(b)
	if found == nil {
		h.Fatal("no metric for goroutines")
	}
	return must(strconv.ParseFloat(string(found[1]), 64))
}

// steady compares the last third of the samples with the middle one.
func (h *bench) steady(samples []held) {
	third := len(samples) / 3
	first, middle, last := samples[third-1], samples[third:2*third], samples[2*third:]
	ratio := func(of func(held) float64, slack float64) float64 {
		each := func(s []held) (all []float64) {
			for _, one := range s {
				all = append(all, of(one))
			}
			return all
		}
		return median(each(last)) / (median(each(middle)) + slack)
	}
	h.most("memory, compared with before", "", ratio(func(s held) float64 { return s.memory }, 16), 1.1, " times")
	h.most("goroutines", "", ratio(func(s held) float64 { return s.goroutines }, 20), 1.1, " times")
	h.most("file handles", "", ratio(func(s held) float64 { return s.handles }, 20), 1.1, " times")
	perRound := func(from, to held) float64 { return (to.disk - from.disk) / float64(max(1, to.rounds-from.rounds)) }
	middleEnd, end := middle[len(middle)-1], last[len(last)-1]
	// Tables await compaction, so what remains is compared with all that was written.
	h.most("KB of records kept for each round", fmt.Sprintf("%.1f before", perRound(first, middleEnd)), perRound(middleEnd, end),
		2*max(perRound(first, middleEnd), diskPerRound), " KB")
	h.line("most memory", fmt.Sprintf("%.0f MB", slices.MaxFunc(samples, func(a, b held) int { return int(a.memory - b.memory) }).memory))
}

// diskPerRound is roughly the size of a signed document, in KB.
const diskPerRound = 40
