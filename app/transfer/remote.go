package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"paraph/app/account"
	"paraph/app/control"
)

// Remote is a running server, reached over its control socket.
type Remote struct{ server *control.Client }

// NewRemote returns a running server.
func NewRemote(server *control.Client) *Remote { return &Remote{server} }

// call sends a request and decodes the response.
func call[I, O any](ctx context.Context, o *Remote, method, path string, in I) (out O, err error) {
	b, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	body, err := o.server.Do(ctx, method, path, bytes.NewReader(b))
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
	return o.server.Do(ctx, http.MethodPost, "/companies/export", bytes.NewReader(b))
}

// Import implements [Site].
func (o *Remote) Import(ctx context.Context, r io.Reader) (out Result, err error) {
	body, err := o.server.Do(ctx, http.MethodPost, "/companies/import", r)
	if err != nil {
		return out, err
	}
	err = json.NewDecoder(body).Decode(&out)
	return out, errors.Join(err, body.Close())
}
