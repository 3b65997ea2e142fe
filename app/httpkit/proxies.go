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
// proxy, and of them only the last hop that isn't a trusted proxy itself.
func (p Proxies) Address(c *fiber.Ctx) string {
	at := peer(c)
	if !p.trusts(c) {
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
		if v := c.Get(fiber.HeaderXForwardedProto); v == "http" || v == "https" {
			scheme = v
		}
		if v := c.Get(fiber.HeaderXForwardedHost); v != "" {
			host = strings.TrimSpace(strings.Split(v, ",")[0])
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
	return p.trusts(c) && c.Get(fiber.HeaderXForwardedProto) == "https"
}
