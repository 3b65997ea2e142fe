package signing

import (
	"errors"

	"paraph/app/blob"
	"paraph/kv"
)

// NoSpace reports whether an error of this service, or of another that shares its
// store, means that the disk is full.
func NoSpace(err error) bool {
	return errors.Is(err, kv.ErrDiskFull) || errors.Is(err, blob.ErrNoSpace)
}
