package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
)

// Site is an installation as seen by the commands on its machine: its data folder, or the
// server that has it open.
type Site interface {
	AddCompany(ctx context.Context, in account.CompanyInput) (AddedCompany, error)
	List(ctx context.Context) ([]CompanyRow, error)
	Rename(ctx context.Context, company, name string) error
	Grant(ctx context.Context, email string, granted bool) error
	Export(ctx context.Context, company string, secrets bool) (io.ReadCloser, error)
	Import(ctx context.Context, r io.Reader) (Result, error)
}

// AddedCompany is a company that was just added. Password and Setup are empty if its owner already
// had an account.
type AddedCompany struct {
	ID, Name, Email, Password string
	Setup                     string // the one-time link to choose a password
}

// CompanyRow is a company in a list.
type CompanyRow struct {
	ID, Name  string
	Members   int
	Documents int
	Bytes     int64 // of its files
}

// AddCompany implements [Site].
func (i *Installation) AddCompany(ctx context.Context, in account.CompanyInput) (AddedCompany, error) {
	b, err := i.Accounts.Companies.FoundCompany(ctx, account.System(""), in)
	c := AddedCompany{b.Company.ID, b.Company.Name, b.User.Email, b.Password, ""}
	if b.Setup != "" {
		c.Setup = i.Address + "/setup?token=" + b.Setup
	}
	return c, err
}

// List implements [Site].
func (i *Installation) List(ctx context.Context) (all []CompanyRow, err error) {
	tenants, err := i.Accounts.Companies.Tenants(ctx, account.System(""))
	if err != nil {
		return nil, err
	}
	for _, t := range tenants {
		u, err := i.Store.UsageOf(t.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, CompanyRow{t.ID, t.Name, t.Members, u.Documents, u.Bytes})
	}
	return all, nil
}

// Rename implements [Site].
func (i *Installation) Rename(ctx context.Context, company, name string) error {
	_, err := i.Accounts.Companies.RenameCompany(account.System(""), company, name)
	return err
}

// Grant implements [Site].
func (i *Installation) Grant(ctx context.Context, email string, granted bool) error {
	return i.Accounts.Companies.SetInstallation(email, granted)
}

// Handler serves a Site to the commands on this machine, over the control socket. say turns a
// refusal into its sentence.
func Handler(i *Installation, say func(error) error) http.Handler {
	c := &controls{i, say, i.Log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /companies", c.list)
	mux.HandleFunc("POST /companies", c.found)
	mux.HandleFunc("PUT /companies", c.rename)
	mux.HandleFunc("PUT /administrators", c.grant)
	mux.HandleFunc("POST /companies/export", c.export)
	mux.HandleFunc("POST /companies/import", c.importCompany)
	return mux
}

type controls struct {
	*Installation
	say func(error) error
	log *slog.Logger
}

// renaming, granting and exporting are the requests of the commands.
type (
	renaming struct{ Company, Name string }
	granting struct {
		Email   string
		Granted bool
	}
	exporting struct {
		Company string
		Secrets bool
	}
)

// answer sends a value or an error as JSON or text.
func answer[T any](c *controls, w http.ResponseWriter, v T, err error) {
	if err == nil {
		err = json.NewEncoder(w).Encode(v)
		if err != nil {
			c.log.Debug("transfer: answering", "error", err)
		}
		return
	}
	status := http.StatusInternalServerError
	if _, refused := errors.AsType[*fault.Error](err); refused {
		status = http.StatusConflict
	} else {
		c.log.Error("command failed", "error", err)
	}
	http.Error(w, c.say(err).Error(), status)
}

// decoded reads a request and runs a command on it.
func decoded[I, O any](c *controls, w http.ResponseWriter, r *http.Request, run func(I) (O, error)) {
	var in I
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out, err := run(in)
	answer(c, w, out, err)
}

func (c *controls) list(w http.ResponseWriter, r *http.Request) {
	all, err := c.List(r.Context())
	answer(c, w, all, err)
}

func (c *controls) found(w http.ResponseWriter, r *http.Request) {
	decoded(c, w, r, func(in account.CompanyInput) (AddedCompany, error) { return c.AddCompany(r.Context(), in) })
}

func (c *controls) rename(w http.ResponseWriter, r *http.Request) {
	decoded(c, w, r, func(in renaming) (struct{}, error) { return struct{}{}, c.Rename(r.Context(), in.Company, in.Name) })
}

func (c *controls) grant(w http.ResponseWriter, r *http.Request) {
	decoded(c, w, r, func(in granting) (struct{}, error) { return struct{}{}, c.Grant(r.Context(), in.Email, in.Granted) })
}

func (c *controls) export(w http.ResponseWriter, r *http.Request) {
	var in exporting
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	stream, err := c.Export(r.Context(), in.Company, in.Secrets)
	if err != nil {
		answer(c, w, struct{}{}, err)
		return
	}
	_, err = io.Copy(w, stream)
	if err = errors.Join(err, stream.Close()); err != nil {
		c.log.Error("company export failed", "company", in.Company, "error", err)
		panic(http.ErrAbortHandler) // so that the client does not mistake it for the end
	}
	c.log.Info("company exported", "company", in.Company)
}

func (c *controls) importCompany(w http.ResponseWriter, r *http.Request) {
	out, err := c.Import(r.Context(), r.Body)
	if err == nil {
		c.log.Info("company imported", "company", out.Company, "documents", out.Documents, "people", out.People)
	}
	answer(c, w, out, err)
}
