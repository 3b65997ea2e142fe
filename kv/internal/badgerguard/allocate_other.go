//go:build !linux

package badgerguard

import "errors"

// allocate fails: this system cannot reserve space without writing it.
func allocate(string, int64) error { return errors.ErrUnsupported }

// allocateBehind fails as well.
func allocateBehind(string, int64) error { return errors.ErrUnsupported }
