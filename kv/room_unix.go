//go:build unix

package kv

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskUsage is what an ordinary process may still write to the disk of dir, and
// the size of that disk, in bytes.
func diskUsage(dir string) (free, total int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil
}

// allocated is the room a file takes, holes not counted.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
