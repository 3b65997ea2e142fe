package api

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/mishap"
)

// maxTestRequests is how many requests a test double remembers.
const maxTestRequests = 1000

type testFaultBody struct {
	Company string `json:"company,omitempty" doc:"ID of a company: only its requests, messages, webhooks, documents and records fail; by default that of the token"`
	Target  string `json:"target,omitempty" enum:"requests,mail,webhooks,timestamps,sealing,disk" doc:"What fails; requests by default"`
	Method  string `json:"method,omitempty" doc:"Of requests: such as POST; any if left out"`
	Path    string `json:"path,omitempty" doc:"Of requests: such as /documents/*/send, where * is anything; any if left out. Paths below /test never fail"`
	To      string `json:"to,omitempty" doc:"Of mail: an e-mail address; any if left out"`
	Kind    string `json:"kind,omitempty" doc:"Of mail: the kind of message, such as invitation; any if left out"`
	URL     string `json:"url,omitempty" doc:"Of webhooks: the receiver's address, where * is anything; any if left out"`
	Type    string `json:"type,omitempty" doc:"Of webhooks: the type of event, such as document.completed; any if left out"`
	Times   int    `json:"times,omitempty" doc:"How many attempts fail; 1 by default"`
	Status  int    `json:"status,omitempty" doc:"Of requests, 400 to 599: what is answered, and nothing is done. Of webhooks, 300 to 599: what the receiver answers"`
	Delay   string `json:"delay,omitempty" doc:"Such as 2s, at most 60s: how long it takes first. Changes on disk have none"`
	Answer  string `json:"answer,omitempty" enum:"cut,broken,refused,timeout,rejected,bounced" doc:"How it fails. Requests are done and lose their answer: cut closes the connection without one, broken sends the first half of it. Otherwise there is no connection (refused, by default), no answer (timeout), or for webhooks the connection breaks (cut). The mail server can also refuse the message for good (rejected), or take and return it (bounced)"`
}

func (in testFaultBody) mishap() (m mishap.Mishap, ok bool) {
	m = mishap.Mishap{Subject: mishap.Subject{Target: mishap.Target(in.Target), Company: idOr(in.Company), Method: in.Method, Path: in.Path,
		To: in.To, Kind: in.Kind, URL: in.URL, Type: in.Type}, Times: in.Times, Status: in.Status, Answer: in.Answer}
	if in.Delay == "" {
		return m, true
	}
	m.Delay, ok = duration(in.Delay)
	return m, ok
}

type testFault struct {
	ID      string  `json:"id"`
	Company *string `json:"company"`
	Target  string  `json:"target" enum:"requests,mail,webhooks,timestamps,sealing,disk"`
	Method  *string `json:"method"`
	Path    *string `json:"path"`
	To      *string `json:"to"`
	Kind    *string `json:"kind"`
	URL     *string `json:"url"`
	Type    *string `json:"type"`
	Times   int     `json:"times"`
	Status  *int    `json:"status"`
	Delay   *string `json:"delay"`
	Answer  *string `json:"answer" enum:"cut,broken,refused,timeout,rejected,bounced"`
	Hits    int     `json:"hits" doc:"How many attempts have failed because of it"`
}

func viewFault(x mishap.Entry) testFault {
	v := testFault{ID: x.ID, Company: orNull(x.Company), Target: string(x.Target), Method: orNull(x.Method), Path: orNull(x.Path), To: orNull(x.To),
		Kind: orNull(x.Kind), URL: orNull(x.URL), Type: orNull(x.Type), Times: x.Times, Answer: orNull(x.Answer), Hits: x.Hits}
	if x.Status != 0 {
		v.Status = &x.Status
	}
	if x.Delay != 0 {
		v.Delay = orNull(x.Delay.String())
	}
	return v
}

type testRequest struct {
	ID        string  `json:"id" doc:"As in X-Request-Id"`
	At        string  `json:"at" format:"date-time" doc:"By the wall clock, not the clock of the test double"`
	Company   *string `json:"company"`
	Method    string  `json:"method"`
	Path      string  `json:"path"`
	Query     *string `json:"query"`
	UserAgent *string `json:"user_agent"`
	Key       *string `json:"idempotency_key"`
	Status    int     `json:"status"`
	Code      *string `json:"code" doc:"The code of an error"`
	Fault     *string `json:"fault" doc:"ID of the fault that it met"`
}

// requestJournal remembers the latest requests to a test double, and lets those fail that meet a
// mishap. It is safe for concurrent use.
type requestJournal struct {
	server  *server
	mishaps *mishap.Register

	mu       sync.Mutex
	requests []testRequest
	added    chan struct{} // closed with the next request
}

