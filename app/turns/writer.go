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
	to   io.Writer
	ctx  context.Context // of the one call that writes
	hold *Hold
	used int64
}

// Writer returns a writer that takes slots for the caller until ctx ends. Close returns them
// all; it does not close the underlying writer.
func (q *Queue) Writer(ctx context.Context, k Key, to io.Writer) *Writer {
	return &Writer{to: to, ctx: ctx, hold: q.Hold(k)}
}

// Write fails like [Queue.Take].
func (w *Writer) Write(p []byte) (int, error) {
	if more := w.used + int64(len(p)) - w.hold.held; more > 0 {
		if err := w.hold.take(w.ctx, max(more, min(writerStep, w.hold.left()))); err != nil {
			return 0, err
		}
	}
	n, err := w.to.Write(p)
	w.used += int64(n)
	return n, err
}

// Close returns the slots.
func (w *Writer) Close() { w.hold.Close() }
