package app_test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// toReceivers allows webhooks to this machine, where the tests' receivers run.
func toReceivers(c *app.Config) {
	c.Webhooks.AllowPrivate, c.Network.Egress = true, []string{"any"}
}

// posted is a message received by a receiver.
type posted struct {
	id, timestamp, signature string
	body                     []byte
}

// receiver receives webhooks, and responds as a test specifies.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	all []posted
}

// receive starts a receiver. answer receives the number of earlier messages.
func receive(t *testing.T, answer func(n int, w http.ResponseWriter)) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/json" {
			t.Errorf("a receiver got %s %s: %v", q.Method, q.Header, err)
		}
		r.mu.Lock()
		n := len(r.all)
		r.all = append(r.all, posted{q.Header.Get("webhook-id"), q.Header.Get("webhook-timestamp"), q.Header.Get("webhook-signature"), body})
		r.mu.Unlock()
		if answer != nil {
			answer(n, w)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) got() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// kinds returns the kinds of events received, in alphabetical order.
func (r *receiver) kinds(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, p := range r.got() {
		var body struct{ Type string }
		if err := json.Unmarshal(p.body, &body); err != nil {
			t.Fatal(err)
		}
		out = append(out, body.Type)
	}
	slices.Sort(out)
	return out
}

// signs computes the signature by the specification, independently of our code.
func signs(t *testing.T, secret string, p posted) string {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		t.Fatalf("%q is not a secret: %v", secret, err)
	}
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s.%s.%s", p.id, p.timestamp, p.body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func hook(t *testing.T, c *apptest.Client, url string, events ...string) (at, secret string) {
	t.Helper()
	r := c.Post(t, "/webhooks", apptest.Map{"url": url, "events": events}).Want(t, 201)
	return "/webhooks/" + r.Text(t, "id"), r.Text(t, "secret")
}

// made creates a document, which is one event.
func made(t *testing.T, c *apptest.Client) string {
	t.Helper()
	return c.Post(t, "/documents", apptest.Map{"title": "Lease"}).Want(t, 201).Text(t, "id")
}

// TestWebhookReportsEvents signs a document and checks the messages
// received.
func TestWebhookReportsEvents(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, toReceivers)
	c := s.Company(t)
	all, some, paused, strangers := receive(t, nil), receive(t, nil), receive(t, nil), receive(t, nil)
	at, secret := hook(t, c, all.URL+"/paraph?a=b")
	hook(t, c, some.URL, "document.completed")
	pausedAt, _ := hook(t, c, paused.URL)
	c.Patch(t, pausedAt, apptest.Map{"enabled": false}).Want(t, 200)
	hook(t, s.Company(t), strangers.URL)
	if r := c.Get(t, at).Want(t, 200); r.At(t, "secret") != nil {
		t.Errorf("the secret is shown again: %s", r.Body)
	}
	d := c.Get(t, "/documents/"+sendTo(t, c, "ben@signer.example"))
	c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", nil).Want(t, 200)
	settle(t, s)
	want := c.Get(t, "/events?per_page=200").Want(t, 200)
	types := want.Texts(t, "data", "type")
	slices.Sort(types)
	if got := all.kinds(t); !slices.Equal(got, types) || len(got) < 6 {
		t.Errorf("received %v, want %v", got, types)
	}
	if got := some.kinds(t); !slices.Equal(got, []string{"document.completed"}) {
		t.Errorf("with a filter: %v", got)
	}
	if n := len(paused.got()) + len(strangers.got()); n > 0 {
		t.Errorf("%d messages went to paused webhooks or other companies", n)
	}
	var feed struct{ Data []json.RawMessage }
	want.Decode(t, &feed)
	for _, p := range all.got() {
		if got := signs(t, secret, p); got != p.signature {
			t.Errorf("the signature is %s, want %s", p.signature, got)
		}
		if at, err := strconv.ParseInt(p.timestamp, 10, 64); err != nil || time.Since(time.Unix(at, 0)).Abs() > time.Hour {
			t.Errorf("the timestamp is %s", p.timestamp)
		}
		if !slices.ContainsFunc(feed.Data, func(event json.RawMessage) bool { return sameEvent(t, event, p.body, p.id) }) {
			t.Errorf("GET /events lacks %s %s", p.id, p.body)
		}
	}
	if r := c.Get(t, at); r.Int(t, "recent.delivered") != len(types) || r.Int(t, "recent.failed") != 0 {
		t.Errorf("counted: %s", r.Body)
	}
}

