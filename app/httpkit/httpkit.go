// Package httpkit contains the HTTP handling that the JSON API and the pages share:
// access rules, bodies with limits on size and speed, multipart, downloads with
// ranges, statuses, and client addresses.
//
// A route can only be added with a [Rule]. The caller, their permissions and the
// announced size are checked before the body is read. The memory for the body is
// charged to the process's [Budget] for the duration of the request.
package httpkit

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/input"
	"paraph/app/memory"
	"paraph/app/turns"
)

// Keys of a request's local values for the log. The log names the route rather than
// the path, which may contain a token.
const (
	RequestIDKey = "request_id"
	RouteKey     = "route"
)

// Options configures a [Kit].
type Options struct {
	TrustedProxies []string // addresses or prefixes whose forwarded headers are used
	BaseURL        string   // address of the appliance; "" derives it from the request
	Listener       string   // address of the listener, such as http://127.0.0.1:8080
	// ReadTimeout is how long the sender of a body may pause.
	ReadTimeout time.Duration
	// Members counts members' requests in progress, which take precedence over those of
	// unauthenticated callers.
	Members *turns.Presence
	// Processors shares the processors between companies; nil: see [turns.Processors].
	Processors *turns.Queue
	// Memory is the number of bytes that all requests in flight may hold; 0 derives it
	// from the machine's memory.
	Memory int64
}

// Kit is shared by all request handlers of one server.
type Kit struct {
	Proxies
	budget   *turns.Queue
	turns    *turns.Queue // unauthenticated callers
	slow     *turns.Queue // unauthenticated callers of slow routes
	served   *turns.Queue // members
	members  *turns.Presence
	baseURL  string
	prefix   string
	listener string
	idle     time.Duration

	mu     sync.Mutex
	routes []Route
}

// New returns a Kit, or an error if an option is invalid.
func New(o Options) (*Kit, error) {
	proxies, err := ParseProxies(o.TrustedProxies)
	if err != nil {
		return nil, err
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = time.Minute
	}
	if o.Memory == 0 {
		o.Memory = share(memory.Machine())
	}
	if o.Members == nil {
		o.Members = new(turns.Presence)
	}
	if o.Processors == nil {
		o.Processors = turns.Processors()
	}
	return &Kit{
		Proxies:  proxies,
		budget:   NewBudget(o.Memory),
		turns:    newTurns(o.Members),
		slow:     newTurns(o.Members),
		served:   o.Processors,
		members:  o.Members,
		baseURL:  o.BaseURL,
		prefix:   prefixOf(o.BaseURL),
		listener: o.Listener,
		idle:     o.ReadTimeout,
	}, nil
}

// newTurns returns the queue for unauthenticated callers, who are served in turn and
// get at most half of the processors, and less while members are being served. A few
// such requests cost nothing noticeable, but thousands per second would.
func newTurns(members *turns.Presence) *turns.Queue {
	return turns.New(turns.Options{Slots: max(1, int64(runtime.GOMAXPROCS(0))/2), Waiting: 256, Patience: 10 * time.Second,
		Members: members})
}

// Serve counts a member's request as in progress until done is called. Requests that
// wait for other people's actions don't count.
func (k *Kit) Serve(who account.Call, rule Rule) (done func()) {
	if rule.Queued || who.CompanyID == "" || who.IsSignatory() {
		return func() {}
	}
	return k.members.Enter()
}

// Turn waits until it is the caller's turn: that of the unauthenticated on routes open to
// them, that of the company on others. Read the body before calling it, so that a slow sender
// doesn't keep others waiting.
func (k *Kit) Turn(c *fiber.Ctx, rule Rule, who account.Call) (leave func(), err error) {
	switch {
	case rule.shared(c.Method()) && rule.Slow:
		return k.slow.Enter(c.UserContext(), turns.Stranger(k.Address(c)))
	case rule.shared(c.Method()):
		return k.turns.Enter(c.UserContext(), turns.Stranger(k.Address(c)))
	}
	v := k.visit(c, rule, CallerOf(who, ""))
	return v.Leave, v.Enter(c.UserContext())
}

// visit returns the turn of a member's request. It is interrupted while the request waits for the
// sender of its body, for the receiver of its response, or for a turn of something else.
func (k *Kit) visit(c *fiber.Ctx, rule Rule, caller turns.Key) *turns.Visit {
	v := turns.VisitOf(c.UserContext())
	if v != nil || rule.Queued || caller.IsStranger() {
		return v
	}
	v = k.served.Visit(caller)
	c.SetUserContext(turns.Yielding(c.UserContext(), v))
	return v
}

// RequestID returns the ID of a request.
func RequestID(c *fiber.Ctx) string {
	id, _ := c.Locals(RequestIDKey).(string)
	return id
}

// Agent returns the caller's user agent, cut to the length kept as evidence.
func Agent(c *fiber.Ctx) string {
	s := c.Get(fiber.HeaderUserAgent)
	return input.Visible(strings.ToValidUTF8(s[:min(len(s), 400)], ""))
}

// Site returns the base address of the appliance as the caller sees it.
func (k *Kit) Site(c *fiber.Ctx) string { return k.Proxies.Site(c, k.baseURL) }

// MailSite returns the base address of links in mails triggered by a request. It never
// trusts the host name in the request, which its sender controls: without a configured
// address, it is the local address of the connection, or the listener's.
func (k *Kit) MailSite(c *fiber.Ctx) string {
	if k.baseURL != "" {
		return k.Site(c)
	}
	if string(c.Context().Host()) != c.Context().LocalAddr().String() {
		return k.listener
	}
	return Proxies{}.Site(c, "")
}

// hstsOneYear makes browsers use only TLS for this host, for a year.
const hstsOneYear = "max-age=31536000"

// Secure sets the security headers of all responses. Browsers and proxies don't cache
// a response unless its handler allows it.
func (k *Kit) Secure(c *fiber.Ctx) {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "no-store")
	if k.Encrypted(c) {
		c.Set(fiber.HeaderStrictTransportSecurity, hstsOneYear)
	}
}
