package api

import (
	"cmp"
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
	"github.com/oklog/ulid/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
)

// The limits of what a test double keeps for tests.
const (
	maxTestFaults   = 1000
	maxTestRequests = 1000
	maxTestDelay    = time.Minute
	maxTestTimes    = 1_000_000
)

// How an answer is lost.
const (
	answerCut    = "cut"
	answerBroken = "broken"
)

type testFaultBody struct {
	Company string `json:"company,omitempty" doc:"ID of a company: only requests with its tokens fail; by default that of the token"`
	Method  string `json:"method,omitempty" doc:"Such as POST; any if left out"`
	Path    string `json:"path,omitempty" doc:"Such as /documents/*/send, where * is anything; any if left out. Paths below /test never fail"`
	Times   int    `json:"times,omitempty" doc:"How many requests fail; 1 by default"`
	Status  int    `json:"status,omitempty" doc:"400 to 599: what is answered, and nothing is done"`
	Delay   string `json:"delay,omitempty" doc:"Such as 2s, at most 60s: how long the request waits first"`
	Answer  string `json:"answer,omitempty" enum:"cut,broken" doc:"The answer is lost, after the request was done or, with status, refused: cut closes the connection without one, broken sends the first half of it"`
}

type testFault struct {
	ID      string  `json:"id"`
	Company *string `json:"company"`
	Method  *string `json:"method"`
	Path    *string `json:"path"`
	Times   int     `json:"times"`
	Status  *int    `json:"status"`
	Delay   *string `json:"delay"`
	Answer  *string `json:"answer" enum:"cut,broken"`
	Hits    int     `json:"hits" doc:"How many requests it has met"`
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

// rehearsedFaults makes requests to a test double fail as tests ask for, and remembers the latest
// requests. It is safe for concurrent use.
type rehearsedFaults struct {
	server *server

	mu       sync.Mutex
	faults   []*rehearsedFault
	requests []testRequest
}

// rehearsedFault is a fault as it was asked for, and how often it was met.
type rehearsedFault struct {
	id    string
	in    testFaultBody
	delay time.Duration
	hits  int
}

func (x *rehearsedFault) view() testFault {
	var status *int
	if x.in.Status != 0 {
		status = &x.in.Status
	}
	return testFault{ID: x.id, Company: orNull(x.in.Company), Method: orNull(x.in.Method), Path: orNull(x.in.Path),
		Times: x.in.Times, Status: status, Delay: orNull(x.in.Delay), Answer: orNull(x.in.Answer), Hits: x.hits}
}

// of reports whether a company asked for the fault; "" stands for all.
func (x *rehearsedFault) of(company string) bool { return company == "" || x.in.Company == company }

func (r testRequest) of(company string) bool {
	return company == "" || r.Company != nil && *r.Company == company
}

// meets reports whether a request is one that is to fail.
func (x *rehearsedFault) meets(company, method, path string) bool {
	return x.hits < x.in.Times && (x.in.Company == "" || x.in.Company == company) &&
		(x.in.Method == "" || strings.EqualFold(x.in.Method, method)) && (x.in.Path == "" || matches(x.in.Path, path))
}

// matches reports whether a path matches a pattern in which * stands for any text.
func matches(pattern, path string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(path, part)
		}
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	return path == ""
}

// add adds a fault, or says what is wrong with it.
func (f *rehearsedFaults) add(in testFaultBody) (testFault, error) {
	var wrong fault.Fields
	x := &rehearsedFault{id: ulid.Make().String(), in: in}
	x.in.Times, x.in.Company = cmp.Or(in.Times, 1), idOr(in.Company)
	if x.in.Times < 0 || x.in.Times > maxTestTimes {
		wrong.Between("times", 1, maxTestTimes)
	}
	if in.Status != 0 && (in.Status < 400 || in.Status > 599) {
		wrong.Between("status", 400, 599)
	}
	if in.Delay != "" {
		d, ok := duration(in.Delay)
		if !ok || d < 0 || d > maxTestDelay {
			wrong.Add("delay", "not_a_duration")
		}
		x.delay = d
	}
	if in.Answer != "" && in.Answer != answerCut && in.Answer != answerBroken {
		wrong.OneOf("answer", answerCut, answerBroken)
	}
	if in.Status == 0 && in.Delay == "" && in.Answer == "" {
		wrong.Required("status")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.faults) >= maxTestFaults {
		wrong.TooMany("faults", maxTestFaults)
	}
	if err := wrong.Err(); err != nil {
		return testFault{}, err
	}
	f.faults = append(f.faults, x)
	return x.view(), nil
}

// list returns the faults of a company, "" for all.
func (f *rehearsedFaults) list(company string) []testFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []testFault{}
	for _, x := range f.faults {
		if x.of(company) {
			out = append(out, x.view())
		}
	}
	return out
}

func (f *rehearsedFaults) remove(company, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.faults)
	f.faults = slices.DeleteFunc(f.faults, func(x *rehearsedFault) bool { return x.of(company) && x.id == id })
	if len(f.faults) == before {
		return fault.NotFound("fault")
	}
	return nil
}

// clear forgets the faults and requests of a company, "" for all.
func (f *rehearsedFaults) clear(company string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = slices.DeleteFunc(f.faults, func(x *rehearsedFault) bool { return x.of(company) })
	f.requests = slices.DeleteFunc(f.requests, func(r testRequest) bool { return r.of(company) })
}

// take returns the first fault that a request meets, nil if it meets none.
func (f *rehearsedFaults) take(company, method, path string) *rehearsedFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, x := range f.faults {
		if x.meets(company, method, path) {
			x.hits++
			return x
		}
	}
	return nil
}

// serve runs a request, and lets it fail if a test asked for that.
func (f *rehearsedFaults) serve(c *fiber.Ctx) error {
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
	x := f.take(company, seen.Method, path)
	err := f.run(c, x)
	if known, ok := c.Locals(companyKey).(string); ok && known != "" {
		company = known
	}
	seen.Company, seen.Status = orNull(company), c.Response().StatusCode()
	if x != nil {
		seen.Fault = &x.id
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
	return err
}

// run runs a request that meets a fault or nil. A failure is answered here, so that what becomes
// of the answer is known.
func (f *rehearsedFaults) run(c *fiber.Ctx, x *rehearsedFault) error {
	if x == nil {
		if err := c.Next(); err != nil {
			return f.server.fail(c, err)
		}
		return nil
	}
	time.Sleep(x.delay)
	var err error
	if x.in.Status != 0 {
		err = f.refuse(c, x.in.Status)
	} else if err = c.Next(); err != nil {
		err = f.server.fail(c, err)
	}
	if err != nil {
		return err
	}
	switch x.in.Answer {
	case answerCut:
		c.Context().HijackSetNoResponse(true)
		c.Context().Hijack(func(net.Conn) {}) // it is closed when this returns
	case answerBroken:
		body := slices.Clone(c.Response().Body())
		c.Response().SetBody(body[:len(body)/2])
	}
	return nil
}

// refuse answers as the server does when it fails with a status.
func (f *rehearsedFaults) refuse(c *fiber.Ctx, status int) error {
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

// seen returns the latest requests that a test asks about, oldest first.
func (f *rehearsedFaults) seen(company, method, path string) []testRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []testRequest{}
	for _, r := range f.requests {
		if r.of(company) && (method == "" || strings.EqualFold(method, r.Method)) && (path == "" || matches(path, r.Path)) {
			out = append(out, r)
		}
	}
	return out
}