// sameEvent compares two bodies, except for the document, which may have
// changed since.
func sameEvent(t *testing.T, a, b []byte, id string) bool {
	t.Helper()
	strip := func(body []byte) (event []byte, got, document string) {
		var v struct {
			Type, Timestamp string
			Data            struct {
				Event    map[string]any
				Document struct{ ID string }
			}
		}
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		got, _ = v.Data.Event["id"].(string)
		document, v.Data.Document.ID = v.Data.Document.ID, ""
		event, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return event, got, document
	}
	x, _, xd := strip(a)
	y, got, yd := strip(b)
	return got == id && xd == yd && bytes.Equal(x, y)
}

// TestWebhookRotates checks that both secrets sign for a day, and the new one alone
// later.
func TestWebhookRotates(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, toReceivers)
	c := s.Company(t)
	r := receive(t, nil)
	at, old := hook(t, c, r.URL)
	secret := c.Post(t, at+"/rotate", nil).Want(t, 200).Text(t, "secret")
	c.Post(t, at+"/test", nil).Want(t, 200)
	s.Advance(t, "25h")
	c = s.Login(t, c.Email)
	c.Post(t, at+"/test", nil).Want(t, 200)
	got := r.got()
	if len(got) != 2 || secret == old {
		t.Fatalf("%d messages, secrets %s and %s", len(got), old, secret)
	}
	if want := signs(t, secret, got[0]) + " " + signs(t, old, got[0]); got[0].signature != want {
		t.Errorf("within the day: %s, want %s", got[0].signature, want)
	}
	if want := signs(t, secret, got[1]); got[1].signature != want {
		t.Errorf("after the day: %s, want %s", got[1].signature, want)
	}
}

// TestWebhookIsRetried uses one receiver that fails until it works, and one
// that always fails.
func TestWebhookIsRetried(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, toReceivers)
	c := s.Company(t)
	recovers := receive(t, func(n int, w http.ResponseWriter) {
		if n < 2 {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "out of order")
		}
	})
	never := receive(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) })
	at, _ := hook(t, c, recovers.URL)
	neverAt, _ := hook(t, c, never.URL)
	made(t, c)
	settle(t, s)
	r := c.Get(t, at+"/deliveries").Want(t, 200)
	if r.Text(t, "data.0.status") != "waiting" || r.Int(t, "data.0.status_code") != 500 || r.At(t, "data.0.next_attempt_at") == nil || c.Get(t, at).At(t, "failing_since") == nil {
		t.Errorf("after the first try: %s", r.Body)
	}
	if r := c.Get(t, at+"/deliveries/"+r.Text(t, "data.0.id")).Want(t, 200); r.Text(t, "response.body") != "out of order" {
		t.Errorf("the response is stored as %s", r.Body)
	}
	for _, pause := range []string{"15s", "90s", "6m", "17m", "67m", "133m", "266m", "530m", "800m", "23h", "27h", "27h"} {
		s.Advance(t, pause)
	}
	c = s.Login(t, c.Email)
	got := recovers.got()
	if len(got) != 3 || got[0].id != got[2].id || !bytes.Equal(got[0].body, got[2].body) {
		t.Errorf("delivered %d times", len(got))
	}
	if r := c.Get(t, at+"/deliveries?status=delivered").Want(t, 200); r.Int(t, "meta.total") != 1 || r.Int(t, "data.0.attempt") != 3 || c.Get(t, at).At(t, "failing_since") != nil {
		t.Errorf("after the last attempt: %s", r.Body)
	}
	failed := c.Get(t, neverAt+"/deliveries?status=failed").Want(t, 200)
	if failed.Int(t, "meta.total") != 1 || len(never.got()) != app.Default().Webhooks.Attempts || failed.At(t, "data.0.next_attempt_at") != nil {
		t.Errorf("given up after %d tries: %s", len(never.got()), failed.Body)
	}
	c.Post(t, neverAt+"/deliveries/"+failed.Text(t, "data.0.id")+"/redeliver", nil).Want(t, 202)
	settle(t, s)
	if n := len(never.got()); n != app.Default().Webhooks.Attempts+1 {
		t.Errorf("posted again: %d tries", n)
	}
	if r := c.Post(t, neverAt+"/redeliver", nil).Want(t, 202); r.Int(t, "count") != 0 {
		t.Errorf("a waiting delivery counts as a failure: %s", r.Body)
	}
	s.Advance(t, "1000h")
	c = s.Login(t, c.Email)
	if r := c.Get(t, at+"/deliveries").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("old deliveries are kept: %s", r.Body)
	}
}

