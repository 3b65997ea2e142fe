package pdf

import (
	"errors"
	"io"
	"slices"
)

// A Chain appends revisions to a file in memory, so that several can be stored together.
type Chain struct {
	base  Base
	tail  []byte
	state []byte // of the hash over the base and the tail
}

// NewChain returns a chain without revisions.
func NewChain(b Base) *Chain { return &Chain{base: b, state: b.HashState} }

// Base returns the file with all revisions so far. It stays valid when more are added.
func (c *Chain) Base() Base {
	r := &continuation{base: c.base.Reader, size: c.base.Size, tail: c.tail}
	return Base{Reader: r, Size: c.base.Size + int64(len(c.tail)), HashState: c.state}
}

// Add appends a revision made from [Chain.Base].
func (c *Chain) Add(r Revision) {
	c.tail, c.state = append(c.tail, r.Bytes...), r.HashState
}

// Appended returns the bytes of the revisions added. The caller must not change them.
func (c *Chain) Appended() []byte { return slices.Clip(c.tail) }

// A continuation is a file with data appended to it.
type continuation struct {
	base io.ReaderAt
	size int64
	tail []byte
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
	if n < len(b) {
		from := at + int64(n) - c.size
		if from >= int64(len(c.tail)) {
			return n, io.EOF
		}
		n += copy(b[n:], c.tail[from:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
