package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"paraph/app/account"
	"paraph/app/backup"
	"paraph/app/signing/lists"
	"paraph/app/web/team/settings"
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

// Backup writes a backup of the data folder to out, whether a server runs or not.
func Backup(ctx context.Context, cfg Config, out string, o BackupOptions, w io.Writer) error {
	return withOrigin(ctx, cfg, func(from backup.Origin) error {
		r, err := backup.Take(ctx, from, out, backup.Options{Keys: o.Keys, Since: o.Since, Buckets: buckets(cfg)})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Wrote %s (%s, %s) and read it back.\n", r.Where, r.Kind(), humanize.Bytes(uint64(r.Size)))
		if !r.Encrypted {
			fmt.Fprintln(w, "It holds the signing keys and is not encrypted: whoever reads it can sign as you. See --recipient and --passphrase-file.")
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
	if errors.Is(err, ErrLocked) {
		if err := awaitControl(ctx, dir, err); err != nil {
			return err
		}
		return run(backup.NewRemote(func(ctx context.Context) (net.Conn, error) { return dialControl(ctx, dir) }))
	}
	if err == nil {
		err = a.openData(Options{})
	}
	if err == nil {
		err = run(a.backupSource())
	}
	return errors.Join(err, a.Close())
}

// FollowBackups keeps a folder of backups up to date until ctx ends, through the
// server that has the data folder open.
func FollowBackups(ctx context.Context, cfg Config, out string, every time.Duration, keys backup.Keys, w io.Writer) (err error) {
	dir := cfg.Data.Dir
	if err := mustExist(dir); err != nil {
		return err
	}
	locked, err := followed(dir, out)
	if err != nil {
		return err
	}
	if err := buckets(cfg).MayFollow(ctx, out, lockName); err != nil {
		return err
	}
	unlock, err := lockFolder(locked)
	if errors.Is(err, ErrLocked) {
		return fmt.Errorf("another process is already following into %s", out)
	}
	if err != nil {
		return err
	}
	from := backup.NewRemote(func(ctx context.Context) (net.Conn, error) { return dialControl(ctx, dir) })
	err = backup.Follow(ctx, from, out, backup.FollowOptions{Keys: keys, Every: every, Log: w, Buckets: buckets(cfg)})
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
	a := &App{Config: cfg}
	return backup.Buckets{Environ: environ, Transport: &http.Transport{
		DialContext: a.dialer(), TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 2 * time.Minute, MaxIdleConnsPerHost: 4,
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

// Restore restores a backup into the data folder, which must be empty. files is a folder with
// copies of files that the backup does not hold, or empty.
func Restore(ctx context.Context, cfg Config, in, files string, keys backup.Keys, w io.Writer) error {
	r, err := restore(ctx, cfg, cfg.Data.Dir, in, files, keys)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Restored %s as of %s.\n", cfg.Data.Dir, r.Time.Local().Format(time.DateTime))
	if r.Settings != "" {
		fmt.Fprintf(w, "The configuration of that time is in %s; it takes effect where you put it.\n", r.Settings)
	}
	return nil
}

func restore(ctx context.Context, cfg Config, dir, in, files string, keys backup.Keys) (r backup.Result, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, fmt.Errorf("the data folder can't be created: %w", err)
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	log := slog.New(slog.DiscardHandler)
	return backup.Restore(ctx, in, dir, backup.RestoreOptions{Keys: keys, DataVersion: dataVersion(), Files: files, Log: log, Buckets: buckets(cfg)})
}

// VerifyBackup restores a backup to a temporary folder, checks it as paraph check
// does, and signs a document in the copy. Nothing leaves the machine. It returns
// the problems.
func VerifyBackup(ctx context.Context, cfg Config, in string, keys backup.Keys, w io.Writer) (problems []error, err error) {
	dir, err := os.MkdirTemp("", "paraph-verify-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data := filepath.Join(dir, "data")
	r, err := restore(ctx, cfg, data, in, "", keys)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%d archive(s) restored, as of %s.\n", r.Archives, r.Time.Local().Format(time.DateTime))
	a, err := Open(quiet(cfg, data), Options{Cheap: true, Copy: true})
	if err != nil {
		return nil, fmt.Errorf("cannot start the restored copy: %w", err)
	}
	if problems = a.Check(ctx, false); len(problems) == 0 {
		fmt.Fprintln(w, "Every record, file and audit trail is as it should be.")
		err = a.rehearse(ctx, dir, w)
	}
	return problems, errors.Join(err, a.Close())
}

// quiet returns a configuration for a copy that must not have outside effects:
// jobs, which send mail and webhooks, are not run, and no connections are allowed
// either.
func quiet(cfg Config, dir string) Config {
	cfg = cfg.aside()
	cfg.Data.Dir = dir
	cfg.Mail.Host = ""
	cfg.Signing.TimestampURL, cfg.Signing.PKCS12 = "", ""
	cfg.Network.Egress = []string{"none"}
	cfg.Checkpoints.Folder, cfg.Checkpoints.Webhook, cfg.Checkpoints.Mail = "", "", nil // what the copy does is not history
	return cfg
}

// rehearse completes a document as the first owner it finds.
func (a *App) rehearse(ctx context.Context, dir string, w io.Writer) error {
	who, err := a.anyOwner(ctx)
	if err != nil {
		return err
	}
	sound, err := a.demoAs(ctx, who, dir, "", io.Discard)
	if err == nil && !sound {
		err = errors.New("its signatures are not valid")
	}
	if err != nil {
		return fmt.Errorf("cannot complete a document in the copy: %w", err)
	}
	fmt.Fprintln(w, "A document sent, signed and completed in the copy is sound.")
	return nil
}

// anyOwner finds a person who may send documents.
func (a *App) anyOwner(ctx context.Context) (account.Actor, error) {
	all, err := a.Accounts.Operator.AllUsers(ctx)
	if err != nil {
		return account.Actor{}, err
	}
	for _, u := range all {
		for _, c := range u.Companies {
			if c.Role == account.RoleOwner {
				return a.Accounts.Operator.ActorFor(ctx, u.Email, c.ID)
			}
		}
	}
	return account.Actor{}, errors.New("the backup has no company owner")
}
