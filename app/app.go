// Package app puts the rooms of the house together: it reads the configuration,
// opens the data folder, starts everything that runs, and stops it again.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"

	"paraph/app/account"
	"paraph/app/api"
	"paraph/app/blob"
	"paraph/app/contact"
	"paraph/app/httpkit"
	"paraph/app/mail"
	"paraph/app/notify"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/signing/pictures"
	"paraph/app/web"
	"paraph/app/web/team/settings"
	"paraph/app/words"
	"paraph/kv"
	"paraph/search"
)

// Options are what a caller decides that is no setting of an operator.
type Options struct {
	InMemory bool   // keep records and index in memory and files in a folder that goes with the process
	Clock    *Clock // nil: the machine's
	Log      *slog.Logger
	// Worker is the command that starts a PDFium worker; by default this
	// program with the argument pdf-worker.
	Worker []string
	Seed   bool // begin with the people and documents of a test double
	Cheap  bool // passwords are hashed at little cost, for tests and the test double
}

// App is a whole appliance. Open gives it, Run serves, Close ends it.
type App struct {
	Config   Config
	Clock    *Clock
	Accounts *account.Service
	Signing  *signing.Service
	Notify   *notify.Service
	Webhooks *notify.Webhooks
	Contacts *contact.Service
	Keys     *pki.Authority
	First    account.Bootstrapped // the administrator that was just made, if one was
	IsFirst  bool

	words   *words.Catalogue
	db      *kv.DB
	jobs    *kv.Jobs
	index   *search.Index
	blobs   *blob.Store
	pdfium  *pdfium.Engine
	kit     *httpkit.Kit
	http    *fiber.App
	ln      net.Listener
	secured net.Listener // ln, behind TLS where that is configured
	log     *slog.Logger
	dir     string
	closes  []func() error // last opened first

	ready    sync.RWMutex
	stopping bool
	running  sync.WaitGroup // requests
}

// Open opens everything or nothing.
func Open(cfg Config, o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = NewClock()
	}
	a := &App{Config: cfg, Clock: o.Clock, log: o.Log, dir: cfg.Data.Dir}
	for _, open := range []func(Options) error{a.openFolder, a.openStore, a.openGround, a.openHeart, a.openDoors} {
		if err := open(o); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	return a, nil
}

func (a *App) onClose(f func() error) { a.closes = append(a.closes, f) }

// openFolder makes the data folder and takes its lock.
func (a *App) openFolder(o Options) error {
	if o.InMemory {
		dir, err := os.MkdirTemp("", "paraph-")
		if err != nil {
			return err
		}
		a.dir = dir
		a.onClose(func() error { return os.RemoveAll(dir) })
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return fmt.Errorf("the data folder can't be created: %w", err)
	}
	unlock, err := lockFolder(a.dir)
	if err != nil {
		return err
	}
	a.onClose(unlock)
	return nil
}

func (a *App) path(name string) string { return filepath.Join(a.dir, name) }

func (a *App) openStore(o Options) (err error) {
	a.db, err = kv.Open(kv.Options{Dir: a.path("kv"), InMemory: o.InMemory, NoSync: !a.Config.Data.Sync, Now: a.Clock.Now, Log: a.log,
		Migrations: []kv.Migration{{To: 1, Run: signing.Migrate}}})
	if err != nil {
		return fmt.Errorf("the store can't be opened: %w", err)
	}
	a.onClose(a.db.Close)
	a.jobs = kv.NewJobs(a.db)
	if a.blobs, err = blob.Open(a.path("files"), blob.Options{Reserve: int64(a.Config.Data.Reserve), Now: time.Now, Log: a.log}); err != nil {
		return err
	}
	searchDir := a.path("search")
	if o.InMemory {
		searchDir = ""
	}
	if a.index, err = search.Open(search.Options{Dir: searchDir, Log: a.log}); err != nil {
		return fmt.Errorf("the search index can't be opened: %w", err)
	}
	a.onClose(a.index.Close)
	return nil
}

