// Package app puts the appliance together: it reads the configuration, opens the
// data folder, and starts and stops everything that runs.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"

	"paraph/app/account"
	"paraph/app/backup"
	"paraph/app/blob"
	"paraph/app/bulk"
	"paraph/app/checkpoint"
	"paraph/app/cold"
	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/machine"
	"paraph/app/mailserver"
	"paraph/app/metrics"
	"paraph/app/mishap"
	"paraph/app/notify"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/pictures"
	"paraph/app/tree"
	"paraph/app/turns"
	"paraph/app/words"
	"paraph/kv"
	"paraph/search"
)

// Options are decisions of the caller that are not operator settings.
type Options struct {
	InMemory bool   // keep records and index in memory, and files in a folder removed at exit
	Clock    *Clock // nil: the machine's
	Log      *slog.Logger
	// Worker is the command that starts a PDFium worker; by default this
	// program with the argument pdf-worker.
	Worker []string
	// PDFium is an engine that several appliances share; it is not closed with them. By default
	// an appliance starts its own.
	PDFium *pdfium.Engine
	Seed   bool // start with the people and documents of a test double
	Cheap  bool // hash passwords cheaply, for tests and the test double
	Copy   bool // the data folder is a copy removed with the process
	// Files is the folder of the stored files of the original of a copy, which are read there, or empty.
	Files string
	// Strict makes the API refuse members and parameters that it doesn't know.
	Strict bool
	// OwnNames refuses requests under names that strangers can let point to this machine.
	OwnNames bool
}

// App is a whole appliance: Open creates it, Run serves, Close ends it.
type App struct {
	Config      Config
	Clock       *Clock
	Accounts    *account.Services
	Signing     *signing.Services
	Notify      *notify.Service
	Webhooks    *notify.Webhooks
	Contacts    *contact.Service
	Bulk        *bulk.Service
	PublicLinks *publiclink.Service
	Machine     *machine.Service
	// MailServer keeps which server messages are sent through.
	MailServer *mailserver.Service

	Keys *pki.Authority

	Test Controls

	Checkpoints    *checkpoint.Service
	checkpointKeys *tree.Keyring

	First   account.Bootstrapped // the administrator just created, if any
	IsFirst bool

	key      []byte // for tokens and links
	words    *words.Catalogue
	fonts    *text.Fonts
	db       *kv.DB
	jobs     *kv.Jobs
	index    *search.Index
	blobs    *blob.Store
	cold     *cold.Store
	pictures *pictures.Cache
	pdfium   *pdfium.Engine
	kit      *httpkit.Kit
	members  turns.Presence
	shares   *turns.Queue // of the processors
	http     *fiber.App
	ln       net.Listener
	secured  net.Listener     // ln, wrapped in TLS if that is configured
	public   net.Listener     // for signatories only, or nil
	metrics  *metrics.Metrics // nil: not served
	measured *metricsServer   // likewise
	log      *slog.Logger
	lines    *machine.Ring // the latest log lines
	dir      string
	inMem    bool
	disk     *disk
	pace     pace
	past     past
	mishaps  *mishap.Register // nil but in a test double

	mailWatch   mailWatch
	searchWatch searchWatch
	authority   *authority // nil: the built-in one

	closes []func() error // last opened first

	requests requests
	tested   tested
	conns    openConns
}

