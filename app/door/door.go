// Package door is what the doors have in common: where a request comes from, as
// which site its caller sees us, and which status a refusal of the heart has.
package door

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

// Keys of what a request carries, for the log. A path may hold a token; the name
// of its route does not.
const (
	RequestIDKey = "request_id"
	RouteKey     = "route"
)

// RequestID is the identifier of a request.
func RequestID(c *fiber.Ctx) string {
	id, _ := c.Locals(RequestIDKey).(string)
	return id
}

// Agent is the caller's program, cut to what evidence needs.
func Agent(c *fiber.Ctx) string {
	s := c.Get(fiber.HeaderUserAgent)
	return strings.ToValidUTF8(s[:min(len(s), 400)], "")
}

// Proxies are those whose forwarded headers count.
type Proxies []netip.Prefix

// ParseProxies reads addresses and prefixes.
func ParseProxies(all []string) (Proxies, error) {
	out := make(Proxies, 0, len(all))
	for _, s := range all {
		if a, err := netip.ParseAddr(s); err == nil {
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("server.trusted_proxies: %q is neither an address nor a prefix", s)
		}
		out = append(out, p)
	}
	return out, nil
}

func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
}

// peer is the address at the other end of the connection.
func peer(c *fiber.Ctx) netip.Addr {
	a, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	if !ok {
		return netip.Addr{}
	}
	return a.Unmap()
}

// Address is where a request comes from. Forwarded headers count only when a
// trusted proxy sent them, and only the last hop that is not one of ours.
func (p Proxies) Address(c *fiber.Ctx) string {
	at := peer(c)
	if !p.trust(at) {
		return at.String()
	}
	hops := strings.Split(c.Get(fiber.HeaderXForwardedFor), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		if at = a.Unmap(); !p.trust(at) {
			break
		}
	}
	return at.String()
}

// Site is the address of the appliance as the caller sees it: the configured one,
// else what the request says.
func (p Proxies) Site(c *fiber.Ctx, configured string) string {
	if configured != "" {
		return strings.TrimSuffix(configured, "/")
	}
	scheme, host := "http", string(c.Context().Host())
	if c.Context().IsTLS() {
		scheme = "https"
	}
	if p.trust(peer(c)) {
		if v := c.Get(fiber.HeaderXForwardedProto); v == "http" || v == "https" {
			scheme = v
		}
		if v := c.Get(fiber.HeaderXForwardedHost); v != "" {
			host = strings.TrimSpace(strings.Split(v, ",")[0])
		}
	}
	return scheme + "://" + host
}

var statuses = map[fault.Kind]int{
	fault.KindMalformed:          http.StatusBadRequest,
	fault.KindUnauthenticated:    http.StatusUnauthorized,
	fault.KindForbidden:          http.StatusForbidden,
	fault.KindNotFound:           http.StatusNotFound,
	fault.KindConflict:           http.StatusConflict,
	fault.KindPreconditionFailed: http.StatusPreconditionFailed,
	fault.KindTooLarge:           http.StatusRequestEntityTooLarge,
	fault.KindUnsupported:        http.StatusUnsupportedMediaType,
	fault.KindInvalid:            http.StatusUnprocessableEntity,
	fault.KindThrottled:          http.StatusTooManyRequests,
	fault.KindUnavailable:        http.StatusServiceUnavailable,
	fault.KindNoSpace:            http.StatusInsufficientStorage,
}

// Status is that of a refusal; 0 for what is our fault.
func Status(k fault.Kind) int { return statuses[k] }

// Unknown refuses a request that no route has taken: 405 with Allow where the
// path is known under other methods, else 404.
func Unknown(c *fiber.Ctx) error {
	allowed := methods(c)
	if len(allowed) == 0 || slices.Contains(allowed, c.Method()) {
		return fault.NotFound("page")
	}
	c.Set(fiber.HeaderAllow, strings.Join(allowed, ", "))
	return fiber.ErrMethodNotAllowed
}

// methods are those that the path of a request is known under.
func methods(c *fiber.Ctx) []string {
	var out []string
	for _, r := range c.App().GetRoutes(true) {
		if !slices.Contains(out, r.Method) && fiber.RoutePatternMatch(c.Path(), r.Path) {
			out = append(out, r.Method)
		}
	}
	slices.Sort(out)
	return out
}
