package archive

import (
	"os"

	"golang.org/x/sys/unix"
)

// DropCache makes the next read come from the disk. It is only a hint.
func DropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
