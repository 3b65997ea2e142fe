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
	"regexp"
	"strings"
	"time"

	"paraph/app/archive"
	"paraph/app/blob"
	"paraph/kv"
)

// Result describes what was restored.
type Result struct {
	Header
	Archives int
	Settings string // where the configuration file went, or empty
}

// RestoreOptions configure a restore.
type RestoreOptions struct {
	Keys        Keys
	DataVersion int    // the newest version that this program can read
	Files       string // folder with copies of files that no archive holds, or empty
	Log         *slog.Logger
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
	return Result{archives[len(archives)-1].Header, len(archives), t.settings}, nil
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
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != "lost+found" {
			return fmt.Errorf("%s is not empty: it holds %s; name an empty folder with --set data.dir=FOLDER", dir, e.Name())
		}
	}
	return errors.Join(writeFile(filepath.Join(dir, marker), strings.NewReader("")), archive.SyncDir(dir))
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

// target is a data folder being restored.
type target struct {
	ctx      context.Context
	dir      string
	o        RestoreOptions
	db       *kv.DB
	blobs    *blob.Store
	settings string

	records *io.PipeWriter // of the archive being read
	loaded  chan error
}

func (t *target) path(name string) string { return filepath.Join(t.dir, name) }

func (t *target) fill(archives []Archive) (err error) {
	if t.db, err = kv.Open(kv.Options{Dir: t.path("kv"), Log: t.o.Log}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.db.Close()) }()
	if t.blobs, err = blob.Open(t.path("files"), blob.Options{Log: t.o.Log}); err != nil {
		return err
	}
	for i := range archives {
		if err := t.apply(&archives[i]); err != nil {
			return fmt.Errorf("%s: %w", archives[i].Where(), err)
		}
	}
	return t.compare()
}

// apply restores one archive on top of the previous ones.
func (t *target) apply(a *Archive) (err error) {
	f, err := a.open(t.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, name := range []string{"keys", "restored"} { // both are complete in every archive
		if err := os.RemoveAll(t.path(name)); err != nil {
			return err
		}
	}
	t.settings = ""
	h, err := readArchive(f, t.o.Keys, func(h Header, name string, r io.Reader) error {
		if err := t.mayApply(h, a.Header); err != nil {
			return err
		}
		return t.entry(name, r)
	})
	if err != nil {
		return errors.Join(err, t.abandonRecords(err))
	}
	a.Header = h
	return t.endRecords()
}

// mayApply compares the header with the file name by which the archive was selected.
func (t *target) mayApply(h, chosen Header) error {
	if h.ID != chosen.ID || h.Parent != chosen.Parent {
		return errors.New("its name is that of another backup")
	}
	if h.DataVersion > t.o.DataVersion {
		return fmt.Errorf("a newer version of Paraph (%s) made it; restore it with that one", h.Program)
	}
	return t.ctx.Err()
}

var fileName = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (t *target) entry(name string, r io.Reader) error {
	if strings.HasPrefix(name, recordsPrefix) {
		return t.record(r)
	}
	if err := t.endRecords(); err != nil {
		return err
	}
	if hash, ok := strings.CutPrefix(name, filesPrefix); ok && fileName.MatchString(hash) {
		_, err := t.blobs.Put(t.ctx, r)
		return err
	}
	rest, ok := strings.CutPrefix(name, keysPrefix)
	switch {
	case ok && filepath.IsLocal(filepath.FromSlash(rest)):
		return writeFile(t.path(filepath.Join("keys", filepath.FromSlash(rest))), r)
	case name == settingsEntry:
		t.settings = t.path(filepath.Join("restored", "config.toml"))
		return writeFile(t.settings, r)
	case name == damagedEntry:
		return nil
	case name == listEntry:
		return writeFile(t.path(listEntry), r)
	}
	return errors.New("unknown to this version of Paraph")
}

// record passes a piece of the records to the store, which reads them as one stream.
func (t *target) record(r io.Reader) error {
	if t.records == nil {
		from, to := io.Pipe()
		t.records, t.loaded = to, make(chan error, 1)
		go func() {
			err := t.db.Restore(from)
			from.CloseWithError(err)
			t.loaded <- err
		}()
	}
	_, err := io.Copy(t.records, r)
	return err
}

func (t *target) endRecords() error { return t.abandonRecords(nil) }

// abandonRecords ends the stream of records, with an error unless it is complete.
func (t *target) abandonRecords(why error) error {
	if t.records == nil {
		return nil
	}
	t.records.CloseWithError(why)
	t.records = nil
	err := <-t.loaded
	if why != nil {
		return nil // it is the cause
	}
	return err
}

// compare makes the files match the last archive: none missing, none extra.
func (t *target) compare() (err error) {
	f, err := os.Open(t.path(listEntry))
	if err != nil {
		return fmt.Errorf("the list of files is missing: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	want := newSortedLines(f)
	err = t.blobs.Each(func(ref blob.Ref) error {
		for ; want.more && want.line < ref.Hash; want.next() {
			if err := t.missing(want.line); err != nil {
				return err
			}
		}
		if !want.has(ref.Hash) {
			return t.blobs.Remove(ref.Hash)
		}
		want.next()
		return nil
	})
	for ; err == nil && want.more; want.next() {
		err = t.missing(want.line)
	}
	return errors.Join(err, want.err())
}

// missing copies a file that no archive holds from the folder of copies.
func (t *target) missing(hash string) (err error) {
	if t.o.Files == "" {
		return fmt.Errorf("%w: no archive holds the file %s", ErrDamaged, hash)
	}
	if !fileName.MatchString(hash) {
		return fmt.Errorf("%w: %q is not a file", ErrDamaged, hash)
	}
	f, err := os.Open(filepath.Join(t.o.Files, hash[:1], hash[1:2], hash))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ref, err := t.blobs.Put(t.ctx, f)
	if err == nil && ref.Hash != hash {
		err = fmt.Errorf("%w: %s has changed", ErrDamaged, f.Name())
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
