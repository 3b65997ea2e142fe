package turns

import "context"

// Hold is the part of a queue that one piece of work occupies. It is used by one goroutine.
type Hold struct {
	queue *Queue
	key   Key
	held  int64
}

// Hold returns an empty hold.
func (q *Queue) Hold(k Key) *Hold { return &Hold{queue: q, key: k} }

// Take adds n slots to the hold, and fails like [Queue.Take]. Work that needs more than the caller's
// share gets the whole share, so that it can run, but alone.
func (h *Hold) Take(ctx context.Context, n int64) error {
	n = min(n, h.left())
	if n <= 0 {
		return nil
	}
	return h.take(ctx, n)
}

func (h *Hold) take(ctx context.Context, n int64) error {
	if err := h.queue.Take(ctx, h.key, n); err != nil {
		return err
	}
	h.held += n
	return nil
}

// left returns what the caller's share leaves for the hold.
func (h *Hold) left() int64 { return h.queue.Most(h.key) - h.held }

// Close releases the hold.
func (h *Hold) Close() {
	if h.held > 0 {
		h.queue.Release(h.key, h.held)
		h.held = 0
	}
}
