package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// keepCopies is how long the records from before an upgrade are kept. They hold secrets
// that newer versions encrypt, and going back after a week would lose a week's work.
const keepCopies = 7 * 24 * time.Hour

// The name of such a copy, around the version of its records.
const (
	copyPrefix = "before-upgrade-from-"
	copySuffix = ".tar.zst"
)

// copyBefore returns the path of the copy of records of a version.
func (a *App) copyBefore(version int) string {
	return a.path(filepath.Join("backups", copyPrefix+strconv.Itoa(version)+copySuffix))
}

// removeCopies removes the copies that are older than keepCopies. It must be called only
// after the migrations have succeeded.
func (a *App) removeCopies(now time.Time) error {
	entries, err := os.ReadDir(a.path("backups"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), copyPrefix) || !strings.HasSuffix(e.Name(), copySuffix) {
			continue
		}
		info, failed := e.Info()
		if failed == nil && now.Sub(info.ModTime()) > keepCopies {
			failed = os.Remove(a.path(filepath.Join("backups", e.Name())))
			a.log.Info("removed the copy of the records from before an upgrade", "file", e.Name())
		}
		err = errors.Join(err, failed)
	}
	return err
}