func (a *App) openGround(o Options) (err error) {
	keys := a.path("keys")
	if o.InMemory {
		keys = ""
	}
	if a.Keys, err = pki.Open(keys, pki.Options{Now: a.Clock.Now, Organization: a.Config.Signing.Organization}); err != nil {
		return err
	}
	worker := o.Worker
	if worker == nil {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		worker = []string{self, WorkerCommand}
	}
	a.pdfium, err = pdfium.Open(pdfium.Options{Command: worker, CacheDir: a.cacheDir(o), Log: a.log})
	if err != nil {
		return err
	}
	a.onClose(a.pdfium.Close)
	return nil
}

// WorkerCommand is the hidden command that makes this program a PDFium worker.
const WorkerCommand = "pdf-worker"

// cacheDir keeps the compiled PDFium. A test double has no folder of its own
// that lasts, and shares one with its like.
func (a *App) cacheDir(o Options) string {
	if !o.InMemory {
		return a.path("cache")
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "paraph")
	}
	return a.path("cache")
}

// pictureBytes is the most that pictures of pages take on disk.
const pictureBytes = 512 << 20

func (a *App) openHeart(o Options) (err error) {
	secret, err := a.secret(o, "token.key")
	if err != nil {
		return err
	}
	auth := a.Config.Auth
	cost := account.Cost{Memory: uint32(auth.PasswordMemory / 1024), Passes: uint32(auth.PasswordPasses), Threads: 1}
	if o.Cheap {
		cost = account.Cost{Memory: 64, Passes: 1, Threads: 1}
	}
	if a.words, err = words.Load(); err != nil {
		return err
	}
	ids := newIDs(a.Clock.Now)
	if a.Notify, err = notify.New(notify.Options{DB: a.db, Jobs: a.jobs, Words: a.words, Sender: a.sender(), From: a.from(), NewID: ids.New, BaseURL: a.Config.Server.BaseURL, Days: a.Config.Retention.OutboxDays, Now: a.Clock.Now, Log: a.log}); err != nil {
		return err
	}
	a.Accounts, err = account.New(a.db, account.Options{TokenKey: secret, Now: a.Clock.Now, NewID: ids.New, Log: a.log, Mailer: a.Notify.Mail, Cost: cost,
		TokenLifetime: auth.TokenLifetime, AccountAttempts: auth.LoginAttempts,
		AddressAttempts: auth.LoginAttemptsPerAddress, AttemptWindow: auth.LoginWindow})
	if err != nil {
		return err
	}
	timestamper, err := a.timestamper()
	if err != nil {
		return fmt.Errorf("signing.timestamp_url: %w", err)
	}
	pages, err := pictures.Open(a.path("pictures"), pictureBytes)
	if err != nil {
		return fmt.Errorf("the folder of page images can't be opened: %w", err)
	}
	limits := a.Config.Server.Limits
	a.Signing, err = signing.New(signing.Options{DB: a.db, Jobs: a.jobs, Search: a.index, Blobs: a.blobs, Accounts: a.Accounts, Keys: a.Keys,
		Words: a.words, Fonts: text.New(), PDFium: a.pdfium, Pictures: pages, Office: a.office(), Timestamper: timestamper, Consent: a.Config.Signing.Consent, Mailer: a.Notify.Mail, LinkKey: secret, NewID: ids.New, Now: a.Clock.Now,
		BaseURL: a.Config.Server.BaseURL, TrashDays: a.Config.Retention.TrashDays, Log: a.log,
		Limits: signing.Limits{UploadBytes: int64(limits.Upload), Files: limits.Files, Pages: limits.Pages, Invitations: limits.Invitations, Fields: limits.Fields}})
	if err != nil {
		return err
	}
	a.Notify.Follow(a.Signing)
	a.Webhooks = notify.NewWebhooks(notify.WebhookOptions{DB: a.db, Jobs: a.jobs, Signing: a.Signing, Client: a.webhookClient(), Key: secret, NewID: ids.New,
		Attempts: a.Config.Webhooks.Attempts, Days: a.Config.Retention.DeliveryDays, Now: a.Clock.Now, Log: a.log})
	a.Contacts = contact.New(contact.Options{DB: a.db, Jobs: a.jobs, Signing: a.Signing, NewID: ids.New, TrashDays: a.Config.Retention.TrashDays, Log: a.log})
	if o.Seed {
		return a.seed(context.Background())
	}
	ctx := context.Background()
	if a.First, a.IsFirst, err = a.Accounts.Bootstrap(ctx, a.Config.Admin.Email, a.Config.Admin.Password.Reveal()); err != nil {
		return err
	}
	if err := a.importCertificate(ctx); err != nil {
		return err
	}
	return a.warn()
}

