package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"paraph/app/account"
	"paraph/app/api"
	"paraph/app/backup"
	"paraph/app/blob"
	"paraph/app/bulk"
	"paraph/app/contact"
	"paraph/app/httpkit"
	"paraph/app/machine"
	"paraph/app/notify"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/signing/pictures"
	"paraph/app/signing/store"
	"paraph/app/web"
	"paraph/app/web/team/settings"
	"paraph/app/words"
	"paraph/kv"
	"paraph/search"
)

// openFolder creates the data folder and takes its lock.
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
		return fmt.Errorf("cannot create the data folder: %w", err)
	}
	unlock, err := lockFolder(a.dir)
	if err != nil {
		return err
	}
	a.onClose(unlock)
	closeFolder(a.dir, a.log)
	half, err := backup.Interrupted(a.dir)
	if half {
		err = fmt.Errorf("a restore into %s did not finish; run it again", a.dir)
	}
	return err
}

func (a *App) path(name string) string { return filepath.Join(a.dir, name) }

// migrations returns the migrations that bring older records up to date. key returns
// the installation's key.
func migrations(key func() ([]byte, error)) []kv.Migration {
	return []kv.Migration{
		{To: 1, Run: store.Migrate},
		{To: 2, Run: func(db *kv.DB) error { return kv.NewJobs(db).Rebuild() }},
		{To: 3, Run: store.MigrateIssued},
		{To: 4, Run: migrateInstallation},
		{To: 5, Run: migrateAdministration},
		{To: 6, Run: func(db *kv.DB) error { return sealRecords(db, key) }},
		{To: 7, Run: store.Journal().Plant},
		{To: 8, Run: account.MoveAnswers},
	}
}

// sealRecords encrypts what older versions have stored in the clear, and removes it
// from the disk.
func sealRecords(db *kv.DB, key func() ([]byte, error)) error {
	k, err := key()
	if err != nil {
		return err
	}
	if err := errors.Join(notify.MigrateSealed(db, k), account.MigrateAnswers(db, k)); err != nil {
		return err
	}
	return db.Rewrite()
}

// migrateInstallation adds the records needed for administering the installation.
func migrateInstallation(db *kv.DB) error {
	return errors.Join(account.GrantFirst(db), store.MigrateUsage(db))
}

// migrateAdministration adds the indexes for the pages of the installation's administrators.
func migrateAdministration(db *kv.DB) error {
	return errors.Join(account.MigrateIndexes(db), notify.MigrateEverywhere(db))
}

// dataVersion returns the version of the records that this program writes.
func dataVersion() int {
	all := migrations(nil)
	return all[len(all)-1].To
}

// openData opens the records and the files.
func (a *App) openData(o Options) (err error) {
	files := blob.Options{Reserve: int64(a.Config.Data.Reserve), NoSync: o.InMemory, Now: time.Now, Log: a.log}
	if a.blobs, err = blob.Open(a.path("files"), files); err != nil {
		return err
	}
	a.db, err = kv.Open(kv.Options{
		Dir: a.path("kv"), InMemory: o.InMemory, NoSync: !a.Config.Data.Sync, Now: a.Clock.Now, Log: a.log,
		Migrations: migrations(func() ([]byte, error) { return a.secret(o, "token.key") }), BeforeMigration: a.keepRecords,
	})
	if err != nil {
		return fmt.Errorf("cannot open the store: %w", err)
	}
	a.onClose(a.db.Close)
	a.jobs = kv.NewJobs(a.db)
	return nil
}

// keepRecords saves a copy of records that are about to be migrated.
func (a *App) keepRecords(db *kv.DB, from int) error {
	path := a.copyBefore(from)
	a.log.Info("saving a copy of the records before the upgrade", "in", path)
	s := a.backupSource()
	s.DB, s.DataVersion = db, from
	return s.KeepRecords(context.Background(), path)
}

func (a *App) openSearch(o Options) (err error) {
	searchDir := a.path("search")
	if o.InMemory {
		searchDir = ""
	}
	if a.index, err = search.Open(search.Options{Dir: searchDir, Log: a.log}); err != nil {
		return fmt.Errorf("cannot open the search index: %w", err)
	}
	a.onClose(a.index.Close)
	return nil
}

