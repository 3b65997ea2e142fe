package kv

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate creates a file with its disk space reserved.
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
