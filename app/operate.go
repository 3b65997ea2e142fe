package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/memory"
	"paraph/app/notify"
	"paraph/app/words"
)

// Serve runs the appliance until ctx ends. Until setup is done, every start prints the link for
// setting it up in a browser; the first one also prints the administrator it created.
func Serve(ctx context.Context, cfg Config, w io.Writer, log *slog.Logger) error {
	a, err := Open(cfg, Options{Log: log})
	if err != nil {
		return err
	}
	if err := a.welcome(ctx, w); err != nil {
		return errors.Join(err, a.Close())
	}
	memory.Settle()
	log.Info("listening", "address", a.Addr().String(), "url", a.URL())
	return errors.Join(a.runWithin(ctx), a.Close())
}

// runWithin runs the appliance within its memory limits, which apply to the whole process.
func (a *App) runWithin(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() { memory.Keep(ctx, int64(a.Config.Server.Memory), a.db.Mapped, a.index.Mapped) })
	err := a.Run(ctx)
	stop()
	keeper.Wait()
	return err
}

// welcome prints how to get started, until setup is done.
func (a *App) welcome(ctx context.Context, w io.Writer) error {
	setup := a.First.Setup
	if !a.IsFirst {
		var err error
		if setup, err = a.Accounts.FirstRun.SetupLink(ctx); err != nil {
			return err
		}
	}
	if setup != "" {
		fmt.Fprintf(w, "\nOpen this link in a browser to set up Paraph. It works once.\n\n  %s/setup?token=%s\n\n", a.browserURL(), setup)
	}
	if a.IsFirst && a.First.Password != "" {
		fmt.Fprintf(w, "Or start without a browser. The administrator is\n\n  e-mail    %s\n  password  %s\n\n"+
			"The password is shown only once. Logging in with it disables the link.\n\n", a.First.User.Email, a.First.Password)
	}
	if a.IsFirst && a.First.Password == "" {
		fmt.Fprintf(w, "\nSign in at %s as %s with the configured password.\n\n", a.browserURL(), a.First.User.Email)
	}
	return nil
}

// browserURL returns URL for a browser on this machine: browsers allow passkeys
// for localhost, but not for a bare address.
func (a *App) browserURL() string {
	if a.Config.Server.BaseURL != "" {
		return a.URL()
	}
	return strings.Replace(a.URL(), "//127.0.0.1:", "//localhost:", 1)
}

// ServeDev runs a test double until ctx ends.
func ServeDev(ctx context.Context, cfg Config, w io.Writer, log *slog.Logger) error {
	cfg.Server.TestControls = true
	cfg.Webhooks.AllowPrivate = true // the program under test runs on this machine
	a, err := Open(cfg, Options{InMemory: true, Seed: true, Cheap: true, Log: log})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nParaph as a test double on %s: everything is kept in memory and lost on exit.\n\n", a.URL())
	for _, p := range [][2]string{{SeedAdmin, "owner"}, {SeedMember, "member"}, {SeedApprover, "approver"}, {SeedViewer, "viewer"}, {SeedOther, "owner of another company"}} {
		fmt.Fprintf(w, "  %-18s %-24s password %s\n", p[0], p[1], SeedPassword)
	}
	fmt.Fprintf(w, "\nMail: GET /test/outbox. Clock: GET and POST /test/clock. Start over: POST /test/reset.\n\n")
	return errors.Join(a.Run(ctx), a.Close())
}

// CheckOptions configure what a check does besides reading.
type CheckOptions struct {
	Repair bool // rebuild derived data
	Renew  bool // timestamp files again before their certificates expire

	Checkpoints []string // files with published checkpoints to compare the journal with
}

// renewAhead is how long before the expiry of its certificate a timestamp is followed by
// another one.
const renewAhead = 365 * 24 * time.Hour

// CheckFolder opens a data folder that is not in use and checks all of it.
func CheckFolder(ctx context.Context, cfg Config, o CheckOptions, w io.Writer) (problems []error, err error) {
	if err := mustExist(cfg.Data.Dir); err != nil {
		return nil, err
	}
	published, err := readPublished(o.Checkpoints)
	if err != nil {
		return nil, err
	}
	a, err := Open(cfg.aside(), Options{})
	if err != nil {
		return nil, err
	}
	if o.Renew {
		n, err := a.Signing.Renewal.Renew(ctx, a.Clock.Now().Add(renewAhead))
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		plural := "s"
		if n == 1 {
			plural = ""
		}
		fmt.Fprintf(w, "Renewed %d document%s.\n", n, plural)
	}
	problems = a.Check(ctx, o.Repair, published...)
	return problems, errors.Join(noteCheck(cfg.Data.Dir, a.Clock.Now(), len(problems)), a.Close())
}

// WithAccounts opens a data folder that is not in use, for a command on its
// accounts.
func WithAccounts(cfg Config, run func(*account.Services) error) error {
	return withApp(cfg, func(a *App) error { return run(a.Accounts) })
}