// Open opens everything, or fails and leaves nothing open.
func Open(cfg Config, o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = NewClock()
	}
	lines := machine.NewRing()
	a := &App{Config: cfg, Clock: o.Clock, log: slog.New(lines.Handler(o.Log.Handler())), lines: lines, dir: cfg.Data.Dir, inMem: o.InMemory,
		shares: turns.Processors()}
	a.Test = Controls{a}
	if cfg.Server.TestControls {
		a.mishaps = &mishap.Register{}
	}
	steps := []func(Options) error{
		a.openFolder, a.openData, a.openKeys, a.openSearch, a.openTools, a.listen, a.openMetrics, a.openServices, a.openHandlers, a.prepare,
	}
	for _, open := range steps {
		if err := open(o); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

func (a *App) onClose(f func() error) { a.closes = append(a.closes, f) }

// Addr returns the address the appliance listens on.
func (a *App) Addr() net.Addr { return a.ln.Addr() }

// PublicAddr returns the address of the listener for signatories, nil if there is
// none.
func (a *App) PublicAddr() net.Addr {
	if a.public == nil {
		return nil
	}
	return a.public.Addr()
}

// URL returns an address at which this machine reaches the appliance.
func (a *App) URL() string {
	if a.Config.Server.BaseURL != "" {
		return strings.TrimSuffix(a.Config.Server.BaseURL, "/")
	}
	host, port, err := net.SplitHostPort(a.Addr().String())
	if err != nil {
		return "http://" + a.Addr().String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if a.secured != a.ln {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Run serves until ctx ends. Every goroutine of the appliance is started here
// and waited for.
func (a *App) Run(ctx context.Context) error {
	if off := a.cold.Off(); a.Config.Data.Cold != "" && off != nil {
		return fmt.Errorf("data.cold: %w", off)
	}
	g, ctx := errgroup.WithContext(ctx)
	a.pace.begin(a.Clock)
	a.http.Handler() // completes the router, before either listener serves with it
	g.Go(func() error { return a.http.Listener(a.secured) })
	if a.public != nil {
		g.Go(func() error { return a.http.Server().Serve(a.public) })
	}
	manager := systemd{a.db, a.log}
	g.Go(func() error { return manager.watch(ctx) })
	g.Go(func() error { return a.background(ctx) })
	if !a.inMem {
		g.Go(func() error { return a.commands().serve(ctx) })
	}
	if a.measured != nil {
		g.Go(func() error { return a.measured.serve(ctx) })
	}
	g.Go(func() error {
		<-ctx.Done()
		manager.tell(daemon.SdNotifyStopping)
		return a.drain()
	})
	manager.tell(daemon.SdNotifyReady)
	return g.Wait()
}

// drain refuses new requests with 503 until the running ones have finished,
// then closes the listener and the connections.
func (a *App) drain() error {
	deadline := time.Now().Add(a.Config.Server.ShutdownTimeout)
	select {
	case <-a.requests.stop():
	case <-time.After(time.Until(deadline)):
	}
	down := make(chan struct{})
	go a.conns.stopReadingUntil(down)
	err := a.http.ShutdownWithTimeout(max(time.Until(deadline), time.Second))
	close(down)
	// A server shut down before it starts to listen would run forever.
	for _, ln := range []net.Listener{a.ln, a.public} {
		if ln == nil {
			continue
		}
		if closed := ln.Close(); !errors.Is(closed, net.ErrClosed) {
			err = errors.Join(err, closed)
		}
	}
	return err
}

// background runs everything but the server: followers, jobs, sweeps.
func (a *App) background(ctx context.Context) error {
	if err := errors.Join(a.Checkpoints.Schedule(), a.Machine.ScheduleCheck()); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.Signing.Run(ctx) })
	g.Go(func() error { return a.Notify.Run(ctx) })
	g.Go(func() error { return a.Webhooks.Run(ctx) })
	g.Go(func() error { return a.Contacts.Run(ctx) })
	g.Go(func() error { return a.Accounts.Upkeep.Run(ctx) })
	g.Go(func() error { return a.Machine.Run(ctx) })
	g.Go(func() error { return a.cold.Run(ctx) })
	for _, p := range a.pools() {
		g.Go(func() error { return a.jobs.Run(ctx, p.workers, p.handlers...) })
	}
	g.Go(func() error {
		return (sweeper{upgradeCopies{a.dir, a.log}, a.Signing.Upkeep, a.PublicLinks, a.log}).run(ctx)
	})
	return g.Wait()
}

// pool is a number of workers that share the jobs of some handlers.
type pool struct {
	workers  int
	handlers []kv.Handler
}

// pools returns the handlers of all jobs. Mail and webhooks have workers of their own: neither
// slow files nor slow receivers delay a code that a signatory is waiting for.
func (a *App) pools() []pool {
	records := append(a.Signing.Handlers(), a.Contacts.Handler(), a.Bulk.Handler())
	return []pool{
		{4, slices.Concat(records, a.Checkpoints.Handlers())},
		{1, a.Machine.Handlers()}, // a check may take days
		{notify.MailWorkers, a.Notify.Handlers()},
		{notify.WebhookWorkers, a.Webhooks.Handlers()},
	}
}

// Ready returns nil if requests can be served now, including signing.
func (a *App) Ready(ctx context.Context) error {
	if a.requests.stopped() {
		return errors.New("the server is stopping")
	}
	return a.tested.get(func() error {
		if err := a.superseded(); err != nil {
			return err
		}
		if err := a.Signing.Upkeep.SelfTest(ctx); err != nil {
			return err
		}
		if err := a.authority.serves(ctx); err != nil {
			return errors.Join(fault.Unavailable("timestamp_authority_down", fault.Text("authority", a.authority.host())), err)
		}
		return nil
	})
}

// superseded returns an error if another server goes on in this one's stead.
func (a *App) superseded() error {
	if a.inMem {
		return nil
	}
	by, is, err := backup.Superseded(a.dir)
	if err != nil || !is {
		return err
	}
	return fault.Unavailable("superseded", fault.Text("host", by.Host))
}

// Close closes everything, last opened first, and reports every failure.
func (a *App) Close() error {
	var errs []error
	for i := len(a.closes) - 1; i >= 0; i-- {
		errs = append(errs, a.closes[i]())
	}
	a.closes = nil
	return errors.Join(errs...)
}

// retest is how long the result of a self-test is reused, since anybody may request one.
const retest = time.Second

// tested caches the result of the last self-test.
type tested struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

func (t *tested) get(test func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at.IsZero() || time.Since(t.at) > retest {
		t.err = test()
		t.at = time.Now()
	}
	return t.err
}

// DB returns the records, for tests that need to see or damage them.
func (a *App) DB() *kv.DB { return a.db }

// Jobs returns the jobs, for tests.
func (a *App) Jobs() *kv.Jobs { return a.jobs }

// Blobs returns the files, for tests.
func (a *App) Blobs() *blob.Store { return a.blobs }

// Pictures returns the pictures of pages, for tests.
func (a *App) Pictures() *pictures.Cache { return a.pictures }
