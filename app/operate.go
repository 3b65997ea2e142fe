package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"paraph/app/fault"
	"paraph/app/memory"
	"paraph/app/notify"
	"paraph/app/tree"
	"paraph/app/words"
)

// Serve runs the appliance until ctx ends. Until setup is done, every start prints the link for
// setting it up in a browser; the first one also prints the administrator it created.
func Serve(ctx context.Context, cfg Config, w io.Writer, log *slog.Logger) error {
	return serve(ctx, cfg, w, log, func(*App) {})
}

// serve calls opened before requests are answered.
func serve(ctx context.Context, cfg Config, w io.Writer, log *slog.Logger, opened func(*App)) error {
	if err := cfg.Server.mayControl(); err != nil {
		return err
	}
	a, err := Open(cfg, Options{Log: log})
	if err != nil {
		return err
	}
	if err := a.welcome(ctx, w); err != nil {
		return errors.Join(err, a.Close())
	}
	if err := a.Signing.Upkeep.SelfTest(ctx); err != nil {
		log.Error("not ready to sign", "error", err)
	}
	// Certificates are read again when they change; their renewal may say so, which would
	// otherwise end the process.
	signal.Ignore(syscall.SIGHUP)
	if n, was, err := promoted(a.dir); err != nil {
		return errors.Join(err, a.Close())
	} else if was {
		log.Warn("this server was promoted from a standby", "at", n.At, "has_everything_until", n.Current, "journal_entry", n.Place, "of", n.Entry)
	}
	log.Info("listening", "address", a.Addr().String(), "url", a.URL())
	opened(a)
	return a.runWithin(ctx)
}

// runWithin runs the appliance and closes it, within the memory limit of the configuration, which
// applies to the whole process.
func (a *App) runWithin(ctx context.Context) error {
	limit := memory.Limit(int64(a.Config.Server.Memory))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	ctx, stop := context.WithCancel(ctx)
	var collecting sync.WaitGroup
	collecting.Go(func() { memory.Collect(ctx) })
	err := errors.Join(a.Run(ctx), a.Close())
	stop()
	collecting.Wait()
	return err
}

