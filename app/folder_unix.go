//go:build unix

package app

import (
	"os"
	"syscall"
)

func flock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// funlock returns the lock back at once: closing alone leaves it with a program
// that is being started, until it runs.
func funlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// closeNewFiles has all files that the process makes from now on closed to other users,
// also those of libraries that ask for more.
func closeNewFiles() { syscall.Umask(0o077) }
