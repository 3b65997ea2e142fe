package badgerguard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// A disk can be filled at any moment, by others too, and Badger does not cope everywhere. So
// the store stops writing while there is still space (the reserve), and takes space in advance
// for what must not fail later: the next memory table, without which a failed commit would
// leave Badger unusable even for readers (the spare); its list of tables, where half a record
// would make the store unreadable; and its work in the background (the ballast, freed when
// something else fills the disk). Files are given their blocks before Badger maps them, since a
// write into a hole would end the process: see fillHoles.
//
// File systems that can't reserve space (NFS, ZFS), or copy on write (Btrfs), and systems other
// than Linux have the reserve alone.

const (
	reserveMax = 64 << 20
	ballastMax = 32 << 20
	listAhead  = 64 << 10 // least space behind the list of tables
	pieces     = 4        // of the ballast, freed separately

	watchFar  = 250 * time.Millisecond // while there is plenty of space
	watchNear = 5 * time.Millisecond
)

// Gauge returns the bytes free on the disk of a folder, and its size.
type Gauge func(dir string) (free, total int64, err error)

// Space measures the disk of a folder.
func Space(dir string) (free, total int64, err error) { return space(dir) }

// disk keeps free space on the disk of a store.
type disk struct {
	dir     string
	gauge   Gauge
	reserve int64 // no commits below this many free bytes
	ballast int64 // size of the ballast
	held    int   // number of its pieces that exist

	memTable  int64 // size of a memory table
	tableLogs int   // that exist at most
	mayWrite  int64 // most that a memory table and a sorted table take

	// Used by the committer alone.
	spare   string // the log prepared for the next memory table
	logs    int    // number of logs when they were last counted
	written int64  // bytes in the memory table in use, roughly
}

// begin measures the disk of a store, and makes room for opening it.
func (d *disk) begin(o Options) error {
	d.dir = o.Badger.Dir
	d.memTable = o.Badger.MemTableSize
	d.tableLogs = o.Badger.NumMemtables + 2
	d.mayWrite = o.Badger.MemTableSize + o.Badger.BaseTableSize
	if o.Reserve < 0 {
		return nil
	}
	_, total, err := d.gauge(d.dir)
	if err != nil {
		return fmt.Errorf("kv: free space: %w", err)
	}
	d.reserve = o.Reserve
	if d.reserve == 0 {
		d.reserve = min(reserveMax, total/4)
	}
	d.ballast = min(ballastMax, total/16)
	for d.held < pieces && exists(d.piece(d.held)) {
		d.held++
	}
	return d.freeForOpen()
}

// openNeeds is the most that opening may write: a memory table left by a crash is written out,
// and new logs are started.
const openNeeds = 16 << 20

