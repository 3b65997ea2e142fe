package app_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// step is the stage that a document has reached.
type step int

const (
	nowhere step = iota
	created
	uploaded
	invited
	sent
	sealing // everyone has signed and a job has yet to seal: never acknowledged, but possible after a kill
	signed
)

// next returns the stage that the next response acknowledges.
func (s step) next() step {
	if s == sent {
		return signed
	}
	return s + 1
}

// mayBe reports whether a document last seen at s may be at now.
func (s step) mayBe(now step, inFlight bool) bool {
	return now == s || s == sealing && now == signed || inFlight && (now == s.next() || s == sent && now == sealing)
}

// trace is a document as its client knows it. Acknowledged steps must survive a
// kill; the one step in flight may survive it.
type trace struct {
	title, email string
	id           string
	invitation   string
	hash         string // of the upload
	sealed       string // hash of the signed file, once downloaded
	reached      step
	deleted      bool
	inFlight     string // the step begun but not acknowledged
}

// walk takes a document up to stage to, and then to the trash if drop is set. It
// stops early if the appliance is killed.
func (d *trace) walk(c *client, to step, drop bool) error {
	steps := []func(*client) error{d.create, d.upload, d.invite, d.send, d.sign}
	for d.reached < to {
		d.inFlight = "a step"
		if err := steps[d.reached](c); err != nil {
			return err
		}
		d.reached = d.reached.next()
	}
	if d.inFlight = ""; d.reached == signed {
		b, err := c.send(http.MethodPost, "/documents/"+d.id+"/download", "application/json", nil)
		if err != nil {
			return err
		}
		d.sealed = digest(b)
	}
	if drop {
		d.inFlight = "delete"
		if err := c.do(http.MethodDelete, "/documents/"+d.id, nil, nil); err != nil {
			return err
		}
		d.deleted, d.inFlight = true, ""
	}
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (d *trace) create(c *client) error {
	var made struct{ ID string }
	err := c.do(http.MethodPost, "/documents", map[string]string{"title": d.title}, &made)
	d.id = made.ID
	return err
}

func (d *trace) upload(c *client) error {
	content := smallPDF(d.title, 20_000)
	body, contentType := form(d.title+".pdf", content)
	answer, err := c.send(http.MethodPost, "/documents/"+d.id+"/upload", contentType, bytes.NewReader(body))
	if err != nil {
		return err
	}
	d.hash = digest(content)
	if !bytes.Contains(answer, []byte(d.hash)) {
		return fmt.Errorf("the response to an upload lacks its hash %s: %w", d.hash, errWrong)
	}
	return nil
}

// errWrong marks a response that must not occur.
var errWrong = errors.New("wrong response")

func (d *trace) invite(c *client) error {
	var made struct{ Data []struct{ ID string } }
	people := map[string]any{"invitations": []map[string]string{{"name": "Sam " + d.title, "email": d.email}}}
	if err := c.do(http.MethodPost, "/documents/"+d.id+"/invite", people, &made); err != nil {
		return err
	}
	d.invitation = made.Data[0].ID
	return nil
}

func (d *trace) send(c *client) error {
	return c.do(http.MethodPost, "/documents/"+d.id+"/send", map[string]any{}, nil)
}

func (d *trace) sign(c *client) error {
	var now struct {
		StatusID int `json:"status_id"`
	}
	if err := c.do(http.MethodPost, "/documents/"+d.id+"/"+d.invitation+"/sign", map[string]any{"consent": true}, &now); err != nil {
		return err
	}
	if now.StatusID != 6 {
		return fmt.Errorf("in state %d after signing: %w", now.StatusID, errWrong)
	}
	return nil
}

// seen is the state of a document as reported by the appliance.
type seen struct {
	ID, Title   string
	StatusID    int `json:"status_id"`
	Attention   string
	DeletedAt   *string `json:"deleted_at"`
	Files       []struct{ ID, SHA256 string }
	Invitations []struct{ ID string }
}

func (s *seen) step() step {
	switch {
	case s.StatusID == 6:
		return signed
	case s.Attention == "sealing":
		return sealing
	case s.StatusID == 5:
		return sent
	case len(s.Invitations) > 0:
		return invited
	case len(s.Files) > 0:
		return uploaded
	}
	return created
}

// aside lists the events that history leaves out because their timing varies:
// accepted mails, links shown, and delayed or retried seals.
var aside = []string{"invitation.mailed", "invitation.link_shown", "document.sealing_delayed", "document.sealing_retried"}

// history returns the types of a document's events, oldest first.
func (c *client) history(id string) (types []string, err error) {
	var page struct{ Data []struct{ Type string } }
	err = c.do(http.MethodGet, "/documents/"+id+"/events?sort=at%7Casc&per_page=100", nil, &page)
	for _, e := range page.Data {
		if !slices.Contains(aside, e.Type) {
			types = append(types, e.Type)
		}
	}
	return types, err
}

// holds compares a document with its trace. want is the history of undisturbed
// documents, by step.
func (d *trace) holds(c *client, want [][]string) error {
	if d.id == "" {
		return nil // the creation was not acknowledged; the lists show whether it is complete
	}
	var got seen
	if err := c.do(http.MethodGet, "/documents/"+d.id, nil, &got); err != nil {
		return fmt.Errorf("a created document is missing: %w", err)
	}
	at := got.step()
	if !d.reached.mayBe(at, d.inFlight == "a step") {
		return fmt.Errorf("step %d was acknowledged, but the document is at %d", d.reached, at)
	}
	if deleted := got.DeletedAt != nil; deleted != d.deleted && (d.inFlight != "delete" || !deleted) {
		return fmt.Errorf("deletion acknowledged: %v, deleted: %v", d.deleted, deleted)
	}
	if err := d.filesHold(c, &got); err != nil {
		return err
	}
	history, err := c.history(d.id)
	if err != nil {
		return err
	}
	expected := slices.Clone(want[at])
	if got.DeletedAt != nil {
		expected = append(expected, "document.deleted")
	}
	if !slices.Equal(history, expected) {
		return fmt.Errorf("at step %d: got events %v, want %v", at, history, expected)
	}
	d.reached, d.deleted, d.inFlight = at, got.DeletedAt != nil, ""
	return nil
}

func (d *trace) filesHold(c *client, got *seen) error {
	for _, f := range got.Files {
		b, err := c.send(http.MethodGet, "/documents/"+d.id+"/download?version=original", "", nil)
		if err != nil {
			return fmt.Errorf("file %s: %w", f.ID, err)
		}
		if digest(b) != f.SHA256 || d.hash != "" && d.hash != f.SHA256 {
			return fmt.Errorf("file %s: hash %s, record %s, uploaded %s", f.ID, digest(b), f.SHA256, d.hash)
		}
	}
	if got.step() != signed {
		return nil
	}
	b, err := c.send(http.MethodPost, "/documents/"+d.id+"/download", "application/json", nil)
	if err != nil {
		return fmt.Errorf("downloading the signed file: %w", err)
	}
	if d.sealed != "" && digest(b) != d.sealed {
		return fmt.Errorf("the signed file changed: %s, was %s", digest(b), d.sealed)
	}
	d.sealed = digest(b)
	return nil
}

// listsHold compares the lists until no document moves from one to another meanwhile:
// what was signed before a kill is sealed after the start.
func listsHold(c *client, known map[string]bool) error {
	for {
		before, _, err := c.walkList("status=completed")
		if err != nil {
			return err
		}
		wrong := listsAgree(c, known)
		after, _, err := c.walkList("status=completed")
		if err != nil || len(before) == len(after) {
			return cmp.Or(err, wrong)
		}
	}
}

// listsAgree walks the lists and compares them with their totals and with all
// documents ever requested.
func listsAgree(c *client, known map[string]bool) error {
	var parts int
	for _, status := range []string{"draft", "sent", "completed", ""} {
		titles, total, err := c.walkList("status=" + status)
		if err != nil {
			return err
		}
		if len(titles) != total {
			return fmt.Errorf("status=%s: total %d, listed %d", status, total, len(titles))
		}
		for _, title := range titles {
			if !known[title] {
				return fmt.Errorf("status=%s lists %q, which nobody created", status, title)
			}
		}
		if status != "" {
			parts += total
		} else if parts != total {
			return fmt.Errorf("%d documents by status, %d in all", parts, total)
		}
	}
	return nil
}

func (c *client) walkList(query string) (titles []string, total int, err error) {
	for page := 1; ; page++ {
		var got struct {
			Data []struct{ Title string }
			Meta struct {
				Total    int
				LastPage int `json:"last_page"`
			}
		}
		if err := c.do(http.MethodGet, fmt.Sprintf("/documents?per_page=100&page=%d&%s", page, query), nil, &got); err != nil {
			return nil, 0, err
		}
		for _, d := range got.Data {
			titles = append(titles, d.Title)
		}
		if page >= got.Meta.LastPage {
			return titles, got.Meta.Total, nil
		}
	}
}

// killing is a run of several rounds.
type killing struct {
	*testing.T
	dir      string
	outside  string // where checkpoints are published
	settings []string
	history  [][]string // by step, without kills
	cut      func()     // cuts the power before the kill; nil for none
	mu       sync.Mutex
	traces   []*trace
}

func (k *killing) trace() *trace {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(k.traces)
	d := &trace{title: fmt.Sprintf("Paper %d", n), email: fmt.Sprintf("sam%d@signer.example", n)}
	k.traces = append(k.traces, d)
	return d
}

// clients is the number of concurrent clients.
const clients = 10

// round creates documents until the appliance is killed, and returns them.
func (k *killing) round() []*trace {
	p := serve(k.T, k.dir, k.settings...)
	c := p.login()
	from := len(k.traces)
	var workers sync.WaitGroup
	for range clients {
		workers.Go(func() {
			for {
				to := signed
				if rand.N(4) == 0 {
					to = created + rand.N(sent)
				}
				d := k.trace()
				err := d.walk(c, to, rand.N(3) == 0 && to != sent)
				if status := statusOf(err); status >= 500 && k.cut != nil {
					return // its disk was gone
				} else if status != 0 || errors.Is(err, errWrong) {
					k.Errorf("%s after step %d: %v", d.title, d.reached, err)
				}
				if err != nil {
					return // it was killed
				}
			}
		})
	}
	// Between the first request and a few documents per client.
	moment := time.NewTimer(20*time.Millisecond + rand.N(1200*time.Millisecond))
	defer moment.Stop()
	<-moment.C
	if k.cut != nil {
		k.cut()
	}
	p.kill()
	workers.Wait()
	return k.traces[from:]
}

// compare checks the acknowledged steps against the stored state.
func (k *killing) compare(c *client, touched []*trace) {
	for _, d := range touched {
		if err := d.holds(c, k.history); err != nil {
			k.Errorf("%s (%s): %v", d.title, d.id, err)
		}
	}
	known := map[string]bool{}
	for _, d := range k.traces {
		known[d.title] = true
	}
	if err := listsHold(c, known); err != nil {
		k.Error(err)
	}
}

func (k *killing) check(when string) {
	args := []string{"check", "--set", "data.dir=" + k.dir}
	published, err := filepath.Glob(filepath.Join(k.outside, "*", "checkpoint"))
	if err != nil {
		k.Error(err)
	}
	for _, path := range published {
		args = append(args, "--checkpoint", path)
	}
	if got := call(k.T, args...); got.code != 0 {
		k.Errorf("check %s: exit %d: %s%s", when, got.code, got.out, got.err)
	}
}

// peace records the histories of undisturbed documents.
func (k *killing) peace() {
	p := serve(k.T, k.dir, k.settings...)
	c := p.login()
	k.history = make([][]string, signed+1)
	for to := created; to <= signed; to = to.next() {
		d := k.trace()
		err := d.walk(c, to, false)
		if err == nil {
			k.history[to], err = c.history(d.id)
		}
		if err != nil || len(k.history[to]) == 0 {
			k.Fatalf("step %d: %v: %v", to, k.history[to], err)
		}
	}
	k.history[sealing] = append(slices.Clone(k.history[sent]), "invitation.signed")
	p.stop()
}

// killRounds is how often the appliance is killed; PARAPH_KILL_ROUNDS overrides
// the default.
func killRounds(t *testing.T) int {
	v := os.Getenv("PARAPH_KILL_ROUNDS")
	if v == "" {
		return 5
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("PARAPH_KILL_ROUNDS: %v", err)
	}
	return n
}

func TestKillsLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	post := newPostOffice(t)
	k := &killing{T: t, dir: t.TempDir(), outside: t.TempDir()}
	k.settings = []string{"mail.host=127.0.0.1", "mail.port=" + post.port(), "mail.tls=none", "log.requests=false", "checkpoints.folder=" + k.outside}
	k.peace()
	for i := range killRounds(t) {
		touched := k.round()
		if i%2 == 0 {
			k.check(fmt.Sprintf("right after kill %d", i))
		}
		p := serve(t, k.dir, k.settings...)
		k.compare(p.login(), touched)
		if code := p.stop(); code != 0 {
			t.Errorf("exit %d", code)
		}
		k.check(fmt.Sprintf("after the comparison of round %d", i))
		if t.Failed() {
			t.Fatalf("failed in round %d", i)
		}
	}
	t.Logf("%d documents", len(k.traces))
	p := serve(t, k.dir, k.settings...)
	c := p.login()
	p.until("every signed document is sealed", func() (string, bool) {
		unsealed := k.unsealed(c)
		return strings.Join(unsealed, "; "), len(unsealed) == 0
	})
	k.compare(c, k.traces)
	publishedIn(t, k.outside, 1)
	k.mails(p, c, post)
}

