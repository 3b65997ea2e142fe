package httpkit

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Proxies holds the addresses of trusted proxies, whose forwarded headers are used.
type Proxies []netip.Prefix

// ParseProxies parses addresses and prefixes.
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

// peer returns the address at the other end of the connection.
func peer(c *fiber.Ctx) netip.Addr {
	a, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	if !ok {
		return netip.Addr{}
	}
	return a.Unmap()
}

// trusts reports whether a request comes from a trusted proxy. On a Unix socket it
// always does: only programs that the socket's mode allows can connect.
func (p Proxies) trusts(c *fiber.Ctx) bool {
	return c.Context().LocalAddr().Network() == "unix" || p.trust(peer(c))
}

// Address returns the client's address. It uses forwarded headers only from a trusted
// proxy, and of them only the last hop that isn't a trusted proxy itself. What stands
// before something unreadable could be anybody's, so it isn't used either.
func (p Proxies) Address(c *fiber.Ctx) string {
	at := peer(c)
	if !p.trusts(c) {
		return at.String()
	}
	for _, hop := range slices.Backward(forwarded(c, fiber.HeaderXForwardedFor)) {
		a, ok := parseHop(hop)
		if !ok {
			break
		}
		if at = a; !p.trust(at) {
			break
		}
	}
	return at.String()
}

// forwarded returns the values of all lines of a header, in order: proxies may add to a
// line or add a line of their own, and what the client has sent comes before.
func forwarded(c *fiber.Ctx, header string) (values []string) {
	for _, line := range c.Request().Header.PeekAll(header) {
		for value := range strings.SplitSeq(string(line), ",") {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// lastForwarded returns the value of a header that the nearest proxy has set, or "".
func lastForwarded(c *fiber.Ctx, header string) string {
	values := forwarded(c, header)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// parseHop parses an address with or without a port.
func parseHop(hop string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(hop, "["), "]"))
	if err != nil {
		var withPort netip.AddrPort
		withPort, err = netip.ParseAddrPort(hop)
		a = withPort.Addr()
	}
	return a.Unmap().WithZone(""), err == nil
}

// Site returns the base address of the appliance as the caller sees it: the configured
// one, or else the one in the request.
func (p Proxies) Site(c *fiber.Ctx, configured string) string {
	if configured != "" {
		return strings.TrimSuffix(configured, "/")
	}
	scheme, host := "http", string(c.Context().Host())
	if c.Context().IsTLS() {
		scheme = "https"
	}
	if p.trusts(c) {
		if v := lastForwarded(c, fiber.HeaderXForwardedProto); v == "http" || v == "https" {
			scheme = v
		}
		if v := lastForwarded(c, fiber.HeaderXForwardedHost); v != "" {
			host = v
		}
	}
	return scheme + "://" + host
}

// Encrypted reports whether the client's connection uses TLS, according to a trusted
// proxy or the connection itself.
func (p Proxies) Encrypted(c *fiber.Ctx) bool {
	if c.Context().IsTLS() {
		return true
	}
	return p.trusts(c) && lastForwarded(c, fiber.HeaderXForwardedProto) == "https"
}
