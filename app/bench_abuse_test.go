package app_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkAbuse measures what a small team notices while 64 strangers, each with
// their own address, attack every public route. Quiet and attacked turns alternate on
// one server, so that other load on the machine affects both.
//
// BENCH_TURN is the length of a turn.
func BenchmarkAbuse(b *testing.B) {
	h := &bench{B: b, turn: 5 * time.Second}
	if v := os.Getenv("BENCH_TURN"); v != "" {
		h.turn = must(time.ParseDuration(v))
	}
	for range b.N {
		h.head(fmt.Sprintf("A team of %d at work, with and without %d strangers", teamSize, mob))
		h.abuse()
		fmt.Printf("\n%d targets missed\n", h.missed)
	}
}

const (
	teamSize = 4
	mob      = 64
)

func (h *bench) abuse() {
	dir := filepath.Join(h.TempDir(), "abuse")
	_, p := h.start(dir, "serve", "mail.host=127.0.0.1", "mail.port="+newPostOffice(h).port(), "mail.tls=none") // codes are mailed
	target := h.target(p)
	content := smallPDF("Team", 100_000)
	team := func(l *lean, _, _ int) error {
		if err := h.cycle(l, target.token, content); err != nil {
			return err
		}
		return l.do(get("/documents", target.token))
	}
	h.work(p.url, time.Second, team) // warms up what starts on first use
	use := p.watch()

	// The strangers alone: nothing they send may be kept.
	h.settle(dir)
	before := spaceOf(dir)
	seen := h.strangers(p.url, target)
	time.Sleep(h.turn)
	seen.stop()
	h.settle(dir)
	grown := float64(spaceOf(dir)-before) / (1 << 20)

	var quiet, abused []time.Duration
	var ratios []float64
	for range rounds {
		q := h.work(p.url, h.turn, team)
		s := h.strangers(p.url, target)
		a := h.work(p.url, h.turn, team)
		s.stop()
		seen.add(s)
		quiet, abused = append(quiet, q...), append(abused, a...)
		ratios = append(ratios, float64(percentile(a, 99))/float64(percentile(q, 99)))
	}
	h.line("what the strangers were answered", seen.String())
	h.line("requests of the team, quiet", figures(quiet))
	h.line("requests of the team, under abuse", figures(abused))
	h.most("p99 of the team", "", median(ratios), 3, " times that of quiet turns")
	h.most("most memory above idle", p.resident(), float64(use.grown())/1024, 200, " MB")
	h.most("left on disk by the strangers", "", max(grown, 0), 1, " MB")
	p.stop()
}

// settle waits until the data folder no longer changes: earlier requests are done,
// and the scratch files of refused uploads are removed.
func (h *bench) settle(dir string) {
	for last, size := int64(-1), spaceOf(dir); last != size || scratchIn(dir); size = spaceOf(dir) {
		last = size
		time.Sleep(h.turn / 2)
	}
}

// scratchIn reports whether a request still holds a scratch file.
func scratchIn(dir string) (found bool) {
	names := must(filepath.Glob(filepath.Join(dir, "files", "*", "scratch-*")))
	return len(names) > 0
}

func percentile(took []time.Duration, percent int) time.Duration {
	took = slices.Sorted(slices.Values(took))
	return measured{took: took}.p(percent)
}

func figures(took []time.Duration) string {
	return fmt.Sprintf("%6d   p50 %s   p99 %s", len(took), milliseconds(percentile(took, 50)), milliseconds(percentile(took, 99)))
}

// work lets the team repeat an action for a turn, and returns the durations of its
// requests.
func (h *bench) work(url string, turn time.Duration, act func(l *lean, worker, i int) error) (took []time.Duration) {
	var mu sync.Mutex
	_, err := load(url, teamSize, turn, func(l *lean, worker, i int) error {
		l.took = l.took[:0]
		err := act(l, worker, i)
		mu.Lock()
		took = append(took, l.took...)
		mu.Unlock()
		return err
	})
	h.check(err)
	return took
}

// spaceOf returns the disk space of the data folder, without rendered pages, which
// are cached up to a limit.
func spaceOf(dir string) (total int64) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && e.IsDir() {
			return nil
		}
		if err != nil || strings.Contains(path, "/pictures/") {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			total += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return total
}

// target holds what the strangers know: a link to a document, one protected by a
// code they do not have, and a file with many signatures.
type target struct {
	token        string // of the team
	link, closed link
	public       string // token of a link that anybody may have
	signed       []byte
}

type link struct{ document, file, invitation, token string }

