package api

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// request is one call of an endpoint.
type request struct {
	*fiber.Ctx
	server      *server
	op          *operation
	who         account.Actor
	uploads     []*signing.Upload
	stream      *bodyReader // of a body that is streamed
	fingerprint []byte      // of the body, for idempotency
	plain       []byte      // the body of an endpoint that takes none as JSON
	etag        string
	faults      account.Faults // of the query
}

// Keys of what a request carries for the log.
const (
	requestIDKey = "request_id"
	routeKey     = "route"
	companyKey   = "company"
)

// authenticate finds who asks, from the bearer token: a JWT of this service, or
// the token of a signatory's link.
func (s *server) authenticate(c *fiber.Ctx) (account.Actor, error) {
	scheme, token, ok := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	token = strings.TrimSpace(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return account.Actor{}, account.Unauthenticated()
	}
	var who account.Actor
	var err error
	if signing.IsLinkToken(token) {
		who, err = s.Signing.Signatory(c.UserContext(), token)
	} else {
		who, err = s.Accounts.Authenticate(c.UserContext(), token)
	}
	if err != nil {
		return account.Actor{}, err
	}
	who.Seen = ifMatch(c.Get(fiber.HeaderIfMatch))
	return who.From(s.address(c), agent(c), requestID(c)), nil
}

// agent is the caller's program, cut to what evidence needs.
func agent(c *fiber.Ctx) string {
	s := c.Get(fiber.HeaderUserAgent)
	return strings.ToValidUTF8(s[:min(len(s), 400)], "")
}

func requestID(c *fiber.Ctx) string {
	id, _ := c.Locals(requestIDKey).(string)
	return id
}

func parseProxies(all []string) ([]netip.Prefix, error) {
	out := make([]netip.Prefix, 0, len(all))
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

// peer is the address at the other end of the connection.
func peer(c *fiber.Ctx) netip.Addr {
	a, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	if !ok {
		return netip.Addr{}
	}
	return a.Unmap()
}

func (s *server) trusted(a netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// address is where a request comes from. Forwarded headers count only when a
// trusted proxy sent them, and only the last hop that is not one of ours.
func (s *server) address(c *fiber.Ctx) string {
	at := peer(c)
	if !s.trusted(at) {
		return at.String()
	}
	hops := strings.Split(c.Get(fiber.HeaderXForwardedFor), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = a.Unmap()
		if !s.trusted(at) {
			break
		}
	}
	return at.String()
}

// base is the address of the API as the caller used it, for links.
func (r *request) base() string {
	base := r.site()
	if r.Path() == "/api" || strings.HasPrefix(r.Path(), "/api/") {
		base += "/api"
	}
	return base
}

// site is the address of the appliance as the caller used it.
func (r *request) site() string {
	if r.server.BaseURL != "" {
		return strings.TrimSuffix(r.server.BaseURL, "/")
	}
	scheme, host := "http", string(r.Context().Host())
	if r.Context().IsTLS() {
		scheme = "https"
	}
	if r.server.trusted(peer(r.Ctx)) {
		if v := r.Get(fiber.HeaderXForwardedProto); v == "http" || v == "https" {
			scheme = v
		}
		if v := r.Get(fiber.HeaderXForwardedHost); v != "" {
			host = strings.TrimSpace(strings.Split(v, ",")[0])
		}
	}
	return scheme + "://" + host
}

// id reads an identifier of the path: a ULID in either of its renderings.
// Anything else is not found.
func (r *request) id(name string) (string, error) {
	id, ok := parseID(r.Params(name))
	if !ok {
		return "", account.NotFound(strings.ReplaceAll(name, "_", " "))
	}
	return id, nil
}

// parseID reads a ULID as 26 Crockford characters of either case, or as the
// 8-4-4-4-12 hexadecimal rendering of the same 128 bits.
func parseID(s string) (string, bool) {
	if len(s) == 36 {
		return parseUUID(s)
	}
	u, err := ulid.ParseStrict(s)
	if err != nil {
		return "", false
	}
	return u.String(), true
}

func parseUUID(s string) (string, bool) {
	var u ulid.ULID
	digits := make([]byte, 0, 32)
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return "", false
			}
		default:
			digits = append(digits, s[i])
		}
	}
	for i := range u {
		v, err := strconv.ParseUint(string(digits[2*i:2*i+2]), 16, 8)
		if err != nil {
			return "", false
		}
		u[i] = byte(v)
	}
	return u.String(), true
}

// idOr reads an identifier of a body: one of either rendering is brought into
// ours, anything else stays for the service to refuse.
func idOr(s string) string {
	if id, ok := parseID(s); ok {
		return id
	}
	return s
}

// document reads the identifier of the path's document.
func (r *request) document() (string, error) { return r.id("document") }

// ifMatch lists the versions that the caller says they saw (RFC 9110 §13.1.1);
// none means any. A tag that is not one of ours matches nothing.
func ifMatch(header string) []int64 {
	if header == "" || header == "*" {
		return nil
	}
	var seen []int64
	for tag := range strings.SplitSeq(header, ",") {
		v, err := strconv.ParseInt(strings.Trim(strings.TrimSpace(tag), `"`), 10, 64)
		if err != nil {
			v = -1
		}
		seen = append(seen, v)
	}
	return seen
}

// version makes the ETag of a document.
func (r *request) version(d *signing.Document) { r.etag = `"` + strconv.FormatInt(d.Version, 10) + `"` }

func matchesETag(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}
