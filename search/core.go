package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	// format is increased when documents are analysed or laid out differently. An index of
	// another format is rebuilt.
	format = "1"

	formatKey = "format"
	placeKey  = "place"

	// napMillis is how long small writes are gathered in memory before they become a file.
	// Searches see them immediately.
	napMillis = 200

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

// errInUse reports that another process has the folder open.
var errInUse = errors.New("search: folder is in use by another process")

// registering guards Bleve's registry of callbacks, a plain map. An entry exists only while its
// index is being created.
var registering sync.Mutex

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

// openCore opens the index in the folder, or creates it if there is none.
func openCore(dir string, log *slog.Logger) (*core, uint64, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return newCore(dir, log)
	}
	var c *core
	var place uint64
	err := guard(func() (err error) {
		if err := checkBolt(dir); err != nil {
			return err
		}
		damaged, err := damagedFiles(dir)
		if err != nil {
			return err
		}
		if len(damaged) > 0 {
			if err := usesAny(dir, damaged); err != nil {
				return err
			}
		}
		if c, err = startCore(dir, log, false); err != nil {
			return err
		}
		place, err = c.readPlace()
		return err
	})
	if err != nil && c != nil {
		err = errors.Join(err, c.close())
	}
	if errors.Is(err, errUnwritten) {
		return newCore(dir, log)
	}
	return c, place, err
}

// newCore creates an empty index, replacing whatever exists.
func newCore(dir string, log *slog.Logger) (*core, uint64, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, 0, err
	}
	c, err := startCore(dir, log, false)
	if err != nil {
		return nil, 0, err
	}
	b := index.NewBatch()
	b.SetInternal([]byte(formatKey), []byte(format))
	b.SetInternal([]byte(placeKey), encodePlace(0))
	if err := c.scorch.Batch(b); err != nil {
		return nil, 0, errors.Join(err, c.close())
	}
	return c, 0, nil
}

func startCore(dir string, log *slog.Logger, readOnly bool) (*core, error) {
	c := &core{
		dir:     dir,
		queue:   index.NewAnalysisQueue(1),
		views:   newViews(),
		log:     log,
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
		backlog: newBacklog(),
	}
	if err := c.newScorch(readOnly); err != nil {
		c.queue.Close()
		return nil, err
	}
	if err := c.scorch.Open(); err != nil {
		c.queue.Close()
		if errors.Is(err, bolterrors.ErrTimeout) {
			return nil, errInUse
		}
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return c, nil
}

func (c *core) newScorch(readOnly bool) error {
	const name = "search"
	registering.Lock()
	defer registering.Unlock()
	scorch.RegistryAsyncErrorCallbacks[name] = c.onError
	defer delete(scorch.RegistryAsyncErrorCallbacks, name)
	made, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path":                   c.dir,
		"unsafe_batch":           true,
		"read_only":              readOnly,
		"bolt_timeout":           lockTimeout.String(),
		"asyncErrorCallbackName": name,
		"scorchPersisterOptions": map[string]any{
			"PersisterNapTimeMSec":         napMillis,
			"PersisterNapUnderNumFiles":    scorch.DefaultPersisterNapUnderNumFiles,
			"NumPersisterWorkers":          scorch.DefaultNumPersisterWorkers,
			"MemoryPressurePauseThreshold": scorch.DefaultMemoryPressurePauseThreshold,
		},
		"scorchMergePlanOptions": map[string]any{"FloorSegmentSize": floorDocuments},
	}, c.queue)
	if err != nil {
		return err
	}
	s, ok := made.(*scorch.Scorch)
	if !ok {
		return fmt.Errorf("search: scorch is a %T", made)
	}
	c.scorch = s
	return nil
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

// guard turns a panic, or a fault caused by a truncated memory-mapped file, into errDamaged:
// Bleve trusts its files.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return fn()
}

// damagedFiles returns the segment files with a wrong checksum. Bleve writes one at their end
// but never checks it.
func damagedFiles(dir string) (map[string]bool, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.zap"))
	if err != nil {
		return nil, err
	}
	damaged := make(map[string]bool)
	for _, path := range paths {
		ok, err := checksumHolds(path)
		if err != nil {
			return nil, err
		}
		if !ok {
			damaged[path] = true
		}
	}
	return damaged, nil
}

// checksumHolds compares the last four bytes, a CRC-32 (IEEE, big endian), with
// the rest.
func checksumHolds(path string) (ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < 4 {
		return false, nil
	}
	r := bufio.NewReaderSize(f, 256<<10)
	h := crc32.NewIEEE()
	if _, err := io.CopyN(h, r, info.Size()-4); err != nil {
		return false, err
	}
	var want uint32
	if err := binary.Read(r, binary.BigEndian, &want); err != nil {
		return false, err
	}
	return h.Sum32() == want, nil
}

// usesAny returns errDamaged if the index needs one of the files. Files left half written by a
// killed process are damaged too, but unused.
func usesAny(dir string, damaged map[string]bool) (err error) {
	c, err := startCore(dir, slog.New(slog.DiscardHandler), true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	snapshot, err := c.snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	for _, seg := range snapshot.Segments() {
		if file, ok := seg.Segment().(segment.PersistedSegment); ok && damaged[file.Path()] {
			return fmt.Errorf("%w: wrong checksum of %s", errDamaged, filepath.Base(file.Path()))
		}
	}
	return nil
}
