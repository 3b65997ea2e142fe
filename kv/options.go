package kv

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// Limits for Badger, and the cost of each. Together they take about 100 MB under the heaviest
// write load.
const (
	// memTable is the size of a memory table. Its arena takes 1.3 times as much, and there are
	// at most three: one being filled, one waiting, one being written to disk. One call may
	// write 15 % of it. Smaller tables mean more compaction.
	memTable  = 14 << 20
	memTables = 1 // that may wait
	callBytes = memTable / 100 * 15

	// tableSize is the size of a sorted table. Each takes a file handle, and its builder
	// fourteen times as much memory: it holds all blocks, plain and compressed, in chunks that
	// double in size. A merge has ten builders or more at a time, whose tables wait to be written:
	// tables of 1 MiB would take 50 MB more at the peak. By default each level's tables are twice the
	// size of the level's above, which means 56 MB for a builder of the lowest level.
	tableSize   = 512 << 10
	tableGrowth = 1

	// compactors is the minimum Badger accepts. Each uses a few builders at a time.
	compactors = 2

	// levelZero is how many tables of the size of memory tables are merged at once into the
	// level below, and stall how many make writers wait for that. baseLevel is the size at which
	// that level begins to move to the one below it. Each of these merges rewrites all of the
	// target's tables that it touches, so merging little at a time writes the same records again
	// and again: with two tables and 10 MB, a company's ten thousandth document cost twice the
	// writing, and half as much processor time again, as its first. But the tables that a merge
	// makes stay resident until it ends: a level of 64 MB takes 50 MB more at the peak, and saves
	// five percent of the processor time.
	levelZero = 5
	stall     = 15
	baseLevel = 20 << 20

	// blockCache holds decompressed blocks of 4 KiB. Without it, every read decompresses one.
	blockCache = 8 << 20

	// valueLog is the size of a log of values over 1 MiB. Two are mapped at a time.
	valueLog = 8 << 20

	// streams is the number of goroutines reading tables, at 1 MiB each.
	streams = 2
)

// bounded applies the limits.
func bounded(o badger.Options) badger.Options {
	o.TableSizeMultiplier = tableGrowth
	return o.
		WithMemTableSize(memTable).
		WithNumMemtables(memTables).
		WithBaseTableSize(tableSize).
		WithNumCompactors(compactors).
		WithNumLevelZeroTables(levelZero).
		WithNumLevelZeroTablesStall(stall).
		WithBaseLevelSize(baseLevel).
		WithBlockCacheSize(blockCache).
		WithIndexCacheSize(0). // for encrypted tables only
		WithValueLogFileSize(valueLog).
		WithNumGoroutines(streams)
}

// options returns the options of Badger. The single writer makes conflict detection
// unnecessary; SyncWrites makes a commit durable even when the memory table is switched in the
// middle of it.
func (db *DB) options() badger.Options {
	dir := db.dir
	if db.inMemory {
		dir = ""
	}
	o := bounded(badger.DefaultOptions(dir))
	if db.still {
		o = o.WithNumCompactors(0)
	}
	return o.
		WithInMemory(db.inMemory).
		WithSyncWrites(!db.inMemory && !db.noSync).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithChecksumVerificationMode(options.OnBlockRead).
		WithLogger(badgerLog{db.log})
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