// freeForOpen frees as much ballast as opening requires.
func (d *disk) freeForOpen() error {
	for {
		free, total, err := d.gauge(d.dir)
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

// CheckSpace refuses to write below the reserve.
func (s *Store) CheckSpace() error { return s.disk.checkSpace() }

func (d *disk) checkSpace() error {
	if d.reserve == 0 {
		return nil
	}
	free, _, err := d.gauge(d.dir)
	if err != nil {
		return fmt.Errorf("kv: free space: %w", err)
	}
	if free < d.reserve {
		return fmt.Errorf("%w: %d MB free, %d MB are kept in reserve", ErrDiskFull, free>>20, d.reserve>>20)
	}
	return nil
}

// Space returns how many bytes of the store's disk are free, and its size.
func (s *Store) Space() (free, total int64, err error) { return s.disk.gauge(s.disk.dir) }

// Badger keeps a log of each memory table until it is written out: of the one in use, of one
// being written, and of those that wait. While there are as many, a commit that fills the
// table in use would not return before one of them is written.
const (
	tableLogExt  = ".mem"
	entryBytes   = 200 // bookkeeping of an entry in a memory table, at most
	waitForTable = 5 * time.Millisecond
)

// logUse returns the most that is written to the log of a memory table. The log is twice as long
// as the table.
func logUse(memTable int64) int64 { return memTable + 2*MaxCommit }

// MakeRoom makes sure that Badger can take a commit even if the disk is filled at this moment:
// that it need not wait for a memory table to be written out, and can begin the next. It must not
// be called by several goroutines.
func (s *Store) MakeRoom(entries, bytes int) error {
	if err := s.disk.checkSpace(); err != nil {
		return err
	}
	return s.disk.roomInTable(int64(bytes + entryBytes*entries))
}

func (d *disk) roomInTable(more int64) error {
	if d.reserve == 0 {
		return nil
	}
	if info, err := os.Stat(d.spare); err != nil || info.Size() > 0 {
		if err := d.nextTable(); err != nil {
			return err
		}
	}
	d.written += more
	if d.written < d.memTable/2 || d.logs < d.tableLogs {
		return nil
	}
	return d.awaitTable()
}

// nextTable takes the space for the log of the next memory table: Badger accepts an empty file
// as a new one, and its blocks then lie behind its end.
func (d *disk) nextTable() error {
	last, err := d.countLogs()
	if err != nil {
		return err
	}
	spare := filepath.Join(d.dir, fmt.Sprintf("%05d%s", last+1, tableLogExt))
	if err := allocateBehind(spare, logUse(d.memTable)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("kv: next memory table: %w", DiskError(err))
	}
	d.spare, d.written = spare, 0
	return nil
}

// countLogs counts the logs of memory tables, and returns the number of the last.
func (d *disk) countLogs() (last int, err error) {
	files, err := filepath.Glob(filepath.Join(d.dir, "*"+tableLogExt))
	d.logs = 0
	for _, file := range files {
		info, failed := os.Stat(file)
		if errors.Is(failed, fs.ErrNotExist) || failed == nil && info.Size() == 0 {
			continue // written out meanwhile, or the spare
		}
		n, wrong := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), tableLogExt))
		last, err = max(last, n), errors.Join(err, failed, wrong)
		d.logs++
	}
	if err != nil {
		return 0, fmt.Errorf("kv: memory tables: %w", err)
	}
	return last, nil
}

// awaitTable waits until a memory table has been written out, or can't be.
func (d *disk) awaitTable() error {
	for ; ; time.Sleep(waitForTable) {
		if _, err := d.countLogs(); err != nil {
			return err
		}
		if d.logs < d.tableLogs {
			return nil
		}
		if d.full() {
			return fmt.Errorf("%w: a memory table can't be written", ErrDiskFull)
		}
	}
}

// dropSpare removes the spare when Badger is closed.
func (d *disk) dropSpare() error {
	info, err := os.Stat(d.spare)
	if err != nil || info.Size() > 0 {
		return nil // there is none
	}
	return os.Remove(d.spare)
}

// reserveList takes space behind the list of tables.
func (d *disk) reserveList() {
	file := filepath.Join(d.dir, badger.ManifestFilename)
	if info, err := os.Stat(file); err == nil && Allocated(info) < info.Size()+listAhead {
		// Without space it is tried again the next time.
		_ = allocateBehind(file, info.Size()+2*listAhead)
	}
}

// tablesWaiting is the number of tables that wait for space, in all stores of the process.
var tablesWaiting atomic.Int64

// full reports whether a memory table may not fit on the disk.
func (d *disk) full() bool {
	if d.reserve == 0 {
		return false
	}
	if tablesWaiting.Load() > 0 {
		return true
	}
	free, _, err := d.gauge(d.dir)
	return err == nil && free < d.mayWrite
}

// adjust frees ballast when the disk is nearly full, restores it when there is plenty of space,
// and returns when to check again.
func (d *disk) adjust() (again time.Duration) {
	free, _, err := d.gauge(d.dir)
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

// watch adjusts until stop is called.
func (d *disk) watch() (stop func()) {
	if d.reserve == 0 {
		return func() {}
	}
	quit := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		t := time.NewTimer(0)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				d.reserveList()
				t.Reset(d.adjust())
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		watching.Wait()
	}
}