// mails waits until everyone has been notified, and checks that repeated mails are
// recognizable as duplicates.
func (k *killing) mails(p *process, c *client, post *postOffice) {
	p.until("everyone is notified", func() (string, bool) {
		untold := k.untold(c, post)
		return strings.Join(untold, "; "), len(untold) == 0
	})
	for about, ids := range post.received() {
		if len(ids) > 1 {
			k.Errorf("%s: sent with different identifiers %v", about, ids)
		}
	}
}

// unsealed describes the documents that everyone has signed but that are not yet
// sealed.
func (k *killing) unsealed(c *client) (all []string) {
	for _, d := range k.traces {
		if d.reached != sealing {
			continue
		}
		if err := d.holds(c, k.history); err != nil || d.reached == sealing {
			all = append(all, fmt.Sprintf("%s (%s): %v", d.title, d.id, err))
		}
	}
	return all
}

// untold describes the people who lack a mail, and the outbox of their documents.
func (k *killing) untold(c *client, post *postOffice) (all []string) {
	to := map[string]int{}
	for about := range post.received() {
		address, _, _ := strings.Cut(about, " ")
		to[address]++
	}
	for _, d := range k.traces {
		if want := map[step]int{sent: 1, signed: 2}[d.reached]; !d.deleted && to[d.email] < want {
			outbox, err := c.send(http.MethodGet, "/outbox?document="+d.id, "", nil)
			all = append(all, fmt.Sprintf("%s at step %d has %d mails, the outbox has %s %v", d.email, d.reached, to[d.email], outbox, err))
		}
	}
	return all
}