// withApp opens an appliance that serves no requests.
func withApp(cfg Config, run func(*App) error) error {
	if err := mustExist(cfg.Data.Dir); err != nil {
		return err
	}
	a, err := Open(cfg.aside(), Options{})
	if errors.Is(err, ErrLocked) {
		return fmt.Errorf("%w; stop the server first, or use the API", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(sayFaults(a.words.English(), run(a)), a.Close())
}

// PrintOutbox prints the messages that could not be sent, with their links and codes: those to
// an address, or ("") those to people who belong to no company or to several.
func PrintOutbox(cfg Config, address string, w io.Writer) error {
	return withApp(cfg, func(a *App) error {
		all, err := a.Notify.ListPrivate(address)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			fmt.Fprintln(w, "Nothing waits to be handed over.")
		}
		for _, m := range all {
			fmt.Fprintf(w, "%s  %s  %s\n", m.CreatedAt.UTC().Format(time.RFC3339), m.Kind, m.To)
			secrets := m.Links
			if len(secrets) == 0 {
				secrets = m.Secrets
			}
			if m.Kind == string(notify.MailCheckpoints) {
				fmt.Fprintf(w, "\n%s\n", m.Text)
				continue
			}
			fmt.Fprintf(w, "  %s\n", strings.Join(secrets, "\n  "))
		}
		return nil
	})
}

// mustExist refuses a data folder that was never used: a mistyped path must not become an empty
// installation, nor create its administrator where nobody sees the password.
func mustExist(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "kv")); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is not a data folder; name one with --set data.dir=FOLDER, or start the server once", dir)
	} else if err != nil {
		return fmt.Errorf("cannot read the data folder: %w", err)
	}
	return nil
}

// AddUser adds a person to a company, by default the first one.
func AddUser(ctx context.Context, s *account.Services, in account.UserInput, w io.Writer) error {
	if in.CompanyID == "" {
		all, err := s.Operator.AllCompanies(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return errors.New("there is no company yet; start the server once")
		}
		in.CompanyID = all[0].ID
	}
	invented := in.Password == ""
	if invented {
		in.Password = rand.Text()
	}
	u, err := s.Operator.AddUser(ctx, in)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Added %s as %s.\n", u.Email, in.Role)
	if invented {
		fmt.Fprintf(w, "Password: %s\n", in.Password)
	}
	return nil
}

// sayFaults translates a refusal into its sentence, or those of its fields.
func sayFaults(l *words.Language, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	if len(e.Fields) == 0 {
		return errors.New(fault.Sentence(l.SayOf, e.Code, e.Args...))
	}
	byField := fault.Sentences(l.SayOf, e.Fields)
	var all []string
	for _, field := range slices.Sorted(maps.Keys(byField)) {
		all = append(all, byField[field]...)
	}
	return errors.New(strings.Join(all, " "))
}

// SetPassword sets a person's password and disables their two-factor login.
func SetPassword(ctx context.Context, s *account.Services, email, password string, w io.Writer) error {
	invented := password == ""
	if invented {
		password = rand.Text()
	}
	if err := s.Operator.SetPassword(ctx, email, password, true); err != nil {
		return err
	}
	if invented {
		fmt.Fprintf(w, "Password: %s\n", password)
	}
	return nil
}

// ListUsers lists the people of the installation.
func ListUsers(ctx context.Context, s *account.Services, w io.Writer) error {
	all, err := s.Operator.AllUsers(ctx)
	if err != nil {
		return err
	}
	for _, u := range all {
		var roles []string
		for _, c := range u.Companies {
			roles = append(roles, fmt.Sprintf("%s of %s (%s)", c.Role, c.Name, c.ID))
		}
		fmt.Fprintf(w, "%s  %-30s %-20s %s\n", u.ID, u.Email, u.Name, strings.Join(roles, ", "))
	}
	return nil
}

// SetRole changes a person's role in the company they have been in the longest.
func SetRole(ctx context.Context, s *account.Services, email, role string) error {
	who, err := s.Operator.ActorFor(ctx, email, "")
	if err != nil {
		return err
	}
	r := account.Role(role)
	_, err = s.Members.UpdateMember(ctx, account.System(who.CompanyID), who.UserID, account.MemberPatch{Role: &r})
	return err
}

// AddToken creates an API token that acts as a person.
func AddToken(ctx context.Context, s *account.Services, email, name, scopes string, w io.Writer) error {
	who, err := s.Operator.ActorFor(ctx, email, "")
	if err != nil {
		return err
	}
	in := account.TokenInput{Name: name}
	for word := range strings.SplitSeq(scopes, ",") {
		if word = strings.TrimSpace(word); word != "" {
			in.Scopes = append(in.Scopes, account.Scope(word))
		}
	}
	t, err := s.Tokens.CreateToken(ctx, who, in)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, t.Secret)
	return err
}

// ListTokens lists the API tokens of a person's company.
func ListTokens(ctx context.Context, s *account.Services, email string, w io.Writer) error {
	who, err := s.Operator.ActorFor(ctx, email, "")
	if err != nil {
		return err
	}
	list, err := s.Tokens.ListTokens(ctx, who, account.TokenQuery{})
	if err != nil {
		return err
	}
	for _, t := range list.Items {
		fmt.Fprintf(w, "%s  %-20s %v by %s\n", t.ID, t.Name, t.Scopes, t.UserName)
	}
	return nil
}

// RevokeToken revokes an API token immediately.
func RevokeToken(ctx context.Context, s *account.Services, email, id string) error {
	who, err := s.Operator.ActorFor(ctx, email, "")
	if err != nil {
		return err
	}
	return s.Tokens.RevokeToken(ctx, who, id)
}
