package signing

import (
	"errors"

	"paraph/app/blob"
	"paraph/kv"
)

// NoSpace says whether an error of this service, or of another that keeps its
// records in the same store, means that the disk has no room left.
func NoSpace(err error) bool {
	return errors.Is(err, kv.ErrDiskFull) || errors.Is(err, blob.ErrNoSpace)
}