func (h *bench) target(p *process) target {
	c := p.login()
	out := target{token: c.token}
	out.link = h.invite(c, map[string]any{"name": "Sam Signer", "email": "sam@signer.example"})
	// The first picture compiles the PDF engine, which is kept in the data folder.
	h.check(c.do(http.MethodGet, "/documents/"+out.link.document+"/files/"+out.link.file+"/pages/1.png", nil, nil))
	out.closed = h.invite(c, map[string]any{"name": "Ann Signer", "email": "ann@signer.example", "authentication": "email_code"})
	var public struct{ URL string }
	h.check(c.do(http.MethodPost, "/templates/"+c.leaseTemplate(h)+"/links", map[string]any{"role": "Tenant"}, &public))
	_, out.public, _ = strings.Cut(public.URL, "/p/")
	var people []any
	for i := range 40 {
		people = append(people, map[string]any{"name": fmt.Sprint("Signer ", i), "email": fmt.Sprintf("s%d@signer.example", i)})
	}
	many := h.invite(c, people...)
	var d struct{ Invitations []struct{ ID string } }
	h.check(c.do(http.MethodGet, "/documents/"+many.document, nil, &d))
	for _, i := range d.Invitations {
		h.check(c.do(http.MethodPost, "/documents/"+many.document+"/"+i.ID+"/sign", map[string]any{"consent": true}, nil))
	}
	b, err := c.send(http.MethodPost, "/documents/"+many.document+"/download", "application/json", strings.NewReader("{}"))
	h.check(err)
	out.signed = b
	return out
}

// invite sends a document to people, and returns the link of the first.
func (h *bench) invite(c *client, people ...any) link {
	var d struct {
		ID          string
		Files       []struct{ ID string }
		Invitations []struct {
			ID      string
			SignURL string `json:"sign_url"`
		}
	}
	h.check(c.do(http.MethodPost, "/documents", map[string]any{"title": "Target", "invitations": people}, &d))
	body, contentType := form("target.pdf", smallPDF("Target", 200_000))
	_, err := c.send(http.MethodPost, "/documents/"+d.ID+"/upload", contentType, bytes.NewReader(body))
	h.check(err)
	h.check(c.do(http.MethodPost, "/documents/"+d.ID+"/send", map[string]any{}, &d))
	h.check(c.do(http.MethodGet, "/documents/"+d.ID, nil, &d))
	_, token, _ := strings.Cut(d.Invitations[0].SignURL, "/s/")
	return link{d.ID, d.Files[0].ID, d.Invitations[0].ID, token}
}

// crowd is the attacking strangers.
type crowd struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	status [6]atomic.Int64 // responses by hundreds; 0: none
}

func (c *crowd) stop() {
	c.cancel()
	c.done.Wait()
}

func (c *crowd) add(o *crowd) {
	for i := range o.status {
		c.status[i].Add(o.status[i].Load())
	}
}

func (c *crowd) String() string {
	var out []string
	for i, name := range []string{"nothing", "", "2xx", "3xx", "4xx", "5xx"} {
		if n := c.status[i].Load(); n > 0 {
			out = append(out, fmt.Sprintf("%s %d", name, n))
		}
	}
	return strings.Join(out, ", ")
}

func (h *bench) strangers(url string, known target) *crowd {
	return h.only(url, known, known.attacks()...)
}

// only limits the strangers to some of the attacks.
func (h *bench) only(url string, known target, attacks ...func() io.Reader) *crowd {
	ctx, cancel := context.WithCancel(h.Context())
	c := &crowd{cancel: cancel}
	for i := range mob {
		c.done.Go(func() {
			d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(i+1))}, Timeout: time.Second}
			for n := i; ctx.Err() == nil; n += mob {
				c.status[attempt(ctx, d, strings.TrimPrefix(url, "http://"), attacks[n%len(attacks)]())/100].Add(1)
			}
		})
	}
	return c
}

// attempt sends one request, and returns the status of the response or 0. Slow
// senders eventually time out.
func attempt(ctx context.Context, d *net.Dialer, address string, request io.Reader) int {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return 0
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	go io.Copy(conn, request) //nolint:errcheck // the server may refuse it half way
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body) // only the status matters
	return r.StatusCode
}