// raw starts a receiver that doesn't speak HTTP.
func raw(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			open.Go(func() { defer conn.Close(); serve(conn) })
		}
	})
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
		open.Wait()
	})
	return "http://" + ln.Addr().String()
}

// flood reads a message and writes until the sender stops reading.
func flood(conn net.Conn, head, body string) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err == nil {
		_, err = io.WriteString(conn, head)
	}
	for err == nil {
		_, err = io.WriteString(conn, body)
	}
}

// interrupted reads a message, writes the beginning of a response and closes the connection.
func interrupted(conn net.Conn, start string) {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err == nil {
		// An error means that the sender has closed the connection itself.
		_, _ = io.WriteString(conn, start)
	}
}

// TestWebhookReceivers posts to misbehaving receivers of every kind.
func TestWebhookReceivers(t *testing.T) {
	t.Parallel()
	patient := apptest.New(t, toReceivers)
	hasty := apptest.New(t, toReceivers, func(c *app.Config) { c.Webhooks.Timeout = 300 * time.Millisecond })
	elsewhere := receive(t, nil)
	silent := func(conn net.Conn) {
		// It reads until the sender times out, and never responds.
		_, _ = io.Copy(io.Discard, conn)
	}
	for name, c := range map[string]struct {
		url    string
		status int    // of the answer
		says   string // the error
		body   string // beginning of the answer
	}{
		"down":      {url: "http://127.0.0.1:1/", says: "refused the connection"},
		"half-open": {url: raw(t, silent), says: "in time"},
		"garbage":   {url: raw(t, func(conn net.Conn) { flood(conn, "", "\x00\xff garbage ") }), says: "with HTTP"},
		"headers":   {url: raw(t, func(conn net.Conn) { flood(conn, "HTTP/1.1 200 OK\r\n", "X-More: and more\r\n") }), says: "with HTTP"},
		"endless":   {url: raw(t, func(conn net.Conn) { flood(conn, "HTTP/1.1 200 OK\r\n\r\n", "more ") }), status: 200, body: "more more"},
		"half a body": {url: raw(t, func(conn net.Conn) {
			interrupted(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe first half")
		}), status: 200, body: "the first half"},
		"half a refusal": {url: raw(t, func(conn net.Conn) {
			interrupted(conn, "HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nno th")
		}), status: 500, body: "no th"},
		"half a header":        {url: raw(t, func(conn net.Conn) { interrupted(conn, "HTTP/1.1 200 OK\r\nX-Mo") }), says: "with HTTP"},
		"informed for ever":    {url: raw(t, func(conn net.Conn) { flood(conn, "", "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n") }), says: "with HTTP"},
		"to continue for ever": {url: raw(t, func(conn net.Conn) { flood(conn, "", "HTTP/1.1 100 Continue\r\n\r\n") }), says: "with HTTP"},
		"plain":                {url: strings.Replace(elsewhere.URL, "http:", "https:", 1), says: "support TLS"},
		"redirect": {status: 307, url: receive(t, func(_ int, w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}).URL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := patient
			if name == "half-open" {
				s = hasty
			}
			who := s.Company(t)
			at, _ := hook(t, who, c.url)
			r := who.Post(t, at+"/test", nil).Want(t, 200)
			code, _ := r.At(t, "status_code").(float64)
			says, _ := r.At(t, "error").(string)
			body := r.Text(t, "response.body")
			if int(code) != c.status || !strings.Contains(says, c.says) || (c.says == "") != (says == "") || !strings.HasPrefix(body, c.body) || len(body) > 4<<10 {
				t.Errorf("%.600s", r.Body)
			}
			if want := map[bool]string{true: "delivered", false: "failed"}[c.status == 200]; r.Text(t, "status") != want {
				t.Errorf("status is %s, want %s", r.Text(t, "status"), want)
			}
		})
	}
	t.Cleanup(func() {
		if n := len(elsewhere.got()); n > 0 {
			t.Errorf("a redirect was followed %d times", n)
		}
	})
}

