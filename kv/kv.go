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
	"log/slog"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"paraph/app/turns"
	"paraph/kv/internal/badgerguard"
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
	ErrDiskFull = badgerguard.ErrDiskFull
	// ErrClosed reports that the store is closed, or that a transaction is used after its
	// function returned.
	ErrClosed = errors.New("kv: closed")
	// ErrNewerFormat reports that the folder was written by a newer version.
	ErrNewerFormat = errors.New("kv: data was written by a newer version")
	// ErrLocked reports that another process has the folder open.
	ErrLocked = badgerguard.ErrLocked
	// ErrInterrupted reports that a restore into this folder did not finish.
	ErrInterrupted = errors.New("kv: restore did not finish; empty the folder and restore again")
	// ErrCorrupt reports that the stored data is inconsistent.
	ErrCorrupt = badgerguard.ErrCorrupt
)

// Limits of one call of [DB.Update]. Its index entries, counts and log entries count as well.
const (
	MaxUpdateBytes = badgerguard.MaxCommit // keys and values
	MaxUpdateKeys  = 20_000
)

// Options configure a store. The zero value of every field but Dir is useful.
type Options struct {
	Dir      string           // folder of the store, created if missing; ignored when InMemory
	InMemory bool             // keep everything in memory, for test doubles
	NoSync   bool             // leave syncing to the operating system: faster, but a power cut loses the last seconds
	Now      func() time.Time // clock for Tx.Now and jobs; default time.Now
	// NowIn is the clock of a scope's updates and jobs; default Now for all of them.
	NowIn func(scope string) time.Time
	Log   *slog.Logger // default: discard
	// Copy opens a store that Restore alone fills: nothing is migrated, and an increment that was
	// interrupted may be repeated.
	Copy bool
	// Still opens a store whose tables are links to those of another one: they are neither merged nor
	// removed, which would empty the other's. Restore and Reset return ErrReadOnly.
	Still bool
	// Reserve is the number of bytes that must stay free on the disk: commits are refused with
	// ErrDiskFull below it. 0: 64 MB, or a quarter of a small disk; negative: none, so that a
	// full disk may end the process.
	Reserve int64
	// Full reports that the disk is full for a scope, to tests of what happens then: its update is
	// refused with ErrDiskFull. Nil: it never is.
	Full func(scope string) bool
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
	nowIn    func(scope string) time.Time
	scoped   bool // scopes have clocks of their own
	full     func(scope string) bool
	log      *slog.Logger
	dir      string
	inMemory bool
	noSync   bool
	copy     bool
	still    bool
	guarded  badgerguard.Options
	slots    slots // numbers of the counters

	trails *trails // nil on disk

	deletions      deletions     // of the committer
	deletionsFrom  atomic.Uint64 // see KeepDeletions
	deletionsLeast int64         // see the constant; tests set less

	writing *turns.Queue // admits one update at a time
	// turn is held while an update's function runs.
	turn    sync.Mutex
	work    *sync.Cond // on turn: pending or closing changed
	pending []*group   // oldest first; the first may be on its way to the disk
	base    *badger.Txn
	ranks   []*rank // as of the last pending call
	fault   error   // why the last write to Badger failed; it is reopened before the next
	halfway bool    // a restore failed: nothing may be written until the next one
	half    Span    // that restore
	closing bool

	// mu guards the state shared by readers. It is only held briefly.
	mu        sync.Mutex
	idle      *sync.Cond
	badger    *badgerguard.Store
	cur       *state
	oldest    *state
	readers   int
	exclusive bool
	closed    bool
	changed   chan struct{}
	counters  counters

	awaited atomic.Int64 // how many wait until nobody reads

	epoch atomic.Int64   // counts how often the whole content was replaced
	quit  chan struct{}  // closed by Close
	tasks sync.WaitGroup // the committer
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
func Open(o Options) (*DB, error) { return open(o, nil) }

func open(o Options, gauge badgerguard.Gauge) (*DB, error) {
	db := &DB{
		now:      o.Now,
		nowIn:    o.NowIn,
		scoped:   o.NowIn != nil,
		full:     o.Full,
		log:      o.Log,
		dir:      o.Dir,
		inMemory: o.InMemory,
		noSync:   o.NoSync,
		copy:     o.Copy,
		still:    o.Still,
		changed:  make(chan struct{}),
		quit:     make(chan struct{}),
		writing:  turns.New(turns.Options{Slots: 1, Waiting: math.MaxInt, Patience: writePatience}),

		deletionsLeast: deletionsLeast,
	}
	if o.InMemory {
		db.trails = &trails{of: map[string]*trail{}}
	}
	if db.now == nil {
		db.now = time.Now
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	db.work = sync.NewCond(&db.turn)
	db.idle = sync.NewCond(&db.mu)
	db.guarded = badgerguard.Options{Badger: db.options(), Reserve: o.Reserve, Gauge: gauge, MayOpen: db.mayOpen}
	if err := db.begin(); err != nil {
		return nil, err
	}
	if o.Copy {
		return db, nil
	}
	if err := db.migrate(o.Migrations, o.BeforeMigration); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// begin creates the folder, opens the store in it and starts its writer.
func (db *DB) begin() error {
	if !db.inMemory {
		if err := os.MkdirAll(db.dir, 0o700); err != nil {
			return fmt.Errorf("kv: open: %w", badgerguard.DiskError(err))
		}
	}
	if err := db.start(); err != nil {
		return err
	}
	db.tasks.Go(db.commit)
	return nil
}

// start opens Badger and loads the state kept in memory.
func (db *DB) start() error {
	b, err := badgerguard.Open(db.guarded)
	if err != nil {
		return err
	}
	if err := db.load(b); err != nil {
		return errors.Join(err, b.Close())
	}
	return nil
}

// mayOpen refuses a folder that is half restored, but lets a copy go on with an increment.
func (db *DB) mayOpen() error {
	b, err := os.ReadFile(db.restoreMark())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kv: open: %w", err)
	}
	// A mark without numbers is that of a full backup.
	if n, _ := fmt.Sscan(string(b), &db.half.Since, &db.half.Upto); !db.copy || n < 2 || db.half.Since == 0 {
		return ErrInterrupted
	}
	db.halfway = true
	return nil
}

// load makes b the store and reads the counts.
func (db *DB) load(b *badgerguard.Store) error {
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
		if err := db.badger.Close(); err != nil {
			return fmt.Errorf("kv: close: %w", badgerguard.DiskError(err))
		}
		return nil
	})
}

// alone runs fn while there are no readers or writers; db.turn is held and nothing is pending.
// While it waits for readers, new ones are let in, so that a View inside a View can't deadlock.
func (db *DB) alone(fn func() error) error {
	db.awaited.Add(1)
	defer db.awaited.Add(-1)
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