func (a *App) openTools(o Options) (err error) {
	keys := a.path("keys")
	if o.InMemory {
		keys = ""
	}
	a.Keys, err = pki.Open(keys, pki.Options{Now: a.Clock.Now, Organization: a.Config.Signing.Organization})
	if err != nil {
		return err
	}
	if a.checkpointKeys, err = a.openCheckpointKeys(o); err != nil {
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

// cacheDir keeps the compiled PDFium. Test doubles and copies have no permanent
// folder, and share one.
func (a *App) cacheDir(o Options) string {
	if shared, err := os.UserCacheDir(); err == nil && (o.InMemory || o.Copy) {
		return filepath.Join(shared, "paraph")
	}
	return a.path("cache")
}

// pictureBytes is the maximum disk space for page images.
const pictureBytes = 512 << 20

// openServices creates the services of the domain, each fully constructed.
func (a *App) openServices(o Options) (err error) {
	if a.key, err = a.secret(o, "token.key"); err != nil {
		return err
	}
	if a.words, err = words.Load(); err != nil {
		return err
	}
	a.fonts = text.New()
	if err := a.rememberKey(); err != nil {
		return err
	}
	ids, err := a.identifiers()
	if err != nil {
		return err
	}
	outbox, err := notify.NewOutbox(notify.Options{
		DB: a.db, Jobs: a.jobs, Words: a.words, Captures: a.Config.Server.TestControls, NewID: ids.New, Key: a.key, BaseURL: a.URL(),
		Days: a.Config.Retention.OutboxDays, Now: a.Clock.Now, Log: a.log,
	})
	if err != nil {
		return err
	}
	if a.Accounts, err = a.accounts(o, ids, outbox); err != nil {
		return err
	}
	if a.MailServer, err = a.mailServer(outbox); err != nil {
		return err
	}
	if a.Checkpoints, err = a.checkpoints(outbox); err != nil {
		return err
	}
	if a.Signing, err = a.signing(ids, outbox); err != nil {
		return err
	}
	a.Notify = notify.New(outbox, a.Signing)
	a.Webhooks = notify.NewWebhooks(notify.WebhookOptions{
		DB: a.db, Jobs: a.jobs, Store: a.Signing.Store, Trail: a.Signing.Trail,
		Client: a.webhookClient(), Key: a.key, NewID: ids.New,
		Attempts: a.Config.Webhooks.Attempts, Days: a.Config.Retention.DeliveryDays, Now: a.Clock.Now, Log: a.log,
		Body: api.WebhookBody(a.words.English()), TestBody: api.WebhookTestBody,
	})
	a.Contacts = contact.New(contact.Options{
		DB: a.db, Jobs: a.jobs, Store: a.Signing.Store, NewID: ids.New, Max: a.Config.Server.Limits.CompanyContacts,
		TrashDays: a.Config.Retention.TrashDays, Log: a.log,
	})
	a.Bulk, err = bulk.New(bulk.Options{
		DB: a.db, Jobs: a.jobs, Documents: a.Signing.Documents, Templates: a.Signing.Templates,
		Key: a.key, NewID: ids.New,
		MaxRows: a.Config.Server.Limits.BulkRows, KeepDays: a.Config.Retention.BulkDays, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.Machine = machine.New(a.machine())
	return nil
}

// identifiers returns the source of identifiers. They continue those of the journal, in case
// the clock was set back while the server was stopped.
func (a *App) identifiers() (*ids, error) {
	g := newIDs(a.Clock.Now)
	return g, a.db.View(func(tx *kv.Tx) error {
		seq, _, err := store.Events.Head(tx)
		if err != nil || seq == 0 {
			return err
		}
		entries, err := store.Events.Next(tx, seq-1, 1)
		if err != nil || len(entries) == 0 {
			return err
		}
		return g.follow(entries[0].ID)
	})
}

func (a *App) accounts(o Options, ids *ids, outbox *notify.Outbox) (*account.Services, error) {
	auth := a.Config.Auth
	cost := account.Cost{Memory: uint32(auth.PasswordMemory / 1024), Passes: uint32(auth.PasswordPasses), Threads: 1}
	if o.Cheap {
		cost = account.Cost{Memory: 64, Passes: 1, Threads: 1}
	}
	return account.New(a.db, account.Options{
		TokenKey: a.key, Now: a.Clock.Now, NewID: ids.New, Log: a.log, Mailer: outbox.Mail, Forget: outbox.Forget, Cost: cost,
		TokenLifetime: auth.TokenLifetime, AccountAttempts: auth.LoginAttempts,
		Members: a.Config.Server.Limits.CompanyMembers, AddressAttempts: auth.LoginAttemptsPerAddress, AttemptWindow: auth.LoginWindow,
	})
}

func (a *App) signing(ids *ids, outbox *notify.Outbox) (*signing.Services, error) {
	timestamper, err := a.timestamper()
	if err != nil {
		return nil, fmt.Errorf("signing.timestamp_url: %w", err)
	}
	pages, err := pictures.Open(a.path("pictures"), pictureBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder of page images: %w", err)
	}
	limits := a.Config.Server.Limits
	return signing.New(signing.Options{
		DB: a.db, Jobs: a.jobs, Search: a.index, Blobs: a.blobs, Accounts: a.Accounts, Keys: a.Keys,
		Checkpoints: a.Checkpoints,
		Words:       a.words, Fonts: a.fonts, PDFium: a.pdfium, Pictures: pages, Office: a.office(), Timestamper: timestamper,
		Revocations: pki.NewCollector(a.client(revocationTimeout), a.Clock.Now),
		Consent:     a.Config.Signing.Consent, Mailer: outbox.Mail, Mails: outbox.Mails, Forget: outbox.Forget, LinkKey: a.key, NewID: ids.New, Now: a.Clock.Now,
		BaseURL: a.Config.Server.BaseURL, TrashDays: a.Config.Retention.TrashDays, Log: a.log,
		Quota:   store.Quota{Documents: limits.CompanyDocuments, Bytes: int64(limits.CompanyStorage), Disk: a.room},
		Members: &a.members, Limits: signing.Limits{
			UploadBytes: int64(limits.Upload), Files: limits.Files, Pages: limits.Pages,
			Invitations: limits.Invitations, Fields: limits.Fields,
		},
	}), nil
}

// prepare creates the initial content of an appliance: the first administrator
// and the imported certificate, or the seed of a test double.
func (a *App) prepare(o Options) (err error) {
	ctx := context.Background()
	if o.Seed {
		return a.seed(ctx)
	}
	a.First, a.IsFirst, err = a.Accounts.FirstRun.Bootstrap(ctx, a.Config.Admin.Email, a.Config.Admin.Password.Reveal())
	if err != nil {
		return err
	}
	if err := a.importCertificate(ctx); err != nil {
		return err
	}
	if err := a.installation().Resume(ctx); err != nil {
		return err
	}
	return a.warn()
}

// warn logs the certificates that expire soon.
func (a *App) warn() error {
	warnings, err := a.Keys.Warnings(a.Clock.Now())
	for _, w := range warnings {
		text, remedy := a.expiryText(w)
		a.log.Warn("certificate", "message", text+" "+remedy)
	}
	return err
}

func (a *App) openHandlers(Options) (err error) {
	server, limits := a.Config.Server, a.Config.Server.Limits
	a.kit, err = httpkit.New(httpkit.Options{
		TrustedProxies: server.TrustedProxies, BaseURL: server.BaseURL, Listener: a.URL(),
		ReadTimeout: server.ReadTimeout, Memory: int64(limits.Memory), Members: &a.members,
	})
	if err != nil {
		return err
	}
	pages, err := web.New(web.Options{
		Accounts: a.Accounts, Signing: a.Signing, Notify: a.Notify, Webhooks: a.Webhooks, Contacts: a.Contacts, MailServer: a.MailServer,
		Bulk: a.Bulk, Machine: a.Machine, Keys: a.Keys, Fonts: a.fonts, Words: a.words, Log: a.log, Now: a.Clock.Now,
		Secret: a.key, Kit: a.kit,
		MaxUpload: int64(limits.Upload), MaxFiles: maxFiles * int64(limits.Upload), Pseudo: server.TestControls,
		Setup: a.setup(), Backups: a.lastBackup,
	})
	if err != nil {
		return err
	}
	o := api.Options{
		Accounts: a.Accounts, Signing: a.Signing, Notify: a.Notify, Webhooks: a.Webhooks, Contacts: a.Contacts,
		Bulk: a.Bulk, MailServer: a.MailServer,
		Machine: a.Machine, Checkpoints: a.Checkpoints, Keys: a.Keys, Words: a.words, Log: a.log, LogRequests: a.Config.Log.Requests, Kit: a.kit, Mount: pages.Mount,
		MaxBody: int64(limits.Body), MaxUpload: int64(limits.Upload),
		MaxFiles: maxFiles * int64(limits.Upload), MaxObjects: maxObjects(limits),
		ReadTimeout: server.ReadTimeout, IdleTimeout: server.IdleTimeout, Connections: limits.Connections,
		Ready: a.Ready, Enter: a.enter,
	}
	if a.metrics != nil {
		o.Observe = a.metrics.Request
	}
	if server.TestControls {
		o.Test = a
	}
	a.http = api.New(o)
	a.http.Server().ConnState = a.conns.note
	return a.kit.CheckPrefix()
}

// maxFiles is how many files of the largest size one request may carry.
const maxFiles = 4

// maxObjects is how many objects the JSON of one request may hold: twice the limit of a
// document, so that the error for a moderate excess can name its field.
func maxObjects(l LimitsConfig) int { return 1000 + 2*(l.Fields+l.Invitations+l.Files) }

// Routes returns the table of all routes.
func (a *App) Routes() []httpkit.Route { return a.kit.Routes() }

// setup returns the parts of the configuration that pages show.
func (a *App) setup() settings.Setup {
	return settings.Setup{
		PrivateWebhooks: a.Config.Webhooks.AllowPrivate, TimestampURL: a.Config.Signing.TimestampURL,
		LoginLimit: a.Config.Auth.LoginAttempts, LoginWindow: a.Config.Auth.LoginWindow,
	}
}
