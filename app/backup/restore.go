package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"paraph/app/archive"
	"paraph/kv"
)

// Result describes what was restored.
type Result struct {
	Header
	Archives int
	Settings string   // where the configuration file went, or empty
	Lost     []string // the names of keys that the records need and that no archive holds
}

// RestoreOptions configure a restore.
type RestoreOptions struct {
	Keys        Keys
	DataVersion int    // the newest version that this program can read
	Needed      Files  // which files the restored records need
	Files       string // folder with copies of files that no archive holds, or empty
	Log         *slog.Logger
	// LostKeys names the keys that restored records need and that are not in the folder.
	LostKeys func(db *kv.DB, dir string) ([]string, error)
	Buckets
}

// marker is the file that keeps a half-restored folder from being used.
const marker = "RESTORING"

// Interrupted reports whether a restore into a data folder did not finish.
func Interrupted(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, marker))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// lockName is the file in a data folder that is locked.
const lockName = "lock"

// Restore restores the backup in a folder or file, and those it continues, into an empty data
// folder, whose lock the caller holds. If it fails, the folder is left empty.
func Restore(ctx context.Context, in, dir string, o RestoreOptions) (Result, error) {
	archives, err := o.Buckets.chain(ctx, in, o.Keys)
	if err != nil {
		return Result{}, err
	}
	if err := begin(dir); err != nil {
		return Result{}, err
	}
	t := &target{ctx: ctx, dir: dir, o: o}
	if err := t.fill(archives); err != nil {
		return Result{}, errors.Join(err, clear(dir))
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, marker)), archive.SyncDir(dir)); err != nil {
		return Result{}, fmt.Errorf("restore: %w", err)
	}
	return Result{archives[len(archives)-1].Header, len(archives), t.settings, t.lost}, nil
}

// begin marks an empty folder, after removing the remains of an interrupted restore.
func begin(dir string) error {
	again, err := Interrupted(dir)
	if err != nil {
		return err
	}
	if again {
		if err := clear(dir); err != nil {
			return err
		}
	}
	if err := RequireEmpty(dir); err != nil {
		return err
	}
	return errors.Join(writeFile(filepath.Join(dir, marker), strings.NewReader("")), archive.SyncDir(dir))
}

// RequireEmpty refuses a data folder that holds anything but a lock or the remains of an
// interrupted restore.
func RequireEmpty(dir string) error {
	if again, err := Interrupted(dir); again || err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != "lost+found" {
			return fmt.Errorf("%s is not empty: it holds %s; name an empty folder with --set data.dir=FOLDER", dir, e.Name())
		}
	}
	return nil
}

// clear empties a folder that a restore has begun to fill; the marker goes last.
func clear(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName || e.Name() == "lost+found" || e.Name() == marker {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return errors.Join(archive.SyncDir(dir), ignoreMissing(os.Remove(filepath.Join(dir, marker))))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeFile writes a file that only its owner may read, and syncs it to disk.
func writeFile(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// Age returns how long ago a backup was current.
func (r Record) Age(now time.Time) time.Duration { return now.Sub(r.Confirmed) }
