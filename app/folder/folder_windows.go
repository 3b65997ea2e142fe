//go:build windows

package folder

import (
	"os"

	"golang.org/x/sys/windows"
)

func flock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}

func funlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}

// flockShared locks a file beside others who do.
func flockShared(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}

// closeNewFiles does nothing: new files inherit the rights of their folder.
func closeNewFiles() {}

// ActAsOwner does nothing: the access lists of a folder apply to all that is made in it.
func ActAsOwner(string) error { return nil }

// MayUse does nothing, for the same reason.
func MayUse(string) error { return nil }

// MayRead does nothing, for the same reason.
func MayRead(string) error { return nil }

// MayWrite returns true, for the same reason.
func MayWrite(string) bool { return true }
