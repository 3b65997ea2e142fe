package blob

import (
	"errors"

	"golang.org/x/sys/windows"
)

// syncDir does nothing: Windows cannot sync a folder, and NTFS journals renames.
func syncDir(string) error { return nil }

// freeSpace returns how many bytes this user may still write.
func freeSpace(path string) (int64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(free), nil
}

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
