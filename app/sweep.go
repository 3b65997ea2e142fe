package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"paraph/app/bulk"
	"paraph/app/publiclink"
	"paraph/app/signing"
)

// sweepEvery is the interval between searches for files that no document refers to.
const sweepEvery = 6 * time.Hour

// sweepAge is how long a file may exist without a document, so that an upload in progress is
// not swept.
const sweepAge = 24 * time.Hour

// sweeper removes what nobody needs any more.
type sweeper struct {
	copies upgradeCopies
	upkeep *signing.Upkeep
	links  *publiclink.Service
	log    *slog.Logger
}

// run sweeps until ctx ends.
func (s sweeper) run(ctx context.Context) error {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		if err := s.copies.removeOld(time.Now()); err != nil {
			s.log.Error("cannot remove copies of records from before an upgrade", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		n, err := s.upkeep.Sweep(ctx, time.Now().Add(-sweepAge), bulk.NeedsFile)
		if err != nil {
			s.log.Error("cannot remove unused files", "error", err)
		} else if n > 0 {
			s.log.Info("removed unused files", "count", n)
		}
		if err := s.links.Sweep(ctx); err != nil {
			s.log.Error("cannot remove unused public links", "error", err)
		}
	}
}

// keepCopies is how long the records from before an upgrade are kept. They hold secrets
// that newer versions encrypt, and going back after a week would lose a week's work.
const keepCopies = 7 * 24 * time.Hour

// The name of such a copy, around the version of its records.
const (
	copyPrefix = "before-upgrade-from-"
	copySuffix = ".tar.zst"
)

// upgradeCopies are the copies of records from before an upgrade.
type upgradeCopies struct {
	data string // folder
	log  *slog.Logger
}

func (c upgradeCopies) folder() string { return filepath.Join(c.data, "backups") }

// path returns where the copy of records of a version is.
func (c upgradeCopies) path(version int) string {
	return filepath.Join(c.folder(), copyPrefix+strconv.Itoa(version)+copySuffix)
}

// removeOld removes the copies that are older than keepCopies. It must be called only
// after the migrations have succeeded.
func (c upgradeCopies) removeOld(now time.Time) error {
	entries, err := os.ReadDir(c.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), copyPrefix) || !strings.HasSuffix(e.Name(), copySuffix) {
			continue
		}
		info, failed := e.Info()
		if failed == nil && now.Sub(info.ModTime()) > keepCopies {
			failed = os.Remove(filepath.Join(c.folder(), e.Name()))
			c.log.Info("removed the copy of the records from before an upgrade", "file", e.Name())
		}
		err = errors.Join(err, failed)
	}
	return err
}
