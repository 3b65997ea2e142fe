package kv

import (
	"os"
	"path/filepath"

	"paraph/kv/internal/badgerguard"
)

// counters count the work since the store was opened.
type counters struct{ commits, calls uint64 }

// Stats are figures for operators.
type Stats struct {
	Version uint64 // number of the current commit
	Commits uint64 // groups made durable since Open
	Calls   uint64 // calls in those groups
	Readers int    // views under way
	Tables  int    // sorted tables of Badger
	Disk    int64  // bytes the folder takes
	Free    int64  // bytes free on its disk; 0 in memory
	Size    int64  // bytes of that disk; 0 in memory
}

// Stats reports on the store.
func (db *DB) Stats() Stats {
	s, err := db.acquire()
	if err != nil {
		return Stats{}
	}
	defer db.release(s)
	db.mu.Lock()
	out := Stats{Version: s.ts, Commits: db.counters.commits, Calls: db.counters.calls, Readers: db.readers - 1}
	db.mu.Unlock()
	out.Tables = len(db.badger.Tables())
	if db.inMemory {
		return out
	}
	out.Disk = folderSize(db.dir)
	out.Free, out.Size = Room(db)
	return out
}

// Room returns how many bytes of the store's disk are free, and its size; 0 if it is in memory,
// or if that is unknown. Unlike Stats it does not look at each file of the folder.
func Room(db *DB) (free, size int64) {
	if db.inMemory {
		return 0, 0
	}
	free, size, err := db.badger.Space()
	if err != nil {
		return 0, 0
	}
	return free, size
}

// RoomOn returns the same of the disk of any folder.
func RoomOn(dir string) (free, size int64) {
	free, size, err := badgerguard.Space(dir)
	if err != nil {
		return 0, 0
	}
	return free, size
}

// folderSize returns the disk space used by the files of a folder.
func folderSize(dir string) (total int64) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(dir, f.Name())); err == nil {
			total += badgerguard.Allocated(info)
		}
	}
	return total
}
