package transfer

import (
	"hash/maphash"
	"io"

	"paraph/kv"
)

// Receive exposes how records are stored while there is space.
func Receive(to io.Writer, space func() error, r io.Reader) error {
	return (&staged{}).receive(to, space, r)
}

// EachLine exposes how staged records are read.
func EachLine(r io.Reader, visit func(kv.Item) error) error {
	_, err := eachLine(r, func(it kv.Item, _ int64) (bool, error) { return true, visit(it) })
	return err
}

// Twice reports whether one import may hold two items.
func Twice(a, b kv.Item) error {
	s := &staged{seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}}
	if err := s.once(a); err != nil {
		return err
	}
	return s.once(b)
}
