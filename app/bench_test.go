package app_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
)

// BenchmarkHouse measures the whole appliance over loopback, and bare baselines
// next to it in the same run: a figure alone says more about the machine than
// about the appliance. Turns are short and alternate, so that other load on the
// machine affects all of them; the median of their ratios counts.
//
// BENCH_DOCUMENTS is the number of documents in the lists, BENCH_TURN the
// length of a turn.
func BenchmarkHouse(b *testing.B) {
	h := &bench{B: b, documents: 100_000, turn: time.Second}
	if v := os.Getenv("BENCH_DOCUMENTS"); v != "" {
		h.documents = must(strconv.Atoi(v))
	}
	if v := os.Getenv("BENCH_TURN"); v != "" {
		h.turn = must(time.ParseDuration(v))
	}
	for range b.N {
		h.run()
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// bench is one run.
type bench struct {
	*testing.B
	documents int
	turn      time.Duration
	missed    int
}

func (h *bench) run() {
	h.head("Start and memory")
	h.starts()
	full := filepath.Join(h.TempDir(), "full")
	h.fill(full)
	h.head(fmt.Sprintf("Reading, 16 connections, %d documents", h.documents))
	h.reads(full)
	h.head("Writing, on disk when answered")
	h.writes()
	h.head("The whole cycle: create, upload 200 KB, invite, send, sign, download")
	h.cycles()
	h.head("One signature appended to 10 MB")
	h.largeSignature()
	fmt.Printf("\n%d targets missed\n", h.missed)
}

func (h *bench) head(text string) { fmt.Printf("\n%s\n", text) }

// line prints a figure that has no target.
func (h *bench) line(what, figure string) { fmt.Printf("  %-44s %s\n", what, figure) }

// most prints a value that should not be above a target; least one that should
// not be below.
func (h *bench) most(what, figure string, value, target float64, unit string) {
	h.judge(what, figure, fmt.Sprintf("%.2f%s, at most %g%s", value, unit, target, unit), value/target)
}

func (h *bench) least(what, figure string, value, target float64, unit string) {
	h.judge(what, figure, fmt.Sprintf("%.2f%s, at least %g%s", value, unit, target, unit), target/value)
}

func (h *bench) judge(what, figure, verdict string, over float64) {
	mark := ""
	switch {
	case over > 2:
		mark = fmt.Sprintf("   <<< MISSED by %.1f", over)
	case over > 1:
		mark = fmt.Sprintf("   < missed by %.2f", over)
	}
	if over > 1 {
		h.missed++
	}
	fmt.Printf("  %-44s %-34s %s%s\n", what, figure, verdict, mark)
}

func (h *bench) check(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func median[T cmp.Ordered](v []T) T {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

// starts measures the time from the start of the process to the first response
// of /readyz.
func (h *bench) starts() {
	dir := filepath.Join(h.TempDir(), "empty")
	var firsts, empties, doubles []float64
	var idle []int
	for i := range 3 {
		took, p := h.start(fmt.Sprintf("%s-%d", dir, i), "serve")
		firsts = append(firsts, took.Seconds())
		time.Sleep(idleFor)
		idle = append(idle, p.inUse())
		p.stop()
		took, p = h.start(fmt.Sprintf("%s-%d", dir, i), "serve")
		empties = append(empties, took.Seconds())
		p.stop()
		took, p = h.start(dir, "dev")
		doubles = append(doubles, took.Seconds())
		p.stop()
	}
	h.most("start to /readyz, new folder", "", median(firsts), 0.3, " s")
	h.most("start to /readyz, empty folder", "", median(empties), 0.3, " s")
	h.most("start to /readyz, paraph dev", "", median(doubles), 0.5, " s")
	h.most(fmt.Sprintf("memory in use when idle for %v", idleFor), "", float64(median(idle))/1024, 60, " MB")
}

// idleFor is how long a server must be idle before its memory is measured.
const idleFor = 5 * time.Second

func (h *bench) start(dir, command string, settings ...string) (time.Duration, *process) {
	binary(h.B)
	began := time.Now()
	p := launch(h.B, []string{"PARAPH_ADMIN_EMAIL=" + adminEmail, "PARAPH_ADMIN_PASSWORD=" + adminPassword}, dir, command, settings...)
	l := must(dialLean(p.url))
	p.until("it is ready", func() (string, bool) {
		err := l.do(get("/readyz", ""))
		return fmt.Sprint(err), err == nil
	})
	took := time.Since(began)
	h.check(l.Close())
	return took, p
}

// Words of titles: every fifth document has one of the first, one in a thousand
// the rare one.
var subjects = []string{"Lease", "Sale", "Loan", "Gift", "Licence"}

const rareWord = "windmill"

// fill creates the documents, without HTTP.
func (h *bench) fill(dir string) {
	cfg := app.Default()
	cfg.Server.Listen, cfg.Data.Dir, cfg.Data.Reserve = "127.0.0.1:0", dir, app.MB
	cfg.Admin = app.AdminConfig{Email: adminEmail, Password: adminPassword}
	a := must(app.Open(cfg, app.Options{Worker: []string{binary(h.B), app.WorkerCommand}}))
	ctx, stop := context.WithCancel(h.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	who := must(a.Accounts.Operator.ActorFor(adminEmail, ""))
	began := time.Now()
	h.check(inParallel(64, h.documents, func(i int) error { return h.make(ctx, a, account.Call{Actor: who}, i) }))
	h.line("made directly", fmt.Sprintf("%.0f documents/s", float64(h.documents)/time.Since(began).Seconds()))
	deadline := time.Now().Add(15 * time.Minute)
	for {
		page, err := a.Signing.Lists.List(ctx, account.Call{Actor: who}, lists.Query{Page: 1, PerPage: 1, Search: "contract"})
		h.check(err)
		if page.Total == h.documents || time.Now().After(deadline) {
			h.line("and all indexed", fmt.Sprintf("%.0f documents/s", float64(page.Total)/time.Since(began).Seconds()))
			break
		}
	}
	stop()
	h.check(errors.Join(<-ended, a.Close()))
}

func (h *bench) make(ctx context.Context, a *app.App, who account.Call, i int) error {
	title := fmt.Sprintf("%s contract %d", subjects[i%len(subjects)], i*7919%1_000_003)
	if i%1000 == 0 {
		title += " " + rareWord
	}
	name, email := "Sam Signer", fmt.Sprintf("sam%d@signer.example", i)
	_, err := a.Signing.Drafts.Create(ctx, who, signing.CreateInput{DocumentInput: record.DocumentInput{Title: &title},
		Invitations: []record.InvitationInput{{Name: &name, Email: &email}}})
	return err
}

// inParallel runs fn for 0 to n-1.
func inParallel(workers, n int, fn func(i int) error) error {
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			var err error
			for i := w; i < n && err == nil; i += workers {
				err = fn(i)
			}
			errs <- err
		}()
	}
	var all []error
	for range workers {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

// rounds is the number of turns.
const rounds = 3

// reads compares every kind of read with the bare handler.
func (h *bench) reads(dir string) {
	took, p := h.start(dir, "serve")
	h.most("start to /readyz", "", took.Seconds(), 1, " s")
	token := p.login().token
	use := p.watch()
	bare := h.bare()
	l := must(dialLean(p.url))
	h.check(l.do(get("/documents", token)))
	id := l.id(0)
	h.check(l.Close())

	last := (h.documents + 19) / 20
	paths := []string{"", "/documents", "/documents/" + id, fmt.Sprintf("/documents?page=%d", last), fmt.Sprintf("/documents?page=%d", last/2),
		"/documents?status=draft", "/documents?sort=title%7Casc", "/documents?sort=updated_at%7Cdesc", "/documents?search=" + rareWord, "/documents?search=lease"}
	rates := make([][]float64, len(paths))
	p50 := make([][]time.Duration, len(paths))
	for range rounds {
		for i, path := range paths {
			url, request := p.url, get(path, token)
			if path == "" {
				url, request = bare.url, get("/", bareToken())
			}
			m, err := load(url, 16, h.turn, func(l *lean, _, _ int) error { return l.do(request) })
			h.check(err)
			rates[i], p50[i] = append(rates[i], m.perSecond), append(p50[i], m.p(50))
		}
	}
	figure := func(i int) string {
		return fmt.Sprintf("%7.0f/s   p50 %s", median(rates[i]), milliseconds(median(p50[i])))
	}
	ratio := func(i, j int) float64 {
		var all []float64
		for r := range rounds {
			all = append(all, rates[i][r]/rates[j][r])
		}
		return median(all)
	}
	h.line("bare: verify a JWT, send 8 KB", figure(0))
	h.least("page 1 of 20, with total", figure(1), ratio(1, 0), 0.30, " of bare")
	h.least("get one", figure(2), ratio(2, 0), 0.5, " of bare")
	h.most("last page", figure(3), ratio(1, 3), 1.5, " of page 1")
	h.most("middle page", figure(4), ratio(1, 4), 5, " of page 1")
	h.most("one status", figure(5), ratio(1, 5), 1.5, " of page 1")
	h.most("sorted by title", figure(6), ratio(1, 6), 1.5, " of page 1")
	h.most("sorted by updated", figure(7), ratio(1, 7), 1.5, " of page 1")
	h.line("search, a word of one title in 1000", figure(8))
	h.line("search, a word of one title in 5", figure(9))
	h.most("most memory in use", p.resident(), float64(use.most())/1024, 256, " MB")
	p.stop()
	bare.kill()
}

// bare starts the baseline in another process of this program.
func (h *bench) bare() *process {
	cmd := exec.Command(must(os.Executable()), bareCommand, h.TempDir())
	cmd.Env = environ()
	return begin(h.B, cmd)
}

// writes measures creating and uploading.
func (h *bench) writes() {
	_, p := h.start(filepath.Join(h.TempDir(), "writes"), "serve")
	token := p.login().token
	request := newDocument(token)
	create := func(l *lean, _, _ int) error { return l.do(request) }
	var one, many, ratios []float64
	var p50 []time.Duration
	for range rounds {
		m, err := load(p.url, 1, h.turn, create)
		h.check(err)
		n, err := load(p.url, 64, h.turn, create)
		h.check(err)
		one, many, ratios = append(one, m.perSecond), append(many, n.perSecond), append(ratios, n.perSecond/m.perSecond)
		p50 = append(p50, m.p(50))
	}
	h.line("create, one writer", fmt.Sprintf("%7.0f/s   p50 %s", median(one), milliseconds(median(p50))))
	h.least("create, 64 writers", fmt.Sprintf("%7.0f/s", median(many)), median(ratios), 5, " of one writer")
	h.createFloor()

	store := must(blob.Open(filepath.Join(h.TempDir(), "floor"), blob.Options{Reserve: 1}))
	bare := h.bare()
	content := smallPDF("Upload", 200_000)
	var uploads, floors, ratio, bares []float64
	for range rounds {
		m, err := load(p.url, 16, h.turn, func(l *lean, worker, i int) error {
			if i == 0 {
				if err := l.do(request); err != nil {
					return err
				}
			}
			return h.upload(l, token, content)
		})
		h.check(err)
		n := h.repeat(16, func() error {
			_, err := store.Put(h.Context(), bytes.NewReader(unique(content)))
			return err
		})
		r, err := load(bare.url, 16, h.turn, func(l *lean, _, _ int) error {
			return l.do(post("/", bareToken(), "application/pdf", unique(content)))
		})
		h.check(err)
		uploads, floors, ratio = append(uploads, m.perSecond), append(floors, n), append(ratio, m.perSecond/n)
		bares = append(bares, r.perSecond)
	}
	bare.kill()
	h.line("200 KB written, synced and named, no HTTP", fmt.Sprintf("%7.0f/s", median(floors)))
	h.line("the same by the bare handler", fmt.Sprintf("%7.0f/s   %.2f of that", median(bares), median(bares)/median(floors)))
	h.line("create and upload 200 KB, 16 connections", fmt.Sprintf("%7.0f/s   %.2f of that", median(uploads), median(ratio)))
	began := time.Now()
	p.stop()
	h.most("stopping after that", "", time.Since(began).Seconds(), 2, " s")
}

// newDocument returns the request to create one without a file.
func newDocument(token string) []byte {
	return post("/documents", token, "application/json", []byte(`{"title":"Lease of a windmill","metadata":{"order":"1234"}}`))
}

// upload creates a document with a unique file.
func (h *bench) upload(l *lean, token string, content []byte) error {
	if err := l.do(post("/documents", token, "application/json", []byte(`{"title":"Upload"}`))); err != nil {
		return err
	}
	body, contentType := form("upload.pdf", unique(content))
	return l.do(post("/documents/"+l.id(0)+"/upload", token, contentType, body))
}

// unique changes an unused part of one of our PDFs, so that its hash is new.
func unique(pdf []byte) []byte {
	pdf = bytes.Clone(pdf)
	copy(pdf[bytes.Index(pdf, []byte("7 0 obj"))+100:], ulid.Make().String())
	return pdf
}

// repeat runs fn in parallel for a turn, and returns the calls per second.
func (h *bench) repeat(workers int, fn func() error) float64 {
	done := make(chan int, workers)
	began := time.Now()
	for range workers {
		go func() {
			n := 0
			for ; time.Since(began) < h.turn; n++ {
				if err := fn(); err != nil {
					h.Error(err)
					break
				}
			}
			done <- n
		}()
	}
	total := 0
	for range workers {
		total += <-done
	}
	return float64(total) / time.Since(began).Seconds()
}

// cycles compares the whole cycle with its storage floor.
func (h *bench) cycles() {
	dir := filepath.Join(h.TempDir(), "cycles")
	_, p := h.start(dir, "serve")
	token := p.login().token
	use := p.watch()
	content := smallPDF("Cycle", 200_000)
	l := must(dialLean(p.url))
	before := blobsIn(dir)
	const calm = 4
	for range calm {
		h.check(h.cycle(l, token, content))
	}
	files := sizesOf(before, blobsIn(dir), calm)
	h.check(l.Close())
	for _, connections := range []int{1, 16} {
		floor := h.newFloor(files)
		var rates, floors, ratios []float64
		var p50 []time.Duration
		cycles, before := 0, p.processor()
		for range rounds {
			m, err := load(p.url, connections, 2*h.turn, func(l *lean, _, _ int) error { return h.cycle(l, token, content) })
			h.check(err)
			own := processor()
			f := h.repeat(connections, floor.cycle)
			floor.took += processor() - own
			rates, floors, ratios = append(rates, m.perSecond), append(floors, f), append(ratios, f/m.perSecond)
			p50 = append(p50, m.p(50))
			cycles += len(m.took)
		}
		took := (p.processor() - before) / time.Duration(cycles)
		h.line(fmt.Sprintf("floor: %d commits, files of %s, %d at once", commitsPerCycle, kilobytes(files), connections), fmt.Sprintf("%7.1f/s", median(floors)))
		h.most(fmt.Sprintf("cycle, %d at once", connections), fmt.Sprintf("%7.1f/s   p50 %s", median(rates), milliseconds(median(p50))), median(ratios), 8, " times the floor")
		h.line("processor time of a cycle", milliseconds(took))
		h.line("processor time of the floor", milliseconds(floor.took/time.Duration(floor.done.Load())))
		h.check(floor.db.Close())
	}
	h.most("most memory in use", p.resident(), float64(use.most())/1024, 256, " MB")
	p.stop()
}

func (h *bench) cycle(l *lean, token string, content []byte) error {
	_, err := h.signed(l, token, content)
	return err
}

// signed runs through the whole cycle, and returns the document's identifier.
func (h *bench) signed(l *lean, token string, content []byte) (id string, err error) {
	if err := h.upload(l, token, content); err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(l.body), `"document_id":"`)
	id = rest[:26]
	const people = `{"invitations":[{"name":"Sam Signer","email":"sam@signer.example"}]}`
	if err := l.do(post("/documents/"+id+"/invite", token, "application/json", []byte(people))); err != nil {
		return "", err
	}
	sign := "/documents/" + id + "/" + l.id(0) + "/sign"
	for _, step := range [][]byte{
		post("/documents/"+id+"/send", token, "application/json", []byte(`{}`)),
		post(sign, token, "application/json", []byte(`{"consent":true}`)),
		post("/documents/"+id+"/download", token, "application/json", nil),
	} {
		if err := l.do(step); err != nil {
			return "", err
		}
	}
	if !bytes.HasPrefix(l.body, []byte("%PDF-")) {
		return "", errors.New("the download is not a PDF")
	}
	return id, nil
}

// blobsIn returns every file of a data folder with its size.
func blobsIn(dir string) map[string]int64 {
	out := map[string]int64{}
	for _, path := range must(filepath.Glob(filepath.Join(dir, "files", "?", "?", "*"))) {
		out[path] = must(os.Stat(path)).Size()
	}
	return out
}

// sizesOf returns the sizes of the files created by one of n cycles.
func sizesOf(before, after map[string]int64, n int) (sizes []int64) {
	for path, size := range after {
		if _, old := before[path]; !old {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	out := sizes[:0]
	for i := n / 2; i < len(sizes); i += n {
		out = append(out, sizes[i])
	}
	return out
}

func kilobytes(sizes []int64) string {
	var out []string
	for _, n := range sizes {
		out = append(out, strconv.FormatInt((n+999)/1000, 10))
	}
	return strings.Join(out, "+") + " KB"
}

// largeSignature compares a signature on a file of 10 MB, other than the last, with
// reading, hashing and writing that file.
func (h *bench) largeSignature() {
	_, p := h.start(filepath.Join(h.TempDir(), "large"), "serve")
	token := p.login().token
	content := smallPDF("Large", 10_000_000)
	path := filepath.Join(h.TempDir(), "large.pdf")
	h.check(os.WriteFile(path, content, 0o600))
	l := must(dialLean(p.url))
	var signs, floors, ratios []float64
	for range 2*rounds + 1 {
		sign := h.twoSignatories(l, token, content)
		began := time.Now()
		h.check(l.do(sign))
		took := time.Since(began).Seconds()
		began = time.Now()
		h.check(readHashWrite(path))
		bare := time.Since(began).Seconds()
		signs, floors, ratios = append(signs, took), append(floors, bare), append(ratios, took/bare)
	}
	h.check(l.Close())
	h.line("read, SHA-256, write and sync", fmt.Sprintf("%.1f ms", median(floors)*1000))
	h.most("sign over HTTP", fmt.Sprintf("%.1f ms", median(signs)*1000), median(ratios), 2, " times that")
	p.stop()
}

// twoSignatories sends a document to two people, and returns the first one's request
// to sign.
func (h *bench) twoSignatories(l *lean, token string, content []byte) []byte {
	h.check(h.upload(l, token, content))
	_, rest, _ := strings.Cut(string(l.body), `"document_id":"`)
	base := "/documents/" + rest[:26]
	const people = `{"invitations":[{"name":"Sam Signer","email":"sam@signer.example"},{"name":"Ann Signer","email":"ann@signer.example"}]}`
	h.check(l.do(post(base+"/invite", token, "application/json", []byte(people))))
	invitation := l.id(0)
	h.check(l.do(post(base+"/send", token, "application/json", []byte(`{}`))))
	return post(base+"/"+invitation+"/sign", token, "application/json", []byte(`{"consent":true}`))
}

func readHashWrite(path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(path + ".copy")
	if err != nil {
		return err
	}
	_, err = io.Copy(io.MultiWriter(out, sha256.New()), in)
	return errors.Join(err, out.Sync(), out.Close())
}
