package kv

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate makes a file that has its room on the disk.
func allocate(file string, size int64) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Fallocate(int(f.Fd()), 0, 0, size), f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}
