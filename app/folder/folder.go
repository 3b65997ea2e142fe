// Package folder locks the data folder, keeps its secrets, and closes it to other users of the
// machine.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// ErrLocked reports that another process has the data folder open.
var ErrLocked = errors.New("the data folder is in use")

// LockName is the file in a folder that names the process holding its lock.
const LockName = "lock"

// Used reports whether a folder was ever locked.
func Used(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, LockName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Unused returns a function that unlocks a folder and removes its lock file.
func Unused(dir string, unlock func() error) func() error {
	path := filepath.Join(dir, LockName)
	return func() error {
		first := os.Remove(path) // Windows removes no open file
		if err := unlock(); err != nil || first == nil {
			return err
		}
		return os.Remove(path)
	}
}

// Lock locks a data folder for one process. The lock file names the holder.
func Lock(dir string) (unlock func() error, err error) {
	path := filepath.Join(dir, LockName)
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
	if !isNamed(f, path) { // its holder has just removed it
		return nil, errors.Join(fmt.Errorf("%w: try again", ErrLocked), f.Close())
	}
	if err := errors.Join(f.Truncate(0), writeAll(f, strconv.Itoa(os.Getpid())+"\n")); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(funlock(f), f.Close()) }, nil
}

// LockReading keeps others from locking a data folder, without writing to it. A folder that was never locked
// needs none.
func LockReading(dir string) (unlock func() error, err error) {
	f, err := os.Open(filepath.Join(dir, LockName))
	if errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the data folder: %w", err)
	}
	if err := flockShared(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: another process holds %s", ErrLocked, dir), f.Close())
	}
	return func() error { return errors.Join(funlock(f), f.Close()) }, nil
}

// isNamed reports whether an open file still has its name.
func isNamed(f *os.File, path string) bool {
	own, err := f.Stat()
	now, other := os.Stat(path)
	return err == nil && other == nil && os.SameFile(own, now)
}

func writeAll(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// closed lists the parts of the data folder in which every file is made private at the start.
// Other files are created private, in private folders.
var closed = []string{".", "kv", "search", "keys"}

// Close removes other users' access to the data folder, which an earlier version or a
// restored backup may have left. Failures are logged.
func Close(dir string, log *slog.Logger) {
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

// OpenToOthers lists the files in the parts handled by Close that other users can read.
func OpenToOthers(dir string) (open []string, err error) {
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
