// Package digest feeds prefixes of a file to hashes and reads the parts they share only once: each signature of a PDF
// covers nearly everything that the previous one does.
package digest

import (
	"encoding"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Prefixes are the prefixes of a file that end at given offsets. It is safe for concurrent use.
type Prefixes struct {
	r    io.ReaderAt
	ends []int64 // sorted
	// check is called before each piece is read; its error ends the reading.
	check func() error

	mu     sync.Mutex
	states map[string]map[int64][]byte // by initial hash state, then by offset
}

// New returns the prefixes of a file that end at the given offsets.
func New(r io.ReaderAt, ends []int64, check func() error) *Prefixes {
	ends = slices.Clone(ends)
	slices.Sort(ends)
	return &Prefixes{r: r, ends: slices.Compact(ends), check: check, states: map[string]map[int64][]byte{}}
}

// A resumable hash can be restored to an earlier state.
type resumable interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Write writes the first end bytes of the file to w, usually a hash.
func (b *Prefixes) Write(w io.Writer, end int64) error {
	h, ok := w.(resumable)
	if !ok {
		return b.Copy(w, 0, end)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	start, err := h.MarshalBinary()
	if err != nil {
		return b.Copy(w, 0, end)
	}
	key := fmt.Sprintf("%T ", w) + string(start)
	known := b.states[key]
	if known == nil {
		known = map[int64][]byte{}
		b.states[key] = known
	}
	at, err := resume(h, known, end)
	if err != nil {
		return err
	}
	for _, next := range append(slices.Clone(b.ends), end) {
		if next <= at || next > end {
			continue
		}
		if err := b.Copy(w, at, next); err != nil {
			return err
		}
		if known[next], err = h.MarshalBinary(); err != nil {
			return err
		}
		at = next
	}
	return nil
}

// resume restores a hash to the furthest known state up to end.
func resume(h resumable, known map[int64][]byte, end int64) (at int64, err error) {
	for place := range known {
		if place <= end && place > at {
			at = place
		}
	}
	if at == 0 {
		return 0, nil
	}
	return at, h.UnmarshalBinary(known[at])
}

const piece = 256 << 10

// Copy writes a range of the file.
func (b *Prefixes) Copy(w io.Writer, from, to int64) error {
	buf := make([]byte, min(piece, max(to-from, 1)))
	for from < to {
		if err := b.check(); err != nil {
			return err
		}
		n := min(int64(len(buf)), to-from)
		if read, err := b.r.ReadAt(buf[:n], from); int64(read) < n {
			return fmt.Errorf("read PDF: %w", err)
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		from += n
	}
	return nil
}
