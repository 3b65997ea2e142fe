package mishap

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// Connect fails like a connection to a server that is in trouble. It returns nil if the server
// answers all the same.
func (m *Mishap) Connect(ctx context.Context) error {
	m.Wait(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	switch m.Answer {
	case Refused:
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case Timeout:
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	case Cut:
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	return nil
}

// RoundTrip implements [http.RoundTripper] without a server.
func (m *Mishap) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	if err := m.Connect(r.Context()); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%d %s", m.Status, http.StatusText(m.Status))
	return &http.Response{
		Status: text, StatusCode: m.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}
