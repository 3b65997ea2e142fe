package search

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zapx "github.com/blevesearch/zapx/v17"
	bolterrors "go.etcd.io/bbolt/errors"
)

// errInUse reports that another process has the folder open.
var errInUse = errors.New("search: folder is in use by another process")

// registering guards Bleve's registry of callbacks, a plain map. An entry exists only while its
// index is being created.
var registering sync.Mutex

// setMergeBuffer sets a variable that the mergers of all open indexes read: once, before the
// first of them runs.
var setMergeBuffer = sync.OnceFunc(func() { zapx.DefaultFileMergerBufferSize = mergeBuffer })

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
	setMergeBuffer()
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
