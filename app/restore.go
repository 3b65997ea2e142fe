package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"paraph/app/account"
	"paraph/app/backup"
	"paraph/app/folder"
	"paraph/kv"
)

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
	if len(r.Lost) > 0 {
		return fmt.Errorf("the backup lacks keys that its records need: keys/%s; the server doesn't start until they are in keys/, from an earlier backup",
			strings.Join(r.Lost, ", keys/"))
	}
	return nil
}

func restore(ctx context.Context, cfg Config, dir, in, files string, keys backup.Keys) (r backup.Result, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, fmt.Errorf("the data folder can't be created: %w", err)
	}
	used, err := folder.Used(dir)
	if err != nil {
		return r, err
	}
	if !used {
		if err := backup.RequireEmpty(dir); err != nil {
			return r, err
		}
	}
	unlock, err := folder.Lock(dir)
	if err != nil {
		return r, err
	}
	defer func() {
		if err != nil && !used { // it becomes no data folder
			unlock = folder.Unused(dir, unlock)
		}
		err = errors.Join(err, unlock())
	}()
	log := slog.New(slog.DiscardHandler)
	return backup.Restore(ctx, in, dir, backup.RestoreOptions{
		Keys: keys, DataVersion: dataVersion(), Needed: neededFiles{}, Files: files, Log: log, Buckets: buckets(cfg),
		LostKeys: func(db *kv.DB, dir string) ([]string, error) { return keyRegister{db, dir}.lostNames() },
	})
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
	fmt.Fprintf(w, "Restored %s, as of %s.\n", english.Plural(r.Archives, "archive", ""), r.Time.Local().Format(time.DateTime))
	a, err := Open(quiet(cfg, data), Options{Cheap: true, Copy: true})
	if err != nil {
		return nil, fmt.Errorf("cannot start the restored copy: %w", err)
	}
	if problems = a.Check(ctx, false); len(problems) == 0 {
		fmt.Fprintln(w, "Every record, file and audit trail is as it should be.")
		err = rehearse(ctx, a.Accounts, demonstration{a.Signing, a.Keys, a.URL(), dir, io.Discard}, w)
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
func rehearse(ctx context.Context, accounts *account.Services, d demonstration, w io.Writer) error {
	who, err := anyOwner(ctx, accounts)
	if err != nil {
		return err
	}
	sound, err := d.run(ctx, who, "")
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
func anyOwner(ctx context.Context, accounts *account.Services) (account.Actor, error) {
	all, err := accounts.Operator.AllUsers(ctx)
	if err != nil {
		return account.Actor{}, err
	}
	for _, u := range all {
		for _, c := range u.Companies {
			if c.Role == account.RoleOwner {
				return accounts.Operator.ActorFor(u.Email, c.ID)
			}
		}
	}
	return account.Actor{}, errors.New("the backup has no company owner")
}
