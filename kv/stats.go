package kv

import (
	"os"
	"path/filepath"
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
	if free, size, err := db.disk.usage(db.dir); err == nil {
		out.Free, out.Size = free, size
	}
	return out
}

// folderSize returns the disk space used by the files of a folder, since memory-mapped files
// are longer than their written part.
func folderSize(dir string) (total int64) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(dir, f.Name())); err == nil {
			total += allocated(info)
		}
	}
	return total
}
