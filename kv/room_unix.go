//go:build unix

package kv

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeBytes is what an ordinary process may still write to the disk of dir.
func freeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// allocated is the room a file takes, holes not counted.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
