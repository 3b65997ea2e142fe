package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"paraph/app/archive"
)

// location is where archives are stored: a folder of this machine, or a bucket.
type location interface {
	// archives lists the files that are named like an archive, in no particular order.
	archives(ctx context.Context) ([]Archive, error)
	// read opens a file by name; it may be closed before its end.
	read(ctx context.Context, name string) (io.ReadCloser, error)
	// remove deletes files by name, in the given order.
	remove(ctx context.Context, names []string) error
	// draft starts an archive that has no name yet.
	draft(ctx context.Context) (draft, error)
	// note reads a small file by name, nil if there is none.
	note(ctx context.Context, name string) ([]byte, error)
	// setNote replaces a small file.
	setNote(ctx context.Context, name string, content []byte) error
	// where returns the full address of a name, for display.
	where(name string) string
}

// draft is an archive while it is being written. It ends with keep or discard.
type draft interface {
	io.Writer
	// finish returns once everything written is stored.
	finish(ctx context.Context) error
	// read opens the stored draft from its beginning.
	read(ctx context.Context) (io.ReadCloser, error)
	// keep renames it; the name must not be taken.
	keep(ctx context.Context, name string) error
	// discard removes it. It is called after a failure, when ctx may have ended.
	discard() error
}

// sorted lists the archives of a location by time.
func sorted(ctx context.Context, in location) ([]Archive, error) {
	all, err := in.archives(ctx)
	slices.SortFunc(all, func(a, b Archive) int { return cmp.Or(a.Time.Compare(b.Time), depth(all, a)-depth(all, b)) })
	return all, err
}

// folder is a location on this machine.
type folder struct{ dir string }

func (f folder) where(name string) string { return filepath.Join(f.dir, name) }

func (f folder) archives(context.Context) ([]Archive, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	var all []Archive
	for _, e := range entries {
		h, ok := parseName(e.Name())
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		all = append(all, Archive{h, e.Name(), info.Size(), f})
	}
	return all, nil
}

func (f folder) read(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(f.where(name))
}

func (f folder) note(_ context.Context, name string) ([]byte, error) {
	b, err := os.ReadFile(f.where(name))
	return b, ignoreMissing(err)
}

func (f folder) setNote(_ context.Context, name string, content []byte) error {
	return replaceFile(f.where(name), content)
}

// replaceFile writes a small file so that after a crash it is there whole, or as it was.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "note-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return archive.SyncDir(filepath.Dir(path))
}

func (f folder) remove(_ context.Context, names []string) error {
	for _, name := range names {
		if err := os.Remove(f.where(name)); err != nil {
			return err
		}
	}
	return archive.SyncDir(f.dir)
}

func (f folder) draft(context.Context) (draft, error) {
	if err := archive.RemoveAbandoned(filepath.Join(f.dir, "*"+archive.Partial), time.Now(), staleDraft); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(f.dir, "paraph-*"+archive.Partial) // 0600
	if err != nil {
		return nil, err
	}
	if err := archive.Claim(file); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	return &fileDraft{file, f}, nil
}

// staleDraft is the age at which an unchanged draft counts as left by a crash, if that can't be
// seen otherwise. Reading a large one back takes hours.
const staleDraft = 24 * time.Hour

// fileDraft is a file under a temporary name.
type fileDraft struct {
	*os.File
	in folder
}

func (d *fileDraft) finish(context.Context) error { return d.Sync() }

func (d *fileDraft) read(context.Context) (io.ReadCloser, error) {
	archive.DropCache(d.File)
	_, err := d.Seek(0, io.SeekStart)
	return io.NopCloser(d.File), err
}

func (d *fileDraft) keep(_ context.Context, name string) error {
	return errors.Join(d.Close(), archive.NameNew(d.Name(), d.in.where(name)), archive.SyncDir(d.in.dir))
}

func (d *fileDraft) discard() error {
	return errors.Join(ignoreClosed(d.Close()), ignoreMissing(os.Remove(d.Name())))
}

func ignoreClosed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	return err
}

func errTaken(where string) error {
	return fmt.Errorf("%s already exists; name another file, or a folder", where)
}

// place finds the location of an address and the name within it, which is empty if the address
// is a location. The address may be missing if it is to be created.
func (o Buckets) place(address string, create bool) (in location, name string, err error) {
	if IsBucket(address) {
		return o.open(address)
	}
	full, err := filepath.Abs(address)
	if err != nil {
		return nil, "", err
	}
	info, err := os.Stat(full)
	switch {
	case err == nil && info.IsDir():
		return folder{full}, "", nil
	case create && errors.Is(err, fs.ErrNotExist) && (strings.HasSuffix(address, "/") || strings.HasSuffix(address, string(filepath.Separator))):
		return folder{full}, "", os.MkdirAll(full, 0o700)
	case err != nil && !(create && errors.Is(err, fs.ErrNotExist)):
		return nil, "", err
	}
	return folder{filepath.Dir(full)}, filepath.Base(full), nil
}
