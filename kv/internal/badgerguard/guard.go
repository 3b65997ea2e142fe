// Package badgerguard opens Badger, and guards the data where Badger itself does not. Each guard has
// a test that fails without it.
//
//	guard                  file              what would happen, and where it is known
//	blocks before maps     mapping_linux.go  a full disk ends the process with SIGBUS: dgraph-io/badger#1682, #1801
//	new tables wait        mapping_linux.go  a merge on a full disk drops the tables it can't replace
//	reserve, spare, list   diskspace.go      a full disk leaves half a commit, or half a list of tables: #1801
//	closing in bounded time guard.go         closing on a full disk never ends
//	empty logs             logs.go           a killed process leaves a store that can't be opened: #2207
//	logs without gaps      logs.go           damage in a log is taken for its end, and what follows is dropped
//	list of tables         tables.go         a list cut short is accepted, and the tables it lacks are deleted: #690
//	indexes of tables      tables.go         a damaged table ends the process in the background: #2201
//	checksums of tables    tables.go         the check stops and panics at the first damaged table
//	list of keys           tables.go         damage is reported as a wrong encryption key
//	rewriting              rewrite.go        replaced and deleted records stay on disk: #1156
//	folder in use          lock.go           a store that was just closed seems to be open in another process
//
// The numbers are those of issues at https://github.com/dgraph-io/badger/issues; where there is
// none, no report is known.
package badgerguard

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"
)

var (
	// ErrDiskFull reports that the disk is full, or as good as full.
	ErrDiskFull = errors.New("kv: disk full")
	// ErrLocked reports that another process has the folder open.
	ErrLocked = errors.New("kv: folder is in use by another process")
	// ErrCorrupt reports that the stored data is damaged.
	ErrCorrupt = errors.New("kv: corrupt")
	// ErrStillOpen reports that Badger could not be closed for want of space.
	ErrStillOpen = fmt.Errorf("%w: the memory table could not be written, its log is kept", ErrDiskFull)
)

// MaxCommit is the number of bytes of keys and values that one commit may write.
const MaxCommit = 3 << 20

// Options describe a store.
type Options struct {
	Badger badger.Options
	// Reserve is the number of bytes that must stay free on the disk. 0: 64 MB, or a quarter of a
	// small disk; negative: none.
	Reserve int64
	// Gauge measures the disk of a folder. The default asks the system.
	Gauge Gauge
	// MayOpen is called before anything in the folder is touched, once it is known that no other
	// process uses it.
	MayOpen func() error
}

// Store is an open Badger.
type Store struct {
	*badger.DB
	disk    *disk
	unwatch func()
	closed  chan error // receives the result of closing, once that has begun
}

// Open opens the store in an existing folder.
func Open(o Options) (*Store, error) {
	s := &Store{disk: &disk{gauge: o.Gauge}}
	if s.disk.gauge == nil {
		s.disk.gauge = space
	}
	if !o.Badger.InMemory {
		if err := s.prepare(o); err != nil {
			return nil, err
		}
	}
	b, err := badger.OpenManaged(o.Badger)
	if err != nil {
		return nil, openError(o.Badger.Dir, err)
	}
	s.DB = b
	s.unwatch = s.disk.watch()
	return s, nil
}

// prepare checks the files of a store before Badger opens them, and makes room for that.
func (s *Store) prepare(o Options) error {
	dir := o.Badger.Dir
	if err := mayUse(dir); err != nil {
		return err
	}
	if o.MayOpen != nil {
		if err := o.MayOpen(); err != nil {
			return err
		}
	}
	if err := s.disk.begin(o); err != nil {
		return err
	}
	if err := errors.Join(mayOpenRegistry(dir), mayOpenTables(dir, o.Badger)); err != nil {
		return err
	}
	return errors.Join(removeEmptyLogs(dir), mayOpenLogs(dir))
}

const (
	closeLook  = 50 * time.Millisecond
	closeLooks = 100 // on a full disk, until Badger is left open
)

// Close writes the memory table out and closes Badger, which would wait forever for space to do so.
// If the disk stays full, it returns [ErrStillOpen] and leaves Badger open, as after a kill: the log
// of its memory table holds every commit and is read when the store is opened again. Close may then
// be called again. It must not be called by several goroutines.
func (s *Store) Close() error {
	if s.closed == nil {
		s.unwatch()
		s.closed = make(chan error, 1)
		go func() { s.closed <- errors.Join(s.DB.Close(), s.disk.dropSpare()) }()
	}
	tick := time.NewTicker(closeLook)
	defer tick.Stop()
	for full := 0; full < closeLooks; {
		select {
		case err := <-s.closed:
			return err
		case <-tick.C:
			if s.disk.full() && !s.disk.drop() {
				full++
			}
		}
	}
	return ErrStillOpen
}

func openError(dir string, err error) error {
	if strings.Contains(err.Error(), "Cannot acquire directory lock") {
		return lockedError(dir)
	}
	return fmt.Errorf("kv: open %s: %w", dir, DiskError(err))
}

// DiskError adds [ErrDiskFull] to an error that means a full disk.
func DiskError(err error) error {
	if err == nil || errors.Is(err, ErrDiskFull) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	var path *fs.PathError
	if !errors.As(err, &path) && strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err) // Badger does not always wrap
	}
	return err
}
