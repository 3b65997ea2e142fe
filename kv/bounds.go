package kv

import (
	"reflect"
	"unsafe"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/ristretto/v2/z"
)

// The bounds of what Badger takes, and what each costs. Together they are some
// 100 MB while as much is written as the machine can.
const (
	// memTable is the size of a memory table. Its arena takes 1.3 times as much, and
	// there are at most three: one is filled, one waits, one is written to disk.
	// One call may write 15 % of it. Smaller ones mean more compaction.
	memTable  = 14 << 20
	memTables = 1 // that may wait
	callBytes = memTable / 100 * 15

	// tableSize is the size of a sorted table. Each takes a file handle, and its
	// builder fourteen times as much: it holds all blocks, plain and compressed, in
	// chunks that double. By default a table of the level below is twice as
	// large, which is 112 MB for a builder of the lowest.
	tableSize   = 1 << 20
	tableGrowth = 1

	// compactors is the least that Badger accepts. Each has a few builders at a time.
	compactors = 2
	levelZero  = 2 // tables that begin a compaction
	stall      = 6 // tables that make writers wait for it

	// blockCache holds blocks that were read and decompressed, 4 KiB each. Without
	// it, every read decompresses one.
	blockCache = 8 << 20

	// valueLog is the size of a log of values over 1 MiB. Two are mapped.
	valueLog = 8 << 20

	// streams is how many goroutines read tables at a time, 1 MiB each.
	streams = 2
)

// bounded applies the bounds.
func bounded(o badger.Options) badger.Options {
	o.TableSizeMultiplier = tableGrowth
	return o.
		WithMemTableSize(memTable).
		WithNumMemtables(memTables).
		WithBaseTableSize(tableSize).
		WithNumCompactors(compactors).
		WithNumLevelZeroTables(levelZero).
		WithNumLevelZeroTablesStall(stall).
		WithBlockCacheSize(blockCache).
		WithIndexCacheSize(0). // for encrypted tables only
		WithValueLogFileSize(valueLog).
		WithNumGoroutines(streams)
}

// poolField is where Badger keeps the memory of finished builders.
const poolField = "allocPool"

// dropPool makes builders release their memory. Badger would keep that of up to
// eight for the next ones, whatever their size: 330 MB after a burst of writes.
// It has no option for that, but works without a pool; the pool is returned, to
// be released when the store is closed. It is nil if this Badger has none.
//
// Builders that are already at work keep the pool: a reader of the field may see
// either value, which is why the race detector need not watch the write.
//
//go:norace
func dropPool(b *badger.DB) *z.AllocatorPool {
	field := reflect.ValueOf(b).Elem().FieldByName(poolField)
	if !field.IsValid() || field.Type() != reflect.TypeFor[*z.AllocatorPool]() {
		return nil
	}
	at := (**z.AllocatorPool)(unsafe.Pointer(field.UnsafeAddr()))
	pool := *at
	*at = nil
	return pool
}
