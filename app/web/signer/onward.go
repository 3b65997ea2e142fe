package signer

import (
	"net/url"
)

// leaveAfter is how long a page stays, in seconds, before it leads on by itself.
const leaveAfter = 10

// leadOn shows where the sender wants people to go after signing. The page goes
// there by itself only for who has signed just now.
func (p *outcomePage) leadOn(address string, now bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return
	}
	p.Onward, p.Host = address, u.Hostname()
	if now {
		p.Leaves = leaveAfter
	}
}
