//go:build unix

package archive

import (
	"errors"
	"os"
	"syscall"
)

// Claim marks a file as being written by this process, until it is closed.
func Claim(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EINVAL) {
		return errors.ErrUnsupported // on some network file systems
	}
	return err
}

// SyncDir makes the names in a folder durable.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
