//go:build !linux

package kv

import "errors"

// allocate can't reserve space on this system without writing it.
func allocate(string, int64) error { return errors.ErrUnsupported }
