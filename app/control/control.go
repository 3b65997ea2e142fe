// Package control calls a running server over the socket in its data folder.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client is a connection to a running server.
type Client struct{ http *http.Client }

// NewClient returns a client of the server that dial connects to.
func NewClient(dial func(context.Context) (net.Conn, error)) *Client {
	return &Client{&http.Client{Transport: &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableKeepAlives: true,
	}}}
}

// Refusal is a response other than success.
type Refusal struct {
	Status int
	Text   string // what the server says
}

// Error returns what the server says.
func (r *Refusal) Error() string { return r.Text }

// maxRefusal is how much of a refusal is read, in bytes.
const maxRefusal = 4096

// Do sends a request and returns the body of a successful response, which the caller closes. It
// returns a [Refusal] for any other response.
func (c *Client) Do(ctx context.Context, method, path string, body io.Reader) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://server"+path, body)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the placeholder address
	}
	if err != nil {
		return nil, fmt.Errorf("cannot reach the server: %w", err)
	}
	if answer.StatusCode/100 == 2 {
		return answer.Body, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
	return nil, errors.Join(&Refusal{answer.StatusCode, strings.TrimSpace(string(text))}, err, answer.Body.Close())
}
