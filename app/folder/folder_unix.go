//go:build unix

package folder

import (
	"os"
	"syscall"
)

func flock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// flockShared locks a file beside others who do.
func flockShared(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
}

// funlock releases the lock immediately: after a plain close, a program being started would
// hold it until it runs.
func funlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// closeNewFiles makes all files that the process creates from now on inaccessible to other
// users, including those of libraries that request more access.
func closeNewFiles() { syscall.Umask(0o077) }