// TestWebhookGone pauses a webhook whose receiver responds 410 Gone.
func TestWebhookGone(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, toReceivers)
	c := s.Company(t)
	r := receive(t, func(n int, w http.ResponseWriter) {
		if n == 0 {
			w.WriteHeader(http.StatusGone)
		}
	})
	at, _ := hook(t, c, r.URL)
	made(t, c)
	settle(t, s)
	made(t, c)
	settle(t, s)
	if got := c.Get(t, at); got.At(t, "enabled") != false || len(r.got()) != 1 {
		t.Errorf("after 410: %s, %d messages", got.Body, len(r.got()))
	}
	refused(t, c.Post(t, at+"/redeliver", nil), 409, "webhook_paused")
	c.Patch(t, at, apptest.Map{"enabled": true}).Want(t, 200)
	if n := c.Post(t, at+"/redeliver", nil).Want(t, 202).Int(t, "count"); n != 1 {
		t.Errorf("%d deliveries are repeated", n)
	}
	settle(t, s)
	if n := len(r.got()); n != 2 {
		t.Errorf("%d messages: events during the pause must not be delivered", n)
	}
	c.Delete(t, at).Want(t, 204)
	c.Get(t, at).Want(t, 404)
	made(t, c)
	settle(t, s)
	if n := len(r.got()); n != 2 {
		t.Errorf("%d messages, want 2: a deleted webhook must receive none", n)
	}
	if problems := s.Check(t.Context(), false); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestWebhookToPrivateAddresses tests the setting that is on by default.
func TestWebhookToPrivateAddresses(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	for _, url := range []string{"http://127.0.0.1/", "https://localhost:8443/x", "http://[::1]/", "http://10.0.0.1", "http://169.254.169.254/latest", "http://[::ffff:192.168.0.1]/",
		"", "example.org", "ftp://example.org/", "https://user:secret@example.org/", "https://exa mple.org/", "https://example.org/" + strings.Repeat("x", 2000)} {
		if r := c.Post(t, "/webhooks", apptest.Map{"url": url}).Want(t, 422); r.At(t, "errors.url") == nil {
			t.Errorf("%q: %s", url, r.Body)
		}
	}
	r := c.Post(t, "/webhooks", apptest.Map{"url": "https://example.org/", "events": apptest.List{"document.sent", "document.eaten"}}).Want(t, 422)
	if !strings.Contains(string(r.Body), `"events.1"`) {
		t.Errorf("%s", r.Body)
	}
}

