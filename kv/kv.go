// Package kv stores typed records in Badger: collections with indexes and counts, an
// append-only log with hash-chained entries, the positions of its followers, and jobs.
//
// Guarantees to callers:
//
//   - Writes are ordered. [DB.Update] runs one function at a time; commit order
//     is the order in which those functions ran, and is the order of the log. A
//     reader that has seen entry n has seen every entry before it. There are no
//     conflicts and nothing to retry.
//   - Writes are durable when Update returns. Calls that wait at the same time
//     share one sync of the disk (group commit).
//   - A call is all or nothing. A function that fails, panics or is too large
//     leaves no trace, and the others of its group are not touched.
//   - A reader ([DB.View]) sees one moment: records, index entries, counts and
//     log agree. It never waits for a writer, nor a writer for it.
//   - What is returned belongs to the caller: no slice or map is shared with
//     the store.
package kv

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/ristretto/v2/z"
)

// Errors returned by this package; test with [errors.Is].
var (
	// ErrNotFound reports that there is no such record, entry or job.
	ErrNotFound = errors.New("kv: not found")
	// ErrReadOnly reports a write attempted inside View.
	ErrReadOnly = errors.New("kv: transaction is read-only")
	// ErrExists reports that another record already has the key of a unique index.
	ErrExists = errors.New("kv: key already taken")
	// ErrTooLarge reports that one call writes more than [MaxUpdateBytes] or [MaxUpdateKeys].
	// None of it is kept; split the work over several calls.
	ErrTooLarge = errors.New("kv: too much for one update")
	// ErrDiskFull reports that the disk is full. Nothing of the call is kept, and calls succeed
	// again once there is space.
	ErrDiskFull = errors.New("kv: disk full")
	// ErrClosed reports that the store is closed, or that a transaction is used after its
	// function returned.
	ErrClosed = errors.New("kv: closed")
	// ErrNewerFormat reports that the folder was written by a newer version.
	ErrNewerFormat = errors.New("kv: data was written by a newer version")
	// ErrLocked reports that another process has the folder open.
	ErrLocked = errors.New("kv: folder is in use by another process")
	// ErrInterrupted reports that a restore into this folder did not finish.
	ErrInterrupted = errors.New("kv: restore did not finish; empty the folder and restore again")
	// ErrCorrupt reports that the stored data is inconsistent.
	ErrCorrupt = errors.New("kv: corrupt")
)

// Limits of one call of [DB.Update]. Its index entries, counts and log entries count as well.
const (
	MaxUpdateBytes = 3 << 20 // keys and values
	MaxUpdateKeys  = 20_000
)

// Options configure a store. The zero value of every field but Dir is useful.
type Options struct {
	Dir      string           // folder of the store, created if missing; ignored when InMemory
	InMemory bool             // keep everything in memory, for test doubles
	NoSync   bool             // leave syncing to the operating system: faster, but a power cut loses the last seconds
	Now      func() time.Time // clock for Tx.Now and jobs; default time.Now
	Log      *slog.Logger     // default: discard
	// Reserve is the number of bytes that must stay free on the disk: commits are refused with
	// ErrDiskFull below it. 0: 64 MB, or a quarter of a small disk; negative: none, so that a
	// full disk may end the process.
	Reserve int64
	// Migrations bring older data up to date, in ascending order of To. The
	// version of the data is the To of the last one.
	Migrations []Migration
	// BeforeMigration runs before the first migration of older data, to save a copy of it. If
	// it fails, nothing is migrated.
	BeforeMigration func(db *DB, from int) error
}

// Migration is one step from an older version of the data. After a crash Run may run again, so
// it must cope with its own work half done.
type Migration struct {
	To  int
	Run func(db *DB) error
}

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	now      func() time.Time
	log      *slog.Logger
	dir      string
	inMemory bool
	noSync   bool
	// mergeOnClose makes closing merge the newest tables, which takes seconds and much memory.
	mergeOnClose bool
	disk         *disk
	slots        slots // numbers of the counters

	deletions      deletions     // of the committer
	deletionsFrom  atomic.Uint64 // see KeepDeletions
	deletionsLeast int64         // see the constant; tests set less

	fairLock *fairLock // admits one update at a time
	// turn is held while an update's function runs.
	turn    sync.Mutex
	work    *sync.Cond // on turn: pending or closing changed
	pending []*group   // oldest first; the first may be on its way to the disk
	base    *badger.Txn
	ranks   []*rank // as of the last pending call
	fault   error   // why the last write to Badger failed; it is reopened before the next
	halfway bool    // a restore failed: nothing may be written until the next one
	closing bool

	// mu guards the state shared by readers. It is only held briefly.
	mu        sync.Mutex
	idle      *sync.Cond
	badger    *badger.DB
	pool      *z.AllocatorPool // unused, see dropPool
	cur       *state
	oldest    *state
	readers   int
	exclusive bool
	closed    bool
	changed   chan struct{}
	counters  counters

	epoch atomic.Int64   // counts how often the whole content was replaced
	quit  chan struct{}  // closed by Close
	tasks sync.WaitGroup // the committer and the disk monitor
}