// attacks returns the costliest requests that a stranger can send to public routes.
func (p target) attacks() []func() io.Reader {
	objects := `{"email":[` + strings.Repeat("{},", 3_000_000) + `{}]}`
	hundred := strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"x\"\r\n\r\n"+strings.Repeat("x", 1<<20)+"\r\n", 100)
	const multipart, json, urlencoded = "multipart/form-data; boundary=b", "application/json", "application/x-www-form-urlencoded"
	attachment := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("x"), 8<<20))
	width := new(atomic.Int64)
	say := func(method, path, contentType, body string) func() io.Reader {
		return func() io.Reader { return request(method, path, contentType, "", body) }
	}
	guess := func() string { return p.link.token[:26] + rand.Text() }
	return []func() io.Reader{
		say("POST", "/login", json, objects),
		say("POST", "/signin", multipart, hundred),
		say("POST", "/verify", "application/pdf", string(p.signed)),
		say("POST", "/verify/report", multipart, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.pdf\"\r\n\r\n"+string(p.signed)+"\r\n--b--\r\n"),
		func() io.Reader { return slowly("/verify", "application/pdf", "%PDF-1.7\n") },
		func() io.Reader { return slowly("/login", json, `{"email":"`) },
		func() io.Reader {
			return request("POST", "/login", json, "", `{"email":"`+rand.Text()+`@x.example","password":"wrong password"}`)
		},
		say("POST", "/signin", urlencoded, "email="+adminEmail+"&password=wrong+password"),
		say("POST", "/password/forgot", json, `{"email":"`+adminEmail+`"}`),
		say("POST", "/password/reset", json, `{"token":"`+strings.Repeat("x", 40)+`","password":"a new password of theirs"}`),
		func() io.Reader { return request("GET", "/s/"+guess(), "", "", "") },
		func() io.Reader { return request("POST", "/s/"+guess()+"/again", urlencoded, "", "") },
		say("POST", "/s/"+p.closed.token+"/code", urlencoded, ""),
		say("POST", "/s/"+p.closed.token+"/identify", urlencoded, "code=123456"),
		say("POST", "/s/"+p.closed.token+"/not-me", urlencoded, "reason=x"),
		func() io.Reader {
			path := fmt.Sprintf("/documents/%s/files/%s/pages/1.png?width=%d", p.link.document, p.link.file, 16+width.Add(7)%3900)
			return request("GET", path, "", p.link.token, "")
		},
		func() io.Reader {
			return request("GET", fmt.Sprintf("/s/%s/pages/%s/1.png?w=%d", p.link.token, p.link.file, width.Add(13)), "", "", "")
		},
		func() io.Reader {
			body := `{"consent":true,"values":{"x":"data:text/plain;name=x.txt;base64,` + attachment + `"}}`
			return request("POST", "/documents/"+p.closed.document+"/"+p.closed.invitation+"/sign", json, p.closed.token, body)
		},
		func() io.Reader {
			return request("POST", "/documents/"+p.link.document+"/upload", multipart, p.link.token, hundred)
		},
		say("POST", "/documents", json, objects),
		say("GET", "/s/"+p.link.token, "", ""),
		say("GET", "/p/"+p.public, "", ""),
		func() io.Reader {
			return request("POST", "/p/"+p.public, urlencoded, "", "name=Vic+Visitor&email="+rand.Text()+"%40x.example")
		},
		say("POST", "/p/"+p.public, urlencoded, "name=Vic+Visitor&email=vic%40x.example&code=123456"),
		say("POST", "/s/"+p.link.token, multipart, hundred),
		say("POST", "/s/"+p.link.token+"/pad", urlencoded, "kind=signature"),
		func() io.Reader {
			return request("POST", "/s/pad/"+rand.Text()+rand.Text(), urlencoded, "", "strokes=[]")
		},
		func() io.Reader { return request("GET", "/s/"+p.link.token+"/typed.svg?text="+rand.Text(), "", "", "") },
		say("GET", "/s/"+p.link.token+"/text", "", ""),
		say("GET", "/docs/api", "", ""),
		say("GET", "/openapi.json", "", ""),
		say("GET", "/readyz", "", ""),
		say("POST", "/setup", urlencoded, "name=x&email=x%40x.example&password=a+password+of+theirs"),
		say("POST", "/login/passkey/begin", json, `{}`),
	}
}

// request returns a complete request for its own connection.
func request(method, path, contentType, token, body string) io.Reader {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n", method, path, len(body))
	if contentType != "" {
		head += "Content-Type: " + contentType + "\r\n"
	}
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	// Hiding its other methods keeps a large body from being copied whole, which would
	// cost more than what the server spends on it.
	return io.MultiReader(strings.NewReader(head+"\r\n"), struct{ io.Reader }{strings.NewReader(body)})
}

// slowly returns a request whose body trickles in byte by byte.
func slowly(path, contentType, begin string) io.Reader {
	return io.MultiReader(strings.NewReader(chunked(path, contentType, begin)), drip{})
}

type drip struct{}

func (drip) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	return copy(p, "1\r\nx\r\n"), nil
}