// warn logs which certificates run out soon.
func (a *App) warn() error {
	warnings, err := a.Keys.Warnings(a.Clock.Now())
	for _, w := range warnings {
		a.log.Warn("certificate", "message", w.Message)
	}
	return err
}

func (a *App) sender() notify.Sender {
	m := a.Config.Mail
	if m.Host == "" || !a.Config.Network.AllowsHost(m.Host) {
		return nil
	}
	return mail.SMTP{Host: m.Host, Port: m.Port, Username: m.Username, Password: mail.NewSecret(string(m.Password)), TLS: m.TLS, HELO: m.HELO, Timeout: m.Timeout}
}

func (a *App) from() mail.Address {
	// Validated with the configuration.
	address, err := mail.ParseAddress(a.Config.Mail.From)
	if err != nil {
		return mail.Address{Name: "Paraph", Email: "paraph@localhost"}
	}
	return address
}

func (a *App) openDoors(Options) (err error) {
	ln, err := net.Listen("tcp", a.Config.Server.Listen)
	if err != nil {
		return fmt.Errorf("can't listen on %s: %w", a.Config.Server.Listen, err)
	}
	a.ln = httpkit.Listen(ln)
	a.onClose(func() error {
		if err := a.ln.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	if a.secured, err = a.secure(a.ln); err != nil {
		return err
	}
	server, limits := a.Config.Server, a.Config.Server.Limits
	a.kit, err = httpkit.New(httpkit.Options{TrustedProxies: server.TrustedProxies, BaseURL: server.BaseURL, ReadTimeout: server.ReadTimeout, Memory: int64(limits.Memory)})
	if err != nil {
		return err
	}
	o := api.Options{Accounts: a.Accounts, Signing: a.Signing, Notify: a.Notify, Webhooks: a.Webhooks, Contacts: a.Contacts, Keys: a.Keys, Log: a.log, LogRequests: a.Config.Log.Requests,
		Kit: a.kit, MaxBody: int64(limits.Body), MaxUpload: int64(limits.Upload), MaxFiles: maxFiles * int64(limits.Upload), MaxObjects: maxObjects(limits),
		ReadTimeout: server.ReadTimeout, IdleTimeout: server.IdleTimeout, Connections: limits.Connections, Ready: a.Ready, Enter: a.enter}
	if a.Config.Server.TestControls {
		o.Test = a
	}
	if a.Notify.BaseURL == "" {
		a.Notify.BaseURL = a.URL()
	}
	pages, err := web.New(web.Options{Accounts: a.Accounts, Signing: a.Signing, Notify: a.Notify, Webhooks: a.Webhooks, Contacts: a.Contacts, Keys: a.Keys, Fonts: a.Signing.Fonts, Log: a.log, Now: a.Clock.Now,
		Secret: a.Signing.LinkKey, BaseURL: server.BaseURL, TrustedProxies: server.TrustedProxies, MaxUpload: o.MaxUpload, Pseudo: a.Config.Server.TestControls, Setup: a.setup()})
	if err != nil {
		return err
	}
	o.Mount = pages.Mount
	a.http = api.New(o)
	return nil
}

// maxFiles is how many files of the largest size one request may carry.
const maxFiles = 4

// maxObjects is how many objects the JSON of one request may hold: twice what a
// document may, so that the refusal of a little too much can name its field.
func maxObjects(l LimitsConfig) int { return 1000 + 2*(l.Fields+l.Invitations+l.Files) }

// Routes is the table of all routes.
func (a *App) Routes() []httpkit.Route { return a.kit.Routes() }

// setup is what the pages say of the configuration.
func (a *App) setup() settings.Setup {
	m := a.Config.Mail
	return settings.Setup{MailHost: m.Host, MailPort: m.Port, MailTLS: m.TLS, MailFrom: a.from().String(), MailLogin: m.Username != "",
		MailBlocked:     m.Host != "" && !a.Config.Network.AllowsHost(m.Host),
		PrivateWebhooks: a.Config.Webhooks.AllowPrivate, TimestampURL: a.Config.Signing.TimestampURL, LoginLimit: a.Config.Auth.LoginAttempts, LoginWindow: a.Config.Auth.LoginWindow}
}

// Addr is where the appliance listens.
func (a *App) Addr() net.Addr { return a.ln.Addr() }

// URL is an address under which this machine reaches the appliance.
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
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.http.Listener(a.secured) })
	g.Go(func() error { return a.background(ctx) })
	g.Go(func() error {
		<-ctx.Done()
		return a.drain()
	})
	return g.Wait()
}

