package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"paraph/app/account"
)

// Remote is a running server, reached over its control socket.
type Remote struct{ http *http.Client }

// NewRemote returns the server that dial connects to.
func NewRemote(dial func(context.Context) (net.Conn, error)) *Remote {
	return &Remote{&http.Client{Transport: &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableKeepAlives: true,
	}}}
}

func (o *Remote) do(ctx context.Context, method, path string, body io.Reader) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://server"+path, body)
	if err != nil {
		return nil, err
	}
	answer, err := o.http.Do(r)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the placeholder address
	}
	if err != nil {
		return nil, fmt.Errorf("cannot reach the server: %w", err)
	}
	if answer.StatusCode/100 == 2 {
		return answer.Body, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	return nil, errors.Join(errors.New(strings.TrimSpace(string(text))), err, answer.Body.Close())
}

// call sends a request and decodes the response.
func call[I, O any](ctx context.Context, o *Remote, method, path string, in I) (out O, err error) {
	b, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	body, err := o.do(ctx, method, path, bytes.NewReader(b))
	if err != nil {
		return out, err
	}
	err = json.NewDecoder(body).Decode(&out)
	return out, errors.Join(err, body.Close())
}

// AddCompany implements [Site].
func (o *Remote) AddCompany(ctx context.Context, in account.CompanyInput) (AddedCompany, error) {
	return call[account.CompanyInput, AddedCompany](ctx, o, http.MethodPost, "/companies", in)
}

// List implements [Site].
func (o *Remote) List(ctx context.Context) ([]CompanyRow, error) {
	return call[struct{}, []CompanyRow](ctx, o, http.MethodGet, "/companies", struct{}{})
}

// Rename implements [Site].
func (o *Remote) Rename(ctx context.Context, company, name string) error {
	_, err := call[renaming, struct{}](ctx, o, http.MethodPut, "/companies", renaming{company, name})
	return err
}

// Grant implements [Site].
func (o *Remote) Grant(ctx context.Context, email string, granted bool) error {
	_, err := call[granting, struct{}](ctx, o, http.MethodPut, "/administrators", granting{email, granted})
	return err
}

// Export implements [Site].
func (o *Remote) Export(ctx context.Context, company string, secrets bool) (io.ReadCloser, error) {
	b, err := json.Marshal(exporting{company, secrets})
	if err != nil {
		return nil, err
	}
	return o.do(ctx, http.MethodPost, "/companies/export", bytes.NewReader(b))
}

// Import implements [Site].
func (o *Remote) Import(ctx context.Context, r io.Reader) (out Result, err error) {
	body, err := o.do(ctx, http.MethodPost, "/companies/import", r)
	if err != nil {
		return out, err
	}
	err = json.NewDecoder(body).Decode(&out)
	return out, errors.Join(err, body.Close())
}
