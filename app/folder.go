package app

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"paraph/app/seal"
	"paraph/kv"
)

// ErrLocked reports that another process has the data folder open.
var ErrLocked = errors.New("the data folder is in use")

// lockName is the file in a folder that names the process holding its lock.
const lockName = "lock"

// lockFolder locks a data folder for one process. The lock file names the holder.
func lockFolder(dir string) (unlock func() error, err error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the data folder: %w", err)
	}
	if err := flock(f); err != nil {
		b, readErr := os.ReadFile(path)
		holder := strings.TrimSpace(string(b))
		if readErr != nil || holder == "" {
			holder = "unknown"
		}
		return nil, errors.Join(fmt.Errorf("%w: process %s holds %s", ErrLocked, holder, dir), f.Close())
	}
	if err := errors.Join(f.Truncate(0), writeAll(f, strconv.Itoa(os.Getpid())+"\n")); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(funlock(f), f.Close()) }, nil
}

func writeAll(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// secretSize is the length of a token key, in bytes.
const secretSize = 32

// secret reads a key from the keys folder, or creates it at the first start.
func (a *App) secret(o Options, name string) ([]byte, error) {
	fresh := make([]byte, secretSize)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	if o.InMemory {
		return fresh, nil
	}
	path := filepath.Join(a.dir, "keys", name)
	b, err := os.ReadFile(path)
	switch {
	case err == nil && len(b) == secretSize:
		return b, nil
	case err == nil:
		return nil, fmt.Errorf("%s is damaged: %d bytes instead of %d", path, len(b), secretSize)
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return fresh, writeSecret(path, fresh)
}

// keyMark identifies the installation's key without revealing it.
type keyMark struct{ Mark []byte }

var keyMarks = kv.NewCollection("installation key", kv.JSON[keyMark]())

const theKey = "token.key"

func (a *App) keyMark() (keyMark, error) {
	mark, err := seal.Derive(a.key, "mark of the key")
	return keyMark{mark}, err
}

// rememberKey stores the mark of the installation's key with the first records.
func (a *App) rememberKey() error {
	mark, err := a.keyMark()
	if err != nil {
		return err
	}
	return a.db.Update(func(tx *kv.Tx) error {
		if _, err := keyMarks.Get(tx, theKey); !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		return keyMarks.Put(tx, theKey, mark)
	})
}

// checkKey reports a key that the records were not written with: links and sealed secrets
// can't be read with it, and it would not be noticed otherwise.
func (a *App) checkKey() error {
	want, err := a.keyMark()
	if err != nil {
		return err
	}
	return a.db.View(func(tx *kv.Tx) error {
		got, err := keyMarks.Get(tx, theKey)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err == nil && !bytes.Equal(got.Mark, want.Mark) {
			err = fmt.Errorf("%w: keys/%s is not the key that the records were written with; restore it from a backup", kv.ErrCorrupt, theKey)
		}
		return err
	})
}

// writeSecret stores the whole key on disk before it is used.
func writeSecret(path string, key []byte) error {
	tmp := path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// closed lists the parts of the data folder in which every file is made private at the start.
// Other files are created private, in private folders.
var closed = []string{".", "kv", "search", "keys"}

// closeFolder removes other users' access to the data folder, which an earlier version or a
// restored backup may have left. Failures are logged.
func closeFolder(dir string, log *slog.Logger) {
	closeNewFiles()
	for _, name := range closed {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if err := closeToOthers(path, d); err != nil {
				return err
			}
			if name == "." && d.IsDir() && path != filepath.Clean(dir) {
				return fs.SkipDir // the folder itself is closed; its contents are handled elsewhere
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("the data folder can be read by other users of this machine", "error", err)
		}
	}
}

// openToOthers lists the files in the parts handled by closeFolder that other users can read.
func openToOthers(dir string) (open []string, err error) {
	for _, name := range closed {
		err := filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
				open = append(open, path)
			}
			if name == "." && d.IsDir() && path != filepath.Clean(dir) {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return open, err
		}
	}
	return open, nil
}

func closeToOthers(path string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&0o700)
}
