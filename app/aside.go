package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"paraph/app/backup"
	"paraph/app/folder"
	"paraph/kv"
)

// openAside opens an installation for a command that only reads: nothing in the data folder is opened for
// writing, nor made, nor locked against other readers. Opening an installation writes, so that is done to a copy,
// which is removed in the end: of the logs of the records and the keys, which are small, beside
// their tables and the stored files, which are read where they are.
func openAside(cfg Config) (a *App, err error) {
	dir := cfg.Data.Dir
	unlock, err := folder.LockReading(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, unlock())
		}
	}()
	half, err := backup.Interrupted(dir)
	if half {
		err = fmt.Errorf("a restore into %s did not finish; run it again", dir)
	}
	if err := errors.Join(err, folder.MayRead(dir), errStandby(dir)); err != nil {
		return nil, err
	}
	view, err := os.MkdirTemp("", "paraph-reading-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(view))
		}
	}()
	if err := viewOf(dir, view); err != nil {
		return nil, err
	}
	aside := cfg.aside()
	aside.Data.Dir = view
	if a, err = Open(aside, Options{Log: slog.New(slog.DiscardHandler), Copy: true, Files: filepath.Join(dir, "files")}); err != nil {
		return nil, err
	}
	a.disk.elsewhere = func() (free, size int64) { return kv.RoomOn(dir) }
	a.Config = cfg // what aside changed is of no concern to a command
	a.closes = append([]func() error{unlock, func() error { return os.RemoveAll(view) }}, a.closes...)
	return a, nil
}

// viewOf makes a copy of what opening a data folder writes to, and refers to the rest.
func viewOf(dir, view string) error {
	for _, name := range []string{"kv", "keys"} {
		root := filepath.Join(dir, name)
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if path == root && errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			to := filepath.Join(view, rel)
			switch {
			case e.IsDir():
				return os.Mkdir(to, 0o700)
			case !e.Type().IsRegular() || name == "kv" && e.Name() == "LOCK":
				return nil
			case filepath.Ext(path) == ".sst" && folder.MayWrite(path):
				return os.Symlink(path, to) // see Options.Still of package kv
			}
			return copyFile(path, to)
		})
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"backups", "pictures"} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, name), filepath.Join(view, name)); err != nil {
			return err
		}
	}
	for _, name := range []string{checkName, promotedName} {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(view, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyFile copies a file. Logs of records consist of zeros for the most part, which take no space in the copy.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
