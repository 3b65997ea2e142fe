package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// Error says why a message did not reach its receiver, in words for a company's administrator.
// It never contains an address that the receiver's host name resolves to.
type Error struct {
	Message string
	cause   error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, for the log.
func (e *Error) Unwrap() error { return e.cause }

var (
	errPrivate = &Error{Message: "The receiver has a private address. Webhooks go to public addresses only, unless webhooks.allow_private is set."}
	errEgress  = &Error{Message: "The setting network.egress does not let this server call the receiver."}
)

// control refuses a private address right before the connection is made.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !c.options.AllowPrivate && !Public(at.Addr()) {
		return errPrivate
	}
	return nil
}

// MayReach reports whether a host is allowed as far as the text shows: literal private
// addresses are refused. The addresses of a name are checked when it is called.
func (c *Client) MayReach(host string) bool {
	if c.options.AllowPrivate {
		return true
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return Public(ip)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host != "localhost" && !strings.HasSuffix(host, ".localhost")
}

// explain describes a failed connection in words.
func explain(err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	say := func(message string) error { return &Error{message, err} }
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return say("The name of the receiver is not known.")
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return say("The certificate of the receiver is not one to trust.")
	}
	if e, ok := errors.AsType[*url.Error](err); ok && e.Timeout() {
		return say("The receiver did not answer in time.")
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return say("The receiver refuses connections.")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return say("The receiver broke the connection off.")
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, new(tls.RecordHeaderError)):
		return say("The receiver does not speak TLS.")
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return say("The receiver can't be reached.")
	}
	return say("The receiver did not answer in HTTP.")
}
