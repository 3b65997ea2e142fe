package signer

import (
	"net/url"
)

// leaveAfter is the delay before the automatic redirect, in seconds.
const leaveAfter = 10

// setRedirect sets the redirect after signing. It is automatic only right after
// signing.
func (p *outcomePage) setRedirect(address string, now bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return
	}
	p.Onward, p.Host = address, u.Hostname()
	if now {
		p.Leaves = leaveAfter
	}
}
