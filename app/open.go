package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"paraph/app/backup"
	"paraph/app/blob"
	"paraph/app/folder"
	"paraph/app/pdf/pdfium"
	"paraph/app/pki"
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
	if err := folder.MayUse(a.dir); err != nil {
		return err
	}
	unlock, err := folder.Lock(a.dir)
	if err != nil {
		return err
	}
	a.onClose(unlock)
	if err := errStandby(a.dir); err != nil {
		return err
	}
	folder.Close(a.dir, a.log)
	half, err := backup.Interrupted(a.dir)
	if half {
		err = fmt.Errorf("a restore into %s did not finish; run it again", a.dir)
	}
	return err
}

func (a *App) path(name string) string { return filepath.Join(a.dir, name) }

// openData opens the records and the files.
func (a *App) openData(o Options) (err error) {
	fetch := func(hash string) (io.ReadCloser, error) { return a.cold.Fetch(hash) }
	files := blob.Options{Fetch: fetch, Evicts: a.Config.Data.Cold != "" && !o.Copy, Reserve: int64(a.Config.Data.Reserve), NoSync: o.InMemory || o.Copy, Beside: o.Files, Now: time.Now, Log: a.log}
	if a.blobs, err = blob.Open(a.path("files"), files); err != nil {
		return err
	}
	before, room := a.beforeMigration, int64(0)
	if o.Files != "" {
		room = -1 // the copy is small
		before = func(*kv.DB, int) error {
			return errors.New("an earlier version of Paraph wrote the records; start the server once, or run the command with that version")
		}
	}
	if !o.InMemory && !o.Copy {
		if err := finishMending(a.dir); err != nil {
			return err
		}
	}
	a.db, err = kv.Open(kv.Options{
		Dir: a.path("kv"), InMemory: o.InMemory, NoSync: !a.Config.Data.Sync || o.Copy, Now: a.Clock.Now, NowIn: a.Clock.NowIn, Full: a.full(), Log: a.log,
		Migrations: migrations(func() ([]byte, error) { return folder.ReadSecret(a.dir, tokenKey) }), BeforeMigration: before, Still: o.Files != "", Reserve: room,
	})
	if err != nil {
		return fmt.Errorf("cannot open the store: %w", err)
	}
	a.onClose(a.db.Close)
	a.disk = &disk{db: a.db, reserve: int64(a.Config.Data.Reserve)}
	a.jobs = kv.NewJobs(a.db)
	return a.openCold()
}

// register returns the register of the keys that the records need.
func (a *App) register() keyRegister {
	if a.inMem {
		return keyRegister{}
	}
	return keyRegister{a.db, a.dir}
}

// openKeys makes sure that no key is lost before anything could make a new one.
func (a *App) openKeys(Options) error { return a.register().open() }

// beforeMigration makes sure that the records can be migrated, and that they can be had back.
func (a *App) beforeMigration(db *kv.DB, from int) error {
	if err := (keyRegister{db, a.dir}).check(); err != nil {
		return err
	}
	return a.keepRecords(db, from)
}

// keepRecords saves a copy of records that are about to be migrated.
func (a *App) keepRecords(db *kv.DB, from int) error {
	path := upgradeCopies{a.dir, a.log}.path(from)
	a.log.Info("saving a copy of the records before the upgrade", "in", path)
	s := a.backupSource()
	s.DB, s.DataVersion, s.LostKeys = db, from, keyRegister{db, a.dir}.lostNames
	return s.KeepRecords(context.Background(), path)
}

// installationKey returns the key for tokens and links.
func (a *App) installationKey() ([]byte, error) {
	r := a.register()
	key, err := folder.Secret(r.data, tokenKey)
	if err != nil {
		return nil, err
	}
	mark, err := tokenMark(key)
	if err != nil {
		return nil, err
	}
	return key, r.Keep(tokenKey, mark)
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
	a.Keys, err = pki.Open(keys, pki.Options{Now: a.Clock.Now, NowIn: a.Clock.NowIn, Organization: a.Config.Signing.Organization, Register: a.register()})
	if err != nil {
		return err
	}
	if a.checkpointKeys, err = openCheckpointKeys(a.register()); err != nil {
		return err
	}
	return a.openPDFium(o)
}

// openPDFium starts the PDF engine, unless the appliance shares one.
func (a *App) openPDFium(o Options) (err error) {
	if o.PDFium != nil {
		a.pdfium = o.PDFium
		return nil
	}
	worker := o.Worker
	if worker == nil {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		worker = []string{self, WorkerCommand}
	}
	a.pdfium, err = pdfium.Open(pdfium.Options{Command: worker, CacheDir: cacheDir(a.dir, o), Log: a.log})
	if err != nil {
		return err
	}
	a.onClose(a.pdfium.Close)
	return nil
}

// WorkerCommand is the hidden command that makes this program a PDFium worker.
const WorkerCommand = "pdf-worker"

// cacheDir keeps the compiled PDFium. Test doubles and copies have no permanent
// folder, and share one where the user has a home, which users of services often lack.
func cacheDir(data string, o Options) string {
	if shared, err := os.UserCacheDir(); err == nil && (o.InMemory || o.Copy) {
		dir := filepath.Join(shared, "paraph")
		if os.MkdirAll(dir, 0o700) == nil {
			return dir
		}
	}
	return filepath.Join(data, "cache")
}

// prepare creates the initial content of an appliance: the first administrator
// and the imported certificate, or the seed of a test double.
func (a *App) prepare(o Options) (err error) {
	ctx := context.Background()
	if o.Seed {
		if err := seed(ctx, a.Accounts, a.Signing); err != nil {
			return err
		}
		return a.beginAll()
	}
	a.First, a.IsFirst, err = a.Accounts.Operator.Bootstrap(ctx, a.Config.Admin.Email, a.Config.Admin.Password.Reveal())
	if err != nil {
		return err
	}
	if err := (certificateImport{a.Config.Signing, a.Keys, a.Accounts}).run(ctx); err != nil {
		return err
	}
	return a.installation().Resume(ctx)
}

// ServeWorker runs this program as a PDFium worker.
func ServeWorker(in io.Reader, out io.Writer) error {
	return pdfium.Serve(in, out, pdfium.ServeOptions{})
}