// TestWebhookSlowReceiver fills one company's webhook with messages that its
// receiver stalls: another company still gets its own meanwhile.
func TestWebhookSlowReceiver(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, toReceivers, func(c *app.Config) { c.Webhooks.Timeout = 2 * time.Minute })
	busy, idle := s.Company(t), s.Company(t)
	let, arrived := make(chan struct{}), make(chan struct{}, 1)
	var mu sync.Mutex
	now, most := 0, 0
	slow := receive(t, func(int, http.ResponseWriter) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		<-let
		mu.Lock()
		now--
		mu.Unlock()
	})
	quick := receive(t, func(int, http.ResponseWriter) { arrived <- struct{}{} })
	hook(t, busy, slow.URL)
	hook(t, idle, quick.URL)
	for range 30 {
		made(t, busy)
	}
	made(t, idle)
	release := sync.OnceFunc(func() { close(let) })
	defer release()
	patience.Receive(t, "the other company's message", arrived)
	release()
	settle(t, s)
	if n := len(slow.got()); n != 30 || most > 4 {
		t.Errorf("%d messages, %d at a time", n, most)
	}
}

// TestWebhookSurvivesRestart ends the appliance while the receiver is down.
func TestWebhookSurvivesRestart(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	down := true
	var mu sync.Mutex
	r := receive(t, func(_ int, w http.ResponseWriter) {
		mu.Lock()
		defer mu.Unlock()
		if down {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	run := func(f func(s *apptest.Server)) {
		t.Helper()
		s, err := apptest.StartIn(dir, clock, toReceivers)
		if err != nil {
			t.Fatal(err)
		}
		f(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var secret string
	var documents []string
	run(func(s *apptest.Server) {
		c := s.Company(t)
		documents = append(documents, made(t, c)) // before the receiver listens
		_, secret = hook(t, c, r.URL)
		for range 10 {
			documents = append(documents, made(t, c))
		}
	})
	mu.Lock()
	down = false
	mu.Unlock()
	run(func(s *apptest.Server) { s.Advance(t, "1h") })
	told := map[string]bool{}
	for _, p := range r.got() {
		if p.signature != signs(t, secret, p) {
			t.Error("a signature is wrong after the restart")
		}
		var body struct {
			Data struct{ Document struct{ ID string } }
		}
		if err := json.Unmarshal(p.body, &body); err != nil {
			t.Fatal(err)
		}
		told[body.Data.Document.ID] = true
	}
	for _, id := range documents[1:] {
		if !told[id] {
			t.Errorf("%s was not delivered", id)
		}
	}
	if told[documents[0]] {
		t.Error("an event from before the webhook was delivered")
	}
}

// TestWebhookOfManyPeople sends documents to so many people that every event is
// large: they go into several transactions, and the largest bodies are not kept.
func TestWebhookOfManyPeople(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, toReceivers)
	c := s.Company(t)
	first, second := receive(t, nil), receive(t, nil)
	at, secret := hook(t, c, first.URL)
	hook(t, c, second.URL)
	events := 0
	for _, people := range []int{25, 50} {
		var invited apptest.List
		for i := range people {
			invited = append(invited, apptest.Map{"name": strings.Repeat("Long", 45), "email": fmt.Sprintf("person-%d@%s.example", i, strings.Repeat("long.", 30)+"signer")})
		}
		id := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Rules of the house", "send": true, "invitations": invited},
			apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "The rules.")})).Want(t, 201).Text(t, "id")
		events += c.Get(t, "/documents/"+id+"/events?per_page=1").Int(t, "meta.total")
	}
	settle(t, s)
	most := 0
	for _, r := range []*receiver{first, second} {
		got, ids := r.got(), map[string]bool{}
		for _, p := range got {
			ids[p.id] = true
			most = max(most, len(p.body))
			if r == first && p.signature != signs(t, secret, p) {
				t.Errorf("the signature of %s is wrong", p.id)
			}
		}
		if len(got) != events || len(ids) != events {
			t.Errorf("%d messages with %d identifiers of %d events", len(got), len(ids), events)
		}
	}
	if events < 80 || most < 17<<10 {
		t.Errorf("%d events, the largest of %d bytes", events, most)
	}
	d := c.Get(t, at+"/deliveries").Text(t, "data.0.id")
	if r := c.Get(t, at+"/deliveries/"+d).Want(t, 200); len(r.Text(t, "request.body")) < 17<<10 {
		t.Errorf("the body is not shown: %.300s", r.Body)
	}
}
