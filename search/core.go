package search

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

const (
	// format is increased when documents are analysed or laid out differently. An index of
	// another format is rebuilt.
	format = "2"

	formatKey = "format"
	placeKey  = "place"

	// napMillis is how long small writes are gathered in memory before they become a file.
	// Searches see them immediately.
	napMillis = 1000

	// mergeBuffer is the size of the buffer through which a merged segment is written. Bleve's
	// default of 1 MB is larger than nearly all segments.
	mergeBuffer = 64 << 10

	// floorDocuments is the size below which all segments count as equally large. Bleve merges
	// segments into one until they exceed it, so with its default of 2000 a small index would
	// be written anew after nearly every nap.
	floorDocuments = 100

	// pause is how long Bleve's background work rests after a failure, such as a full disk,
	// which it would otherwise retry without a break.
	pause = time.Second

	flushTimeout = 5 * time.Second
)

// errUnwritten reports that the index was created, but nothing reached the disk before the
// process ended.
var errUnwritten = errors.New("search: nothing written yet")

// core is one open scorch index. An Index replaces its core when it is emptied.
type core struct {
	dir    string
	scorch *scorch.Scorch
	queue  *index.AnalysisQueue
	views  *views
	log    *slog.Logger

	closing chan struct{}
	stopped chan struct{}          // closed when background work has stopped permanently
	broken  atomic.Pointer[string] // why it has stopped
	failing atomic.Pointer[string] // why the last write to disk failed
	backlog *backlog
}

// onError is called from Bleve's background goroutines.
func (c *core) onError(err error, _ string) {
	message := err.Error()
	switch {
	case errors.Is(err, scorch.ErrAsyncPanic):
		c.stop(message)
		return
	case errors.Is(err, scorch.ErrCleanup):
		c.log.Warn("search: cannot clean up", "error", err)
		return
	}
	if c.failing.Swap(&message) == nil {
		c.log.Error("search: index cannot be written to disk; retrying", "error", err)
	}
	if _, err := os.Lstat(filepath.Join(c.dir, boltFile)); errors.Is(err, fs.ErrNotExist) {
		c.stop("its folder was removed")
	}
	select {
	case <-c.closing:
	case <-time.After(pause):
	}
}

func (c *core) stop(why string) {
	if c.broken.CompareAndSwap(nil, &why) {
		close(c.stopped)
	}
}

// onPersisted is called when a batch has reached the disk.
func (c *core) onPersisted(size int64) {
	c.failing.Store(nil)
	c.backlog.add(-size)
}

// health returns errDamaged if background work has stopped permanently.
func (c *core) health() error {
	if why := c.broken.Load(); why != nil {
		return fmt.Errorf("%w: %s", errDamaged, *why)
	}
	return nil
}

// flush waits until everything is on disk, unless that fails or takes long.
func (c *core) flush() {
	deadline := time.NewTimer(flushTimeout)
	defer deadline.Stop()
	for c.backlog.size() > 0 && c.failing.Load() == nil && c.health() == nil {
		select {
		case <-c.backlog.changed():
		case <-deadline.C:
			return
		}
	}
}

func (c *core) close() error {
	close(c.closing)
	err := guard(c.scorch.Close)
	c.queue.Close()
	return err
}

func (c *core) snapshot() (*scorch.IndexSnapshot, error) {
	r, err := c.scorch.Reader()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	snapshot, ok := r.(*scorch.IndexSnapshot)
	if !ok || snapshot == nil {
		return nil, fmt.Errorf("%w: no snapshot", errDamaged)
	}
	return snapshot, nil
}

func (c *core) readPlace() (place uint64, err error) {
	snapshot, err := c.snapshot()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	got, err := snapshot.GetInternal([]byte(formatKey))
	if err != nil {
		return 0, err
	}
	if got == nil && len(snapshot.Segments()) == 0 {
		return 0, errUnwritten
	}
	if string(got) != format {
		return 0, fmt.Errorf("%w: format is %q, this program reads %q", errDamaged, got, format)
	}
	b, err := snapshot.GetInternal([]byte(placeKey))
	if err != nil {
		return 0, err
	}
	return decodePlace(b)
}

func (c *core) stats(s *Stats) (err error) {
	snapshot, err := c.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	for _, seg := range snapshot.Segments() {
		s.Segments++
		s.Documents += seg.Count()
	}
	s.Unwritten = c.backlog.size()
	s.DiskBytes, err = folderSize(c.dir)
	return err
}

func folderSize(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("search: size: %w", err)
	}
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // merged away since the folder was read
		}
		if err != nil {
			return 0, fmt.Errorf("search: size: %w", err)
		}
		size += info.Size()
	}
	return size, nil
}
