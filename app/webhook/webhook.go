// Package webhook posts a signed message to a receiver, following Standard Webhooks
// (https://www.standardwebhooks.com), and reads a limited part of the response. Unless told
// otherwise it calls public addresses only, and it follows no redirects: a receiver's address
// must not open a way into the server's network.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SecretPrefix starts every secret; the key follows in base64.
const SecretPrefix = "whsec_"

// Secret formats a key as shown to receivers.
func Secret(key []byte) string { return SecretPrefix + base64.StdEncoding.EncodeToString(key) }

// Message is one delivery. A repeated attempt has the same ID.
type Message struct {
	URL  string
	ID   string
	At   time.Time // time of this attempt
	Body []byte
	Keys [][]byte // each one signs; several while an old one is still valid
}

// Signatures returns the webhook-signature header.
func (m Message) Signatures() string {
	all := make([]string, len(m.Keys))
	for i, key := range m.Keys {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(m.ID + "." + m.stamp() + "."))
		h.Write(m.Body)
		all[i] = "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
	}
	return strings.Join(all, " ")
}

func (m Message) stamp() string { return strconv.FormatInt(m.At.Unix(), 10) }

// Headers returns the headers to send with the message.
func (m Message) Headers() map[string]string {
	return map[string]string{"Content-Type": "application/json", "User-Agent": "Paraph-Webhooks/1.0",
		"Webhook-Id": m.ID, "Webhook-Timestamp": m.stamp(), "Webhook-Signature": m.Signatures()}
}

// Limits on how much of a response is read, in bytes.
const (
	maxRead    = 64 << 10
	maxKept    = 4 << 10
	maxHeaders = 32 << 10
	maxNames   = 30
)

// Answer is the receiver's response.
type Answer struct {
	Status  int // 0: no valid HTTP response
	Headers []string
	Body    string // its beginning
}

// OK reports whether the receiver accepted the message.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Gone reports that the receiver wants no more messages.
func (a Answer) Gone() bool { return a.Status == http.StatusGone }

// Options restrict where messages may go, and how long that may take.
type Options struct {
	Timeout      time.Duration          // for everything, from the name lookup to the last byte of the response
	AllowPrivate bool                   // allow loopback and private addresses as well
	Allows       func(host string) bool // hosts that the server may call at all
	Observe      func(status int)       // called after every post, with 0 if there was no response; may be nil
}

// Client posts messages. It is safe for concurrent use.
type Client struct {
	options Options
	http    *http.Client
}

// NewClient returns a client.
func NewClient(o Options) *Client {
	c := &Client{options: o}
	c.http = &http.Client{
		Timeout: o.Timeout,
		// No proxies or idle connections: each message resolves its receiver again.
		Transport: &http.Transport{DialContext: c.dial, DisableKeepAlives: true, DisableCompression: true,
			TLSHandshakeTimeout: o.Timeout, ResponseHeaderTimeout: o.Timeout, MaxResponseHeaderBytes: maxHeaders},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Via returns a client whose messages go another way than over the network.
func (c *Client) Via(t http.RoundTripper) *Client {
	via := *c.http
	via.Transport = t
	return &Client{options: c.options, http: &via}
}

// dial connects to an allowed host, and refuses its private addresses. They are checked after
// the name was resolved, each one, so that no name can lead to an unexpected place.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !c.options.Allows(host) {
		return nil, errEgress
	}
	d := &net.Dialer{Timeout: c.options.Timeout, ControlContext: c.control}
	return d.DialContext(ctx, network, address)
}

// Post sends a message and returns the response. If there is none, the error is an
// *Error.
func (c *Client) Post(ctx context.Context, m Message) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return Answer{}, &Error{CodeBadURL, err}
	}
	for name, v := range m.Headers() {
		req.Header.Set(name, v)
	}
	res, err := c.http.Do(req)
	if err != nil {
		c.observe(0)
		return Answer{}, explain(err)
	}
	c.observe(res.StatusCode)
	defer res.Body.Close()
	a := Answer{Status: res.StatusCode, Headers: headerLines(res.Header)}
	// An accepted message stays accepted, even if the rest of the response never arrives.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxRead))
	a.Body = strings.ToValidUTF8(string(body[:min(len(body), maxKept)]), "\uFFFD")
	return a, nil
}

func (c *Client) observe(status int) {
	if c.options.Observe != nil {
		c.options.Observe(status)
	}
}

// headerLines returns the headers of a response as lines, in order.
func headerLines(h http.Header) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			line := strings.ToValidUTF8(name+": "+v, "\uFFFD")
			lines = append(lines, line[:min(len(line), 400)])
		}
	}
	return lines[:min(len(lines), maxNames)]
}

// Public reports whether an address belongs to the public internet.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsValid() || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// special are ranges that net/netip treats as global although they are not, or that wrap an
// address of another kind (RFC 6890 and its registries).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"), netip.MustParsePrefix("fec0::/10"),
}
