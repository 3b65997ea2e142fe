package api

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

// guardTests refuses requests for the test controls that a page of another site made a browser
// send: the controls need no password.
func (s *server) guardTests(c *fiber.Ctx) error {
	if site := c.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return fault.Forbidden("foreign_form")
	}
	if origin := c.Get(fiber.HeaderOrigin); origin != "" {
		if u, err := url.Parse(origin); err != nil || !strings.EqualFold(u.Host, string(c.Context().Host())) {
			return fault.Forbidden("foreign_form")
		}
	}
	return s.guardName(c)
}

// guardName refuses requests under a name that anybody could let point to this machine, so that
// a page under that name would count as one of this server's.
func (s *server) guardName(c *fiber.Ctx) error {
	if host := string(c.Context().Host()); !ownName(host) && !strings.EqualFold(host, s.Host) {
		return fault.Forbidden("foreign_name")
	}
	return c.Next()
}

// ownName reports whether no stranger can let a name point to this machine: it is an address, or
// has an ending that the public name system does not have.
func ownName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return true
	}
	private := []string{".localhost", ".internal", ".test"}
	return slices.ContainsFunc(private, func(end string) bool { return strings.HasSuffix(name, end) })
}
