package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"paraph/app/metrics"
	"paraph/app/pki"
	"paraph/app/webhook"
)

// outgoing makes connections to other servers, only to hosts that the configuration allows:
// with network.egress = ["none"] nothing ever leaves.
type outgoing struct{ network NetworkConfig }

// dialer returns a function that connects to allowed hosts only.
func (o outgoing) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 10 * time.Second}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if !o.network.AllowsHost(host) {
			return nil, fmt.Errorf("network.egress does not allow connections to %s", host)
		}
		return d.DialContext(ctx, network, address)
	}
}

// client returns the client for all outgoing HTTP: bounded, without redirects
// and proxies.
func (o outgoing) client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DialContext: o.dialer(), MaxIdleConnsPerHost: 2,
			IdleConnTimeout: time.Minute, TLSHandshakeTimeout: timeout,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// revocations returns a client for the addresses that certificates name. Whoever imports a key chooses them, so that
// private addresses are refused unless network.egress names the host.
func (o outgoing) revocations(timeout time.Duration) *http.Client {
	open := o.dialer()
	public := &net.Dialer{Timeout: timeout, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err == nil && !webhook.Public(at.Addr()) {
			err = fmt.Errorf("%s is a private address of a host that network.egress does not name", at.Addr())
		}
		return err
	}}
	c := o.client(timeout)
	c.Transport = &http.Transport{
		DisableKeepAlives: true, TLSHandshakeTimeout: timeout, ResponseHeaderTimeout: timeout,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err == nil && o.network.AllowsHost(host) && !o.network.names(host) {
				return public.DialContext(ctx, network, address)
			}
			return open(ctx, network, address)
		},
	}
	return c
}

// webhooks returns a client that posts to the receivers of webhooks.
func (o outgoing) webhooks(c WebhooksConfig, m *metrics.Metrics) *webhook.Client {
	return webhook.NewClient(webhook.Options{
		Timeout: c.Timeout, AllowPrivate: c.AllowPrivate, Allows: o.network.AllowsHost, Observe: m.Webhook,
	})
}

// timestamper returns the configured remote authority, or nil for the built-in
// one.
func (o outgoing) timestamper(c SigningConfig, now func() time.Time) (pki.Timestamper, error) {
	if c.TimestampURL == "" {
		return nil, nil
	}
	return pki.NewHTTPTimestamper(pki.HTTPOptions{
		URL: c.TimestampURL, Timeout: c.TimestampTimeout, Client: o.client(c.TimestampTimeout), Now: now,
	})
}

// resolver returns the resolver for questions about the sender's domain; nil if DNS may not be used.
func (o outgoing) resolver() *net.Resolver {
	server := o.network.DNS
	switch server {
	case dnsNone:
		return nil
	case dnsSystem:
		return net.DefaultResolver
	}
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}}
}
