package search

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"
)

// waits lets searches wait for the place to move, and tells the indexer that a search is
// waiting.
type waits struct {
	mu      sync.Mutex
	changed chan struct{} // closed when the place moves
	over    chan struct{} // closed with the index
	waiting chan struct{} // holds one token while a search waits
}

func newWaits() *waits {
	return &waits{
		changed: make(chan struct{}),
		over:    make(chan struct{}),
		waiting: make(chan struct{}, 1),
	}
}

func (w *waits) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

func (w *waits) moved() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *waits) close() { close(w.over) }

func (w *waits) ask() {
	select {
	case w.waiting <- struct{}{}:
	default: // already asked for
	}
}

// Place returns how much of the caller's log the index covers. The caller that applies batches
// reads it at the start and after every error, and continues from there. For figures use Stats:
// reading Place also acknowledges that the index was emptied.
func (x *Index) Place() uint64 {
	// In this order, so that emptying the index in between is noticed again.
	x.emptied.Store(false)
	return x.place.Load()
}

// Wait returns when the index has reached the given place, or when ctx ends. It makes Waiting
// ready, so that a batch being gathered is sent now.
func (x *Index) Wait(ctx context.Context, place uint64) error {
	for {
		changed := x.waits.next()
		if x.place.Load() >= place {
			return nil
		}
		x.waits.ask()
		select {
		case <-changed:
		case <-x.waits.over:
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Waiting becomes ready once after a caller began to wait for a place that the index has not
// reached.
func (x *Index) Waiting() <-chan struct{} { return x.waits.waiting }

// encodePlace adds a checksum: a damaged place too far ahead would leave documents out forever.
func encodePlace(place uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, place)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func decodePlace(b []byte) (uint64, error) {
	if len(b) != 12 || crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]) {
		return 0, fmt.Errorf("%w: cannot read its place", errDamaged)
	}
	return binary.BigEndian.Uint64(b), nil
}
