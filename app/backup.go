package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"paraph/app/account"
	"paraph/app/backup"
	"paraph/app/bulk"
	"paraph/app/cold"
	"paraph/app/folder"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/store"
	"paraph/app/web/team/settings"
	"paraph/kv"
)

// Version returns the version of this program.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// BackupOptions configure the backup command.
type BackupOptions struct {
	Since string // an earlier backup to continue
	Keys  backup.Keys
}

// unencrypted warns of backups that anybody can read.
const unencrypted = "whoever reads it can sign as you. See --recipient and --passphrase-file."

// Backup writes a backup of the data folder to out, whether a server runs or not.
func Backup(ctx context.Context, cfg Config, out string, o BackupOptions, w io.Writer) error {
	return withOrigin(ctx, cfg, func(from backup.Origin) error {
		r, err := backup.Take(ctx, from, out, backup.Options{Keys: o.Keys, Since: o.Since, Buckets: buckets(cfg)})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Wrote %s (%s, %s) and read it back.\n", r.Where, r.Kind(), humanize.Bytes(uint64(r.Size)))
		if !r.Encrypted {
			fmt.Fprintln(w, "It holds the signing keys and is not encrypted: "+unencrypted)
		}
		if lacks := r.Lacks(); lacks != "" {
			return errors.New(lacks)
		}
		return nil
	})
}

// withOrigin runs a command on the data folder: through the server that has it
// open, else by opening it.
func withOrigin(ctx context.Context, cfg Config, run func(backup.Origin) error) error {
	dir := cfg.Data.Dir
	if err := mustExist(dir); err != nil {
		return err
	}
	a := &App{Config: cfg, Clock: NewClock(), log: slog.New(slog.DiscardHandler), dir: dir}
	err := a.openFolder(Options{})
	if errors.Is(err, folder.ErrLocked) {
		if err := awaitControl(ctx, dir, err); err != nil {
			return err
		}
		return run(backup.NewRemote(serverOf(dir)))
	}
	if err == nil {
		err = a.openData(Options{})
	}
	if err == nil {
		err = run(a.backupSource())
	}
	return errors.Join(err, a.Close())
}

// FollowOptions configure following.
type FollowOptions struct {
	Keys     backup.Keys
	Every    time.Duration
	TakeOver bool // go on although another server was restored or promoted in this one's stead
}

// FollowBackups keeps a folder of backups up to date until ctx ends, through the
// server that has the data folder open.
func FollowBackups(ctx context.Context, cfg Config, out string, o FollowOptions, w io.Writer) (err error) {
	dir := cfg.Data.Dir
	if err := mustExist(dir); err != nil {
		return err
	}
	locked, err := followed(dir, out)
	if err != nil {
		return err
	}
	if err := buckets(cfg).MayFollow(ctx, out, folder.LockName); err != nil {
		return err
	}
	unlock, err := folder.Lock(locked)
	if errors.Is(err, folder.ErrLocked) {
		return fmt.Errorf("another process is already following into %s", out)
	}
	if err != nil {
		return err
	}
	if !o.Keys.Encrypts() {
		fmt.Fprintf(w, "What is kept in %s holds the signing keys and is not encrypted: %s\n", out, unencrypted)
	}
	from := backup.NewRemote(serverOf(dir))
	err = backup.Follow(ctx, from, out, backup.FollowOptions{Keys: o.Keys, Every: o.Every, TakeOver: o.TakeOver, Log: w, Buckets: buckets(cfg)})
	return errors.Join(err, unlock())
}

// followed returns the folder whose lock keeps two processes from following into the same
// place: the place itself, or for a bucket a subfolder of the data folder.
func followed(dir, out string) (string, error) {
	locked := out
	if backup.IsBucket(out) {
		sum := sha256.Sum256([]byte(strings.TrimRight(out, "/")))
		locked = filepath.Join(dir, "backups", "to-"+hex.EncodeToString(sum[:8]))
	}
	locked, err := filepath.Abs(locked)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(locked, 0o700); err != nil {
		return "", fmt.Errorf("the folder can't be created: %w", err)
	}
	return locked, nil
}

// buckets returns the access to S3-compatible storage: with the keys from the environment, to
// hosts that network.egress allows.
func buckets(cfg Config) backup.Buckets {
	environ := map[string]string{}
	for _, line := range os.Environ() {
		if name, value, _ := strings.Cut(line, "="); strings.HasPrefix(name, "AWS_") {
			environ[name] = value
		}
	}
	return backup.Buckets{Environ: environ, Transport: &http.Transport{
		DialContext: outgoing{cfg.Network}.dialer(), TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 2 * time.Minute, MaxIdleConnsPerHost: 4,
	}}
}

// backupAge is the age at which the last backup is reported as old.
const backupAge = 7 * 24 * time.Hour

// lastBackup reports the installation's backups to its first company only; other companies do
// not operate the machine.
func (a *App) lastBackup(ctx context.Context, companyID string) (*settings.Backup, error) {
	if a.inMem {
		return nil, nil
	}
	all, err := a.Accounts.Operator.AllCompanies(ctx)
	if err != nil || all[0].ID != companyID {
		return nil, err
	}
	r, found, err := backup.Last(a.dir)
	if err != nil {
		return nil, err
	}
	b := &settings.Backup{}
	if found {
		b = &settings.Backup{At: r.Confirmed, Where: r.Where, Size: humanize.Bytes(uint64(r.Size)), Encrypted: r.Encrypted}
	}
	if a.Clock.Now().Sub(b.At) < backupAge {
		return b, nil
	}
	documents, err := a.Signing.Lists.Counts(ctx, account.System(companyID), lists.Query{})
	b.Due = documents.All > documents.ByStatus["draft"]
	return b, err
}

// controlWait is how long a server that has just taken its lock may take to start.
const controlWait = 15 * time.Second

// awaitControl waits until the process that holds a data folder can be reached.
func awaitControl(ctx context.Context, dir string, locked error) error {
	ctx, cancel := context.WithTimeout(ctx, controlWait)
	defer cancel()
	for {
		c, err := dialControl(ctx, dir)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, and does not respond; try again once it has ended", locked)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// neededFiles tells which stored files the records need on the disk: not those that have moved to cold storage.
type neededFiles struct{}

// Each implements [backup.Files].
func (n neededFiles) Each(tx *kv.Tx, since uint64, fn func(hash string) error) error {
	runs, err := bulk.FilesSince(tx, since) // few
	if err != nil {
		return err
	}
	returned, err := cold.ReturnedSince(tx, since)
	if err != nil {
		return err
	}
	here := func(hash string) error {
		needed, err := n.Needs(tx, hash) // not if it has moved, or nothing needs what came back
		if err != nil || !needed {
			return err
		}
		return fn(hash)
	}
	return backup.InOrder(returned, here, func(fn func(string) error) error {
		return backup.InOrder(runs, fn, func(fn func(string) error) error {
			return store.Documents.EachPart(tx, store.FileIndex, since, fn)
		})
	})
}

// Needs implements [backup.Files].
func (n neededFiles) Needs(tx *kv.Tx, hash string) (bool, error) {
	moved, err := cold.Has(tx, hash)
	if err != nil || moved {
		return false, err
	}
	return n.wants(tx, hash)
}

// wants reports whether anything needs a file, wherever it is.
func (neededFiles) wants(tx *kv.Tx, hash string) (bool, error) {
	needed, err := signing.NeedsFile(tx, hash)
	if err != nil || needed {
		return needed, err
	}
	return bulk.NeedsFile(tx, hash)
}
