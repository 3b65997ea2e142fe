//go:build unix

package badgerguard

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// space returns how much an ordinary process may still write to the disk of dir, and
// the size of that disk, in bytes.
func space(dir string) (free, total int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil
}

// Allocated returns the disk space of a file, without holes: mapped files are longer than their
// written part.
func Allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}

// inUse reports whether a process has the folder open, judging by Badger's lock on it.
func inUse(dir string) (bool, error) {
	d, err := os.Open(dir)
	if err != nil {
		return false, err
	}
	err = unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, d.Close()
	}
	// Unlocked explicitly: after a plain close, a program being started would hold the lock
	// until it runs.
	return false, errors.Join(err, unix.Flock(int(d.Fd()), unix.LOCK_UN), d.Close())
}
