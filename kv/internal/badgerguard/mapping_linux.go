package badgerguard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
)

// Badger extends a new file to its final length, maps it and writes through the map. Until
// then, the file is one hole; if the disk is full when the kernel has to fill it, the write
// ends the process with SIGBUS, in a goroutine of Badger, where nothing can recover. So a file
// gets its blocks before it is mapped for writing.
//
// Badger has no hook for this, but maps its files through this variable of x/sys/unix, whose
// layout must be that of mapper: TestMappedFilesHaveTheirBlocks fails if it is not.
//
//go:linkname unixMapper golang.org/x/sys/unix.mapper
var unixMapper *mapper

// mapper is the part of the type of unix.mapper that is used here.
type mapper struct {
	_    sync.Mutex
	_    map[*byte][]byte
	mmap func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error)
}

// unguarded is how x/sys/unix maps a file by itself.
var unguarded = unixMapper.mmap

// Done before anything can be mapped, as unix.Mmap reads the function without a lock.
func init() {
	unixMapper.mmap = func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error) {
		if fd >= 0 && prot&unix.PROT_WRITE != 0 && flags&unix.MAP_SHARED != 0 {
			if err := fillHoles(fd, offset, int64(length)); err != nil {
				return 0, err
			}
		}
		return unguarded(addr, length, prot, flags, fd, offset)
	}
}

// fillHoles reserves the disk space of a part of a file that has holes. Where the file system
// can't, the reserve alone has to do.
func fillHoles(fd int, offset, length int64) error {
	// Where the name is unknown, the whole file gets its blocks.
	file, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	kind := filepath.Ext(file)
	if kind == tableLogExt {
		length = min(length, logUse(length/2))
	}
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err == nil && s.Blocks*512 >= length {
		return nil
	}
	if kind == ".sst" {
		if s.Blocks == 0 {
			awaitSpace(fd, offset, length)
		}
		return nil // a table that exists is only read
	}
	if err := fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, offset, length); isFull(err) {
		return err
	}
	return nil
}

func isFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// awaitSpace reserves the space of a new table, and waits until there is enough. A compaction
// forgets the error of a table it can't create, removes the tables that were merged into it, and
// so loses their records. The goroutines that create tables hold no lock.
func awaitSpace(fd int, offset, length int64) {
	reserve := func() bool { return !isFull(fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, offset, length)) }
	if reserve() {
		return
	}
	tablesWaiting.Add(1)
	defer tablesWaiting.Add(-1)
	for !reserve() {
		time.Sleep(waitForTable)
	}
}