// welcome prints how to get started, until setup is done.
func (a *App) welcome(ctx context.Context, w io.Writer) error {
	setup := a.First.Setup
	if !a.IsFirst {
		var err error
		if setup, err = a.Accounts.Operator.SetupLink(ctx); err != nil {
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

// mayControl refuses test controls, which need no password, where others can reach them.
func (s ServerConfig) mayControl() error {
	if !s.TestControls || isLocal(s.Listen) && (s.PublicListen == "" || isLocal(s.PublicListen)) {
		return nil
	}
	return fmt.Errorf("server.test_controls is on, and others can reach %s: whoever does could read all mail and delete everything; "+
		"set server.listen to a loopback address such as 127.0.0.1:8080, or use paraph dev", strings.Trim(s.Listen+" "+s.PublicListen, " "))
}

// DevEnviron adds to an environment that a test double listens on this machine alone, unless the
// environment says otherwise. The file does not count: its addresses are those of a server.
func DevEnviron(environ []string) []string {
	return append([]string{"PARAPH_SERVER__LISTEN=127.0.0.1:8080", "PARAPH_SERVER__PUBLIC_LISTEN="}, environ...)
}

// DevOptions say how a test double tells that it runs.
type DevOptions struct {
	JSON      bool   // one line of JSON in place of the text for people
	Quiet     bool   // neither: only the log
	ReadyFile string // a file to write the JSON to once requests are answered, "" for none
}

// devStart is what a program needs to know of a test double that has started.
type devStart struct {
	URL      string      `json:"url"`
	Password string      `json:"password"` // of all people
	People   []devPerson `json:"people"`
}

type devPerson struct {
	Email   string `json:"email"`
	Role    string `json:"role"`
	Company string `json:"company"`
}

// ServeDev runs a test double until ctx ends.
func ServeDev(ctx context.Context, cfg Config, o DevOptions, w io.Writer, log *slog.Logger) error {
	if o.ReadyFile != "" { // of a run that was killed
		if err := os.Remove(o.ReadyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the ready file: %w", err)
		}
	}
	cfg.Server.TestControls = true
	cfg.Webhooks.AllowPrivate = true // the program under test runs on this machine
	cfg.keepForTests()
	a, err := Open(cfg, Options{InMemory: true, Seed: true, Cheap: true, OwnNames: true, Strict: true, Log: log})
	if err != nil {
		return err
	}
	start := devStart{a.URL(), SeedPassword, []devPerson{{SeedAdmin, "owner", SeedCompany}, {SeedMember, "member", SeedCompany}, {SeedApprover, "approver", SeedCompany},
		{SeedViewer, "viewer", SeedCompany}, {SeedOther, "owner", SeedOtherCompany}}}
	if err := start.tell(o, cfg, w); err != nil {
		return errors.Join(err, a.Close())
	}
	err = errors.Join(a.Run(ctx), a.Close())
	if o.ReadyFile == "" {
		return err
	}
	if gone := os.Remove(o.ReadyFile); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// keepForTests makes a clock that is moved by years neither log a test out nor remove what it may
// look at, unless the configuration says otherwise.
func (c *Config) keepForTests() {
	const century = 100 * 365
	usual := Default()
	if c.Auth.TokenLifetime == usual.Auth.TokenLifetime {
		c.Auth.TokenLifetime = century * 24 * time.Hour
	}
	if c.Retention.OutboxDays == usual.Retention.OutboxDays {
		c.Retention.OutboxDays = century
	}
	if c.Retention.DeliveryDays == usual.Retention.DeliveryDays {
		c.Retention.DeliveryDays = century
	}
}

// tell says that a test double runs. Its listener is open: a request that comes now is answered.
func (d devStart) tell(o DevOptions, cfg Config, w io.Writer) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if o.ReadyFile != "" {
		if err := tree.WriteFile(o.ReadyFile, line, 0o644); err != nil {
			return fmt.Errorf("writing the ready file: %w", err)
		}
	}
	switch {
	case o.Quiet:
		return nil
	case o.JSON:
		_, err := w.Write(line)
		return err
	}
	fmt.Fprintf(w, "\nParaph as a test double on %s: everything is kept in memory and lost on exit.\n\n", d.URL)
	for _, p := range d.People {
		fmt.Fprintf(w, "  %-18s %-24s password %s\n", p.Email, p.Role+" of "+p.Company, d.Password)
	}
	if cfg.Server.mayControl() != nil {
		fmt.Fprintf(w, "\nWARNING: it listens on %s. Everybody who reaches that can sign in with these passwords, read all mail and delete everything.\n", cfg.Server.Listen)
	}
	fmt.Fprint(w, "\nMail: GET /test/outbox. A company for each test: POST /test/companies. Failures: POST /test/faults.\nClock: GET and POST /test/clock. Start over: POST /test/reset.\n\n")
	return nil
}

// OutboxOrder is the input of the command that prints messages; an empty address stands for people who belong
// to no company or to several.
type OutboxOrder struct{ Address string }

// printOutbox prints the messages that could not be sent to an address, with their links and codes.
func printOutbox(_ context.Context, a *App, in OutboxOrder, w io.Writer) error {
	all, err := a.Notify.Messages.ShowPrivate(in.Address)
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
		if err := a.Notify.ShownToOperator(m); err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(secrets, "\n  "))
	}
	return nil
}

// mustExist refuses a data folder that was never used: a mistyped path must not become an empty
// installation, nor create its administrator where nobody sees the password.
func mustExist(dir string) error {
	_, err := os.Stat(filepath.Join(dir, "kv"))
	if errors.Is(err, os.ErrNotExist) {
		_, err = os.Stat(filepath.Join(dir, mendedName))
	}
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is not a data folder; name one with --set data.dir=FOLDER, or start the server once", dir)
	} else if err != nil {
		return fmt.Errorf("cannot read the data folder: %w", err)
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
