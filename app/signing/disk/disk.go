// Package disk holds helpers shared by the services that write files.
package disk

import (
	"errors"
	"fmt"
	"os"

	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/kv"
)

// Closing calls close and returns err or, if that is nil, the error of close.
func Closing(err error, close func() error) error {
	if cerr := close(); err == nil {
		return cerr
	}
	return err
}

// SpaceError turns the blob store's "no space" into a fault.
func SpaceError(err error) error {
	if errors.Is(err, blob.ErrNoSpace) || errors.Is(err, kv.ErrDiskFull) {
		return fault.NoSpace().Because(err)
	}
	return err
}

// Megabytes formats a size in the units used in the configuration.
func Megabytes(n int64) string {
	switch {
	case n%1e6 == 0:
		return fmt.Sprintf("%d MB", n/1e6)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Remove removes a scratch file that may already be gone.
func Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
