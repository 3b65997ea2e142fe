//go:build unix

package archive

import (
	"errors"
	"os"
)

// SyncDir makes the names in a folder durable.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