// drain refuses new requests with 503 while those that run come to their end,
// then closes the listener and the connections.
func (a *App) drain() error {
	deadline := time.Now().Add(a.Config.Server.ShutdownTimeout)
	a.ready.Lock()
	a.stopping = true
	a.ready.Unlock()
	ended := make(chan struct{})
	go func() { a.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Until(deadline)):
	}
	return a.http.ShutdownWithTimeout(max(time.Until(deadline), time.Second))
}

// enter counts a request in, unless the server is stopping.
func (a *App) enter() (leave func(), ok bool) {
	a.ready.RLock()
	defer a.ready.RUnlock()
	if a.stopping {
		return nil, false
	}
	a.running.Add(1)
	return a.running.Done, true
}

// background runs everything but the server: followers, jobs, sweeps.
func (a *App) background(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.Signing.Run(ctx) })
	g.Go(func() error { return a.Notify.Run(ctx) })
	g.Go(func() error { return a.Webhooks.Run(ctx) })
	g.Go(func() error { return a.Contacts.Run(ctx) })
	g.Go(func() error { return a.Accounts.Run(ctx) })
	g.Go(func() error {
		return a.jobs.Run(ctx, 4, append(append(a.Signing.Handlers(), a.Notify.Handlers()...), a.Contacts.Handler())...)
	})
	// Workers of their own: receivers that are slow hold up no mail.
	g.Go(func() error { return a.jobs.Run(ctx, notify.WebhookWorkers, a.Webhooks.Handlers()...) })
	g.Go(func() error { return a.sweep(ctx) })
	return g.Wait()
}

// sweepEvery is how often files that no document names are looked for.
const sweepEvery = 6 * time.Hour

// sweepAge is how long a file may lie without a document: an upload in progress
// must not be swept away.
const sweepAge = 24 * time.Hour

func (a *App) sweep(ctx context.Context) error {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		n, err := a.Signing.Sweep(ctx, time.Now().Add(-sweepAge))
		if err != nil {
			a.log.Error("removing unused files", "error", err)
		} else if n > 0 {
			a.log.Info("removed files that no document uses", "count", n)
		}
	}
}

// Ready says whether a request would work now, signing included.
func (a *App) Ready(ctx context.Context) error {
	a.ready.RLock()
	stopping := a.stopping
	a.ready.RUnlock()
	if stopping {
		return errors.New("the server is stopping")
	}
	return a.Signing.SelfTest(ctx)
}

// Close ends everything, last opened first, and reports every failure.
func (a *App) Close() error {
	var errs []error
	for i := len(a.closes) - 1; i >= 0; i-- {
		errs = append(errs, a.closes[i]())
	}
	a.closes = nil
	return errors.Join(errs...)
}
