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

// Code names the reason why a message did not reach its receiver. The catalogue has its sentence,
// under "webhook.error." and the code.
type Code string

// The reasons. None tells an address that the receiver's host name resolves to.
const (
	CodePrivate     Code = "private_address"
	CodeEgress      Code = "egress" // network.egress does not allow the receiver
	CodeBadURL      Code = "bad_url"
	CodeUnknownHost Code = "unknown_host"
	CodeCertificate Code = "certificate"
	CodeTimeout     Code = "timeout"
	CodeRefused     Code = "refused"
	CodeReset       Code = "reset"
	CodeNoTLS       Code = "no_tls"
	CodeUnreachable Code = "unreachable"
	CodeNoHTTP      Code = "no_http"
)

// Error says why a message did not reach its receiver.
type Error struct {
	Code  Code
	cause error
}

// Error returns the code, for the log.
func (e *Error) Error() string { return "webhook: " + string(e.Code) }

// CodeOf returns the reason of an error of this package.
func CodeOf(err error) Code {
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Code
	}
	return CodeNoHTTP
}

// Unwrap returns the cause, for the log.
func (e *Error) Unwrap() error { return e.cause }

var (
	errPrivate = &Error{Code: CodePrivate}
	errEgress  = &Error{Code: CodeEgress}
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

// explain finds the reason for a failed connection.
func explain(err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	because := func(code Code) error { return &Error{code, err} }
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return because(CodeUnknownHost)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return because(CodeCertificate)
	}
	if e, ok := errors.AsType[*url.Error](err); ok && e.Timeout() {
		return because(CodeTimeout)
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return because(CodeRefused)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return because(CodeReset)
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, new(tls.RecordHeaderError)):
		return because(CodeNoTLS)
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "dial" {
		return because(CodeUnreachable)
	}
	return because(CodeNoHTTP)
}
