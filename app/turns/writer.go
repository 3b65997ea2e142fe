package turns

import (
	"context"
	"io"
)

// writerStep is the minimum that a [Writer] takes at a time.
const writerStep = 1 << 20

// Writer takes slots for the bytes that pass through it, a few at a time, so that a stalled
// sender holds few.
type Writer struct {
	to    io.Writer
	ctx   context.Context // of the one call that writes
	queue *Queue
	key   Key
	held  int64
	used  int64
}

// Writer returns a writer that takes slots for the caller until ctx ends. Close returns them
// all; it does not close the underlying writer.
func (q *Queue) Writer(ctx context.Context, k Key, to io.Writer) *Writer {
	return &Writer{to: to, ctx: ctx, queue: q, key: k}
}

// Write fails like [Queue.Take].
func (w *Writer) Write(p []byte) (int, error) {
	if more := w.used + int64(len(p)) - w.held; more > 0 {
		more = max(more, min(writerStep, w.queue.Most(w.key)-w.held))
		if err := w.queue.Take(w.ctx, w.key, more); err != nil {
			return 0, err
		}
		w.held += more
	}
	n, err := w.to.Write(p)
	w.used += int64(n)
	return n, err
}

// Close returns the slots.
func (w *Writer) Close() {
	if w.held > 0 {
		w.queue.Release(w.key, w.held)
		w.held = 0
	}
}
