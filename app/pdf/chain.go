package pdf

import (
	"errors"
	"io"
	"slices"

	"paraph/app/pdf/reader"
)

// A Chain appends revisions to a file in memory, so that several can be stored together.
type Chain struct {
	base  Base
	tail  [][]byte // the revisions
	size  int64    // of the file with all of them
	state []byte   // of the hash over all of it
	known *reader.File
}

// NewChain returns a chain without revisions.
func NewChain(b Base) *Chain { return &Chain{base: b, size: b.Size, state: b.HashState} }

// Base returns the file with all revisions so far. It stays valid when more are added.
func (c *Chain) Base() Base {
	r := &continuation{base: c.base.Reader, size: c.base.Size, tail: c.tail}
	return Base{Reader: r, Size: c.size, HashState: c.state, known: c.known}
}

// Add appends a revision made from [Chain.Base], whose bytes must not change any more.
func (c *Chain) Add(r Revision) {
	c.tail, c.size = append(c.tail, r.Bytes), c.size+int64(len(r.Bytes))
	c.state, c.known = r.HashState, r.known
}

// Appended returns the bytes of the revisions added. The caller must not change them.
func (c *Chain) Appended() [][]byte { return slices.Clip(c.tail) }

// A continuation is a file with data appended to it.
type continuation struct {
	base io.ReaderAt
	size int64
	tail [][]byte
}

// ReadAt implements io.ReaderAt.
func (c *continuation) ReadAt(b []byte, at int64) (int, error) {
	n := 0
	if at < c.size {
		var err error
		n, err = c.base.ReadAt(b[:min(int64(len(b)), c.size-at)], at)
		if err != nil && !(errors.Is(err, io.EOF) && at+int64(n) == c.size) {
			return n, err
		}
	}
	from := at + int64(n) - c.size // in the tail
	for _, part := range c.tail {
		if n == len(b) {
			return n, nil
		}
		if size := int64(len(part)); from >= size {
			from -= size
			continue
		}
		n, from = n+copy(b[n:], part[from:]), 0
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
