// Package httpkit holds the HTTP handling that the JSON API and the pages share:
// who may call a route and how much it may send, bodies that are bounded and must
// keep moving, multipart, downloads with ranges, statuses, and client addresses.
//
// A route can be added only with a [Rule]. The caller, the permission and the
// size are checked before the body is read; memory for the body is charged to the
// [Budget] of the process while the request holds it.
package httpkit

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/memory"
	"paraph/app/turns"
)

// Keys of values that a request carries, for the log. A path may hold a token;
// the name of its route does not.
const (
	RequestIDKey = "request_id"
	RouteKey     = "route"
)

// Options configure a [Kit].
type Options struct {
	TrustedProxies []string // addresses or prefixes whose forwarded headers count
	BaseURL        string   // of the appliance; "" derives it from the request
	Listener       string   // address of the listener, such as http://127.0.0.1:8080
	// ReadTimeout is how long a body may stand still.
	ReadTimeout time.Duration
	// Members counts the requests of members in progress; strangers slow down for them.
	Members *turns.Presence
	// Memory is the amount that all requests in flight may hold; 0 derives it from the machine.
	Memory int64
}

// Kit is shared by all request handlers of one server.
type Kit struct {
	Proxies
	budget   *Budget
	turns    *turns.Queue // of unauthenticated callers
	slow     *turns.Queue // of those whose calls take long
	members  *turns.Presence
	baseURL  string
	prefix   string
	listener string
	idle     time.Duration

	mu     sync.Mutex
	routes []Route
}

// New checks the options.
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
	return &Kit{Proxies: proxies, budget: NewBudget(o.Memory), turns: newTurns(o.Members), slow: newTurns(o.Members),
		members: o.Members, baseURL: o.BaseURL, prefix: prefixOf(o.BaseURL), listener: o.Listener, idle: o.ReadTimeout}, nil
}

// newTurns returns the queue for strangers: they get half of the processors, and
// are answered in turn. A page more or less has no noticeable cost; thousands a
// second would, and even half of the processors is more than they get while members
// are being served.
func newTurns(members *turns.Presence) *turns.Queue {
	return turns.New(turns.Options{Slots: max(1, int64(runtime.GOMAXPROCS(0))/2), Waiting: 256, Patience: 10 * time.Second,
		Members: members})
}

// Serve counts a member's request until done is called. Requests that wait for other
// people's actions don't count.
func (k *Kit) Serve(who account.Actor, rule Rule) (done func()) {
	if rule.Queued || who.CompanyID == "" || who.IsSignatory() {
		return func() {}
	}
	return k.members.Enter()
}

// Turn waits, on a route that strangers may call, until it is the caller's turn
// to be answered. On other routes it does not wait. Read the body before calling
// it: a slow sender must not keep others waiting.
func (k *Kit) Turn(c *fiber.Ctx, rule Rule) (leave func(), err error) {
	if !rule.shared(c.Method()) {
		return func() {}, nil
	}
	line := k.turns
	if rule.Slow {
		line = k.slow
	}
	return line.Enter(c.UserContext(), turns.Stranger(k.Address(c)))
}

// RequestID returns the identifier of a request.
func RequestID(c *fiber.Ctx) string {
	id, _ := c.Locals(RequestIDKey).(string)
	return id
}

// Agent returns the caller's user agent, cut to the length that evidence needs.
func Agent(c *fiber.Ctx) string {
	s := c.Get(fiber.HeaderUserAgent)
	return strings.ToValidUTF8(s[:min(len(s), 400)], "")
}

// Site returns the address of the appliance as the caller sees it.
func (k *Kit) Site(c *fiber.Ctx) string { return k.Proxies.Site(c, k.baseURL) }

// MailSite returns the base address of the links in mails that a request
// triggers. The sender of a request controls the host names in it; without a
// configured address, mails use the address that the connection was made to, or
// the listener's.
func (k *Kit) MailSite(c *fiber.Ctx) string {
	if k.baseURL != "" {
		return k.Site(c)
	}
	if string(c.Context().Host()) != c.Context().LocalAddr().String() {
		return k.listener
	}
	return Proxies{}.Site(c, "")
}

// yearOfTLS makes browsers use only TLS for this host for a year.
const yearOfTLS = "max-age=31536000"

// Secure sets the headers that every response has. Browsers and proxies do not
// cache a response unless its handler allows it.
func (k *Kit) Secure(c *fiber.Ctx) {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderCacheControl, "no-store")
	if k.Encrypted(c) {
		c.Set(fiber.HeaderStrictTransportSecurity, yearOfTLS)
	}
}