// state is one committed moment. The current state and those still being read form a list from
// oldest to newest.
type state struct {
	ts         uint64
	ranks      []*rank
	refs       int
	prev, next *state
}

// Open opens the store in o.Dir, migrates older data, and starts its writer.
// It refuses data of a newer version ([ErrNewerFormat]), a folder in use
// ([ErrLocked]), and a folder whose restore did not finish ([ErrInterrupted]).
func Open(o Options) (*DB, error) { return open(o, diskUsage) }

func open(o Options, usage diskGauge) (*DB, error) {
	db := &DB{
		now:      o.Now,
		log:      o.Log,
		dir:      o.Dir,
		inMemory: o.InMemory,
		noSync:   o.NoSync,
		changed:  make(chan struct{}),
		quit:     make(chan struct{}),
		fairLock: newFairLock(),

		deletionsLeast: deletionsLeast,
	}
	if db.now == nil {
		db.now = time.Now
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	db.work = sync.NewCond(&db.turn)
	db.idle = sync.NewCond(&db.mu)
	if err := db.begin(o, usage); err != nil {
		return nil, err
	}
	if err := db.migrate(o.Migrations, o.BeforeMigration); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// begin creates the folder, opens the store in it and starts its goroutines.
func (db *DB) begin(o Options, usage diskGauge) (err error) {
	if !db.inMemory {
		if err := os.MkdirAll(db.dir, 0o700); err != nil {
			return fmt.Errorf("kv: open: %w", diskError(err))
		}
	}
	if err := db.mayOpen(); err != nil {
		return err
	}
	if db.disk, err = newDisk(o, usage); err != nil {
		return err
	}
	if err := db.start(); err != nil {
		return err
	}
	db.tasks.Go(db.commit)
	db.tasks.Go(func() { db.disk.watch(db.quit) })
	return nil
}

// mayOpen refuses a folder that is in use or half restored, before touching anything in it.
func (db *DB) mayOpen() error {
	if db.inMemory {
		return nil
	}
	used, err := db.stillInUse()
	if err != nil {
		return fmt.Errorf("kv: open: %w", err)
	}
	if used {
		return lockedError(db.dir)
	}
	if exists(db.restoreMark()) {
		return ErrInterrupted
	}
	return nil
}

// lockGrace is how long a lock may outlive its holder.
const lockGrace = 2 * time.Second

// stillInUse reports whether another process has the folder open. A store closed in this
// process may seem in use for a few more milliseconds: a program being started at that moment
// has a copy of every open file until it runs. The holder's name is removed first, which
// distinguishes the two cases.
func (db *DB) stillInUse() (bool, error) {
	for until := time.Now().Add(lockGrace); ; time.Sleep(5 * time.Millisecond) {
		used, err := inUse(db.dir)
		if err != nil || !used || exists(holderFile(db.dir)) || time.Now().After(until) {
			return used, err
		}
	}
}

// holderFile is the file in which Badger names the process that has the folder open.
func holderFile(dir string) string { return filepath.Join(dir, "LOCK") }

// start opens Badger and loads the state kept in memory.
func (db *DB) start() error {
	o := db.options()
	if !db.inMemory {
		mayOpen := errors.Join(mayOpenRegistry(db.dir), mayOpenTables(db.dir, o))
		if err := errors.Join(mayOpen, removeEmptyLogs(db.dir), mayOpenLogs(db.dir)); err != nil {
			return err
		}
	}
	b, err := badger.OpenManaged(o)
	if err != nil {
		return openError(db.dir, err)
	}
	db.pool = dropPool(b)
	if err := db.load(b); err != nil {
		return errors.Join(err, b.Close())
	}
	return nil
}

// errStillOpen reports that Badger could not be closed for want of space.
var errStillOpen = fmt.Errorf("%w: the memory table could not be written, its log is kept", ErrDiskFull)

const (
	closeLook  = 50 * time.Millisecond
	closeLooks = 100 // on a full disk, until Badger is left open
)

// closeBadger writes the memory table out and closes Badger, which would wait forever for space
// to do so. If the disk stays full, Badger is left open, as after a kill: the log of its memory
// table holds every commit and is read when the store is opened again.
func (db *DB) closeBadger() error {
	closed := make(chan error, 1)
	go func() {
		err := db.badger.Close()
		db.pool.Release()
		closed <- errors.Join(err, db.disk.dropSpare())
	}()
	tick := time.NewTicker(closeLook)
	defer tick.Stop()
	for full := 0; full < closeLooks; {
		select {
		case err := <-closed:
			return err
		case <-tick.C:
			if db.disk.full() && !db.disk.drop() {
				full++
			}
		}
	}
	return errStillOpen
}

// load makes b the store and reads the counts.
func (db *DB) load(b *badger.DB) error {
	ts := b.MaxVersion()
	txn := b.NewTransactionAt(ts, false)
	ranks, err := db.loadRanks(txn)
	if err != nil {
		return err
	}
	deletions, err := loadDeletions(txn)
	if err != nil {
		return err
	}
	db.deletions = deletions
	b.SetDiscardTs(ts)
	s := &state{ts: ts, ranks: ranks}
	db.mu.Lock()
	db.badger, db.cur, db.oldest = b, s, s
	db.mu.Unlock()
	db.base, db.ranks = txn, ranks
	return nil
}

// options returns the options of Badger. The single writer makes conflict detection
// unnecessary; SyncWrites makes a commit durable even when the memory table is switched in the
// middle of it.
func (db *DB) options() badger.Options {
	dir := db.dir
	if db.inMemory {
		dir = ""
	}
	return bounded(badger.DefaultOptions(dir)).
		WithInMemory(db.inMemory).
		WithSyncWrites(!db.inMemory && !db.noSync).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithCompactL0OnClose(db.mergeOnClose).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithLogger(badgerLog{db.log})
}

// Close waits for running calls, writes whatever is pending and closes the store. Later calls
// get [ErrClosed].
func (db *DB) Close() error {
	db.turn.Lock()
	if db.closing {
		db.turn.Unlock()
		db.tasks.Wait()
		return nil
	}
	db.closing = true
	close(db.quit)
	db.work.Broadcast()
	db.turn.Unlock()
	db.tasks.Wait()

	db.turn.Lock()
	defer db.turn.Unlock()
	return db.alone(func() error {
		db.closed = true
		if err := db.closeBadger(); err != nil {
			return fmt.Errorf("kv: close: %w", diskError(err))
		}
		return nil
	})
}

// alone runs fn while there are no readers or writers; db.turn is held and nothing is pending.
// While it waits for readers, new ones are let in, so that a View inside a View can't deadlock.
func (db *DB) alone(fn func() error) error {
	db.mu.Lock()
	for db.readers > 0 {
		db.idle.Wait()
	}
	db.exclusive = true
	db.mu.Unlock()
	err := fn()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.exclusive = false
	close(db.changed)
	db.changed = make(chan struct{})
	db.idle.Broadcast()
	return err
}

// lockedError names the process that holds a folder.
func lockedError(dir string) error {
	holder := "unknown"
	if pid, err := os.ReadFile(holderFile(dir)); err == nil {
		holder = strings.TrimSpace(string(pid))
	}
	return fmt.Errorf("%w: %s, process %s", ErrLocked, dir, holder)
}

func openError(dir string, err error) error {
	if strings.Contains(err.Error(), "Cannot acquire directory lock") {
		return lockedError(dir)
	}
	return fmt.Errorf("kv: open %s: %w", dir, diskError(err))
}

// diskError adds ErrDiskFull to an error that means a full disk.
func diskError(err error) error {
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

// badgerLog passes Badger's messages on. Its reports of ordinary work are logged at debug
// level.
type badgerLog struct{ log *slog.Logger }

func (l badgerLog) Errorf(format string, args ...any)   { l.log.Error(message(format, args)) }
func (l badgerLog) Warningf(format string, args ...any) { l.log.Warn(message(format, args)) }
func (l badgerLog) Infof(format string, args ...any)    { l.log.Debug(message(format, args)) }
func (badgerLog) Debugf(string, ...any)                 {}

func message(format string, args []any) string {
	return "badger: " + strings.TrimSpace(fmt.Sprintf(format, args...))
}
