package kv

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Badger writes through memory maps of sparse files. On a full disk that raises a signal which
// ends the process instead of returning an error, even in work that Badger does in the
// background some time after a commit. So the store stops writing while there is still space
// (the reserve), and reserves space for that background work (the ballast), which it frees when
// something else fills the disk.

const (
	reserveMax = 64 << 20
	ballastMax = 32 << 20
	pieces     = 4 // of the ballast, freed separately

	watchFar  = 250 * time.Millisecond // while there is plenty of space
	watchNear = 5 * time.Millisecond
)

// diskGauge returns the bytes free on the disk of a folder, and its size.
type diskGauge func(dir string) (free, total int64, err error)

// disk keeps free space on the disk of a store.
type disk struct {
	dir     string
	reserve int64 // no commits below this many free bytes
	ballast int64 // size of the ballast
	held    int   // number of its pieces that exist
	usage   diskGauge
}

// newDisk measures the disk of dir. reserve is that of [Options].
func newDisk(o Options, usage diskGauge) (*disk, error) {
	d := &disk{dir: o.Dir, usage: usage}
	if o.InMemory || o.Reserve < 0 {
		return d, nil
	}
	_, total, err := usage(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("kv: free space: %w", err)
	}
	d.reserve, d.ballast = o.Reserve, min(ballastMax, total/16)
	if d.reserve == 0 {
		d.reserve = min(reserveMax, total/4)
	}
	for d.held < pieces && exists(d.piece(d.held)) {
		d.held++
	}
	return d, d.freeForOpen()
}

// openNeeds is the most that opening may write: a memory table left by a crash is written out,
// and new logs are started.
const openNeeds = 16 << 20

// freeForOpen frees as much ballast as opening requires.
func (d *disk) freeForOpen() error {
	for {
		free, total, err := d.usage(d.dir)
		if err != nil {
			return fmt.Errorf("kv: free space: %w", err)
		}
		if free >= min(openNeeds, total/8) {
			return nil
		}
		if !d.drop() {
			return fmt.Errorf("%w: %d MB free are too few to open the store", ErrDiskFull, free>>20)
		}
	}
}

// drop frees one piece of ballast.
func (d *disk) drop() bool {
	if d.held == 0 {
		return false
	}
	if err := os.Remove(d.piece(d.held - 1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	d.held--
	return true
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func (d *disk) piece(n int) string { return filepath.Join(d.dir, fmt.Sprintf("ballast-%d", n)) }

// checkSpace refuses to write below the reserve.
func (d *disk) checkSpace() error {
	if d.reserve == 0 {
		return nil
	}
	free, _, err := d.usage(d.dir)
	if err != nil {
		return fmt.Errorf("kv: free space: %w", err)
	}
	if free < d.reserve {
		return fmt.Errorf("%w: %d MB free, %d MB are kept in reserve", ErrDiskFull, free>>20, d.reserve>>20)
	}
	return nil
}

// adjust frees ballast when the disk is nearly full, restores it when there is plenty of space,
// and returns when to check again.
func (d *disk) adjust() (again time.Duration) {
	free, _, err := d.usage(d.dir)
	size := d.ballast / pieces
	switch {
	case err != nil || size == 0:
		return watchFar
	case free < size/2 && d.held > 0:
		d.drop()
		return watchNear
	case free > d.reserve+2*d.ballast && d.held < pieces:
		if allocate(d.piece(d.held), size) == nil {
			d.held++
		}
		return watchFar
	case free < 2*d.reserve && d.held > 0:
		return watchNear
	}
	return watchFar
}

// watch adjusts until quit is closed.
func (d *disk) watch(quit <-chan struct{}) {
	if d.reserve == 0 {
		return
	}
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			t.Reset(d.adjust())
		case <-quit:
			return
		}
	}
}