// of reports whether a request was of a company; "" stands for all.
func (r testRequest) of(company string) bool {
	return company == "" || r.Company != nil && *r.Company == company
}

// clear forgets the requests of a company, "" for all.
func (f *requestJournal) clear(company string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = slices.DeleteFunc(f.requests, func(r testRequest) bool { return r.of(company) })
}

// serve runs a request, and lets it fail if a test asked for that.
func (f *requestJournal) serve(c *fiber.Ctx) error {
	path := c.Path()
	if below, ok := strings.CutPrefix(path, "/api/"); ok {
		path = "/" + below
	}
	if strings.HasPrefix(path, "/test/") {
		return c.Next()
	}
	seen := testRequest{ID: httpkit.RequestID(c), At: when(time.Now()), Method: c.Method(), Path: path, Query: orNull(string(c.Context().URI().QueryString())),
		UserAgent: orNull(c.Get(fiber.HeaderUserAgent)), Key: orNull(c.Get("Idempotency-Key"))}
	company := claimed(c)
	x := f.mishaps.Take(mishap.Subject{Target: mishap.Requests, Company: company, Method: seen.Method, Path: path})
	err := f.run(c, x)
	if known, ok := c.Locals(companyKey).(string); ok && known != "" {
		company = known
	}
	seen.Company, seen.Status = orNull(company), c.Response().StatusCode()
	if x != nil {
		seen.Fault = &x.ID
	}
	if seen.Status >= http.StatusBadRequest && !c.Response().IsBodyStream() {
		var said struct{ Code string }
		if json.Unmarshal(c.Response().Body(), &said) == nil {
			seen.Code = orNull(said.Code)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests = append(f.requests, seen); len(f.requests) > maxTestRequests {
		f.requests = slices.Delete(f.requests, 0, len(f.requests)-maxTestRequests)
	}
	close(f.added)
	f.added = make(chan struct{})
	return err
}

// run runs a request that meets a fault or nil. A failure is answered here, so that what becomes
// of the answer is known.
func (f *requestJournal) run(c *fiber.Ctx, x *mishap.Entry) error {
	if x == nil {
		if err := c.Next(); err != nil {
			return f.server.fail(c, err)
		}
		return nil
	}
	x.Wait(c.UserContext())
	var err error
	if x.Status != 0 {
		err = f.refuse(c, x.Status)
	} else if err = c.Next(); err != nil {
		err = f.server.fail(c, err)
	}
	if err != nil {
		return err
	}
	switch x.Answer {
	case mishap.Cut:
		c.Context().HijackSetNoResponse(true)
		c.Context().Hijack(func(net.Conn) {}) // it is closed when this returns
	case mishap.Broken:
		body := slices.Clone(c.Response().Body())
		c.Response().SetBody(body[:len(body)/2])
	}
	return nil
}

// refuse answers as the server does when it fails with a status.
func (f *requestJournal) refuse(c *fiber.Ctx, status int) error {
	switch status {
	case http.StatusInternalServerError:
		return f.server.fail(c, errors.New("a test asked for this failure"))
	case http.StatusTooManyRequests:
		return f.server.fail(c, fault.Throttled(60, time.Second))
	case http.StatusServiceUnavailable:
		later := fault.Unavailable("not_ready")
		later.RetryAfter = time.Second
		return f.server.fail(c, later)
	}
	_, body := f.server.framework(fiber.NewError(status))
	return c.Status(status).JSON(body)
}

// claimed returns the company that a request's token claims to be for. Nobody has checked it: it
// only selects the test that wants its requests to fail.
func claimed(c *fiber.Ctx) string {
	_, token, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	var claims struct{ Company string }
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(b, &claims) != nil {
		return ""
	}
	return claims.Company
}

// wantedRequests selects requests; empty members select all.
type wantedRequests struct{ company, method, path, document string }

func (w wantedRequests) fits(r testRequest) bool {
	return r.of(w.company) && (w.method == "" || strings.EqualFold(w.method, r.Method)) && (w.path == "" || mishap.Matches(w.path, r.Path)) &&
		(w.document == "" || strings.Contains(strings.ToUpper(r.Path)+"/", "/"+w.document+"/"))
}

// seen returns the latest requests that a test asks about, oldest first, and a channel that is
// closed with the next request.
func (f *requestJournal) seen(w wantedRequests) (found []testRequest, next <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found = []testRequest{}
	for _, r := range f.requests {
		if w.fits(r) {
			found = append(found, r)
		}
	}
	return found, f.added
}
