package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"paraph/app/account"
	"paraph/app/archive"
	"paraph/app/folder"
	"paraph/app/transfer"
)

// installation returns the open data folder for moving companies in and out.
func (a *App) installation() *transfer.Installation {
	return &transfer.Installation{
		DB: a.db, Blobs: a.blobs, Accounts: a.Accounts, Store: a.Signing.Store, Upkeep: a.Signing.Upkeep,
		Contacts: a.Contacts, Webhooks: a.Webhooks, PublicLinks: a.PublicLinks, Keys: a.Keys,
		Checkpoints: a.Checkpoints,
		Dir:         a.path("imports"), BaseURL: a.Config.Server.BaseURL, Address: a.browserURL(), DataVersion: dataVersion(), Program: Version(), Now: a.Clock.Now, Log: a.log,
	}
}

// openQuietly opens an installation for a command.
func openQuietly(cfg Config) (*App, error) {
	return Open(cfg, Options{Log: slog.New(slog.DiscardHandler)})
}

// withSite runs a command on the installation of a data folder: through the server
// that has it open, else by opening it.
func withSite(ctx context.Context, cfg Config, open func(Config) (*App, error), run func(transfer.Site) error) error {
	dir, address := cfg.Data.Dir, siteOf(cfg)
	if err := mustExist(dir); err != nil {
		return err
	}
	cfg.Server.Listen = "127.0.0.1:0"
	a, err := open(cfg)
	if errors.Is(err, folder.ErrLocked) {
		if err := awaitControl(ctx, dir, err); err != nil {
			return err
		}
		return run(transfer.NewRemote(serverOf(dir)))
	}
	if err != nil {
		return err
	}
	site := a.installation()
	site.Address = address
	return errors.Join(sayFaults(a.words.English(), run(site)), a.Close())
}

// AddCompany adds a company with its first owner, and prints the owner's sign-in details once.
func AddCompany(ctx context.Context, cfg Config, in account.CompanyInput, w io.Writer) error {
	return withSite(ctx, cfg, openQuietly, func(s transfer.Site) error {
		c, err := s.AddCompany(ctx, in)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Added %s (%s).\n", c.Name, c.ID)
		if c.Password == "" {
			fmt.Fprintf(w, "%s is its owner, and signs in as before.\n", c.Email)
			return nil
		}
		fmt.Fprintf(w, "\nIts owner opens this link to choose a password. It works once, for seven days.\n\n  %s\n\n"+
			"Or they sign in without it:\n\n  e-mail    %s\n  password  %s\n\n"+
			"The password is shown only once. Signing in with it disables the link.\n", c.Setup, c.Email, c.Password)
		return nil
	})
}

// siteOf returns the public address of an installation, as far as it is known.
func siteOf(cfg Config) string {
	if cfg.Server.BaseURL != "" {
		return cfg.Server.BaseURL
	}
	_, port, err := net.SplitHostPort(cfg.Server.Listen)
	if err != nil {
		return "http://localhost"
	}
	return "http://localhost:" + port
}

// ListCompanies lists the companies of the installation.
func ListCompanies(ctx context.Context, cfg Config, w io.Writer) error {
	return withSite(ctx, cfg, openAside, func(s transfer.Site) error {
		all, err := s.List(ctx)
		for _, c := range all {
			fmt.Fprintf(w, "%s  %-30s %s, %s, %s\n", c.ID, c.Name,
				english.Plural(c.Members, "member", ""), english.Plural(c.Documents, "document", ""), humanize.Bytes(uint64(c.Bytes)))
		}
		return err
	})
}

// RenameCompany changes the name of a company.
func RenameCompany(ctx context.Context, cfg Config, company, name string) error {
	return withSite(ctx, cfg, openQuietly, func(s transfer.Site) error { return s.Rename(ctx, company, name) })
}

// GrantInstallation grants a person the right to administer the installation, or withdraws it.
func GrantInstallation(ctx context.Context, cfg Config, email string, granted bool) error {
	return withSite(ctx, cfg, openQuietly, func(s transfer.Site) error { return s.Grant(ctx, email, granted) })
}

// ExportCompany writes one company to a file.
func ExportCompany(ctx context.Context, cfg Config, company, out string, keys archive.Keys, w io.Writer) error {
	return withSite(ctx, cfg, openQuietly, func(s transfer.Site) error {
		e, err := transfer.Save(ctx, s, company, out, keys)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Wrote %s (%s, %s) and read it back.\n", e.Path, e.Name, humanize.Bytes(uint64(e.Size)))
		if !e.Encrypted {
			fmt.Fprintln(w, "It is not encrypted, so it holds no passwords: people choose new ones on the other installation. See --recipient and --passphrase-file.")
		}
		return nil
	})
}

// ImportCompany brings in the company of an exported file.
func ImportCompany(ctx context.Context, cfg Config, in string, keys archive.Keys, w io.Writer) error {
	return withSite(ctx, cfg, openQuietly, func(s transfer.Site) error {
		r, err := transfer.Load(ctx, s, in, keys)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Imported %s (%s): %s, %s.\n", r.Name, r.Company, english.Plural(r.Documents, "document", ""), english.Plural(r.People, "person", "people"))
		if !r.Secrets {
			fmt.Fprintln(w, "Its people have no passwords here yet: they use \"Forgot your password?\", or see paraph user password.")
		}
		return nil
	})
}
