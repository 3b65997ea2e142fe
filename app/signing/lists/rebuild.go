package lists

import (
	"log/slog"
	"sync"
	"time"

	"paraph/app/signing/store"
)

// rebuild notices when the search index is being rebuilt: it was missing at the start, or
// was emptied because of damage.
type rebuild struct {
	mu    sync.Mutex
	known bool   // whether a batch was seen since the start
	place uint64 // of the last batch
	goal  uint64 // the newest change when the rebuild began
	since time.Time
}

// batch is called for each batch before it is applied. A start that is behind by no more than
// a batch only catches up.
func (r *rebuild) batch(first, head uint64, log *slog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	emptied := r.known && first <= r.place
	if emptied || !r.known && head-first >= store.Batch {
		r.goal, r.since = head, time.Now()
		log.Info("rebuilding the search index", "changes", head-first+1)
	}
	r.known = true
}

// applied is called with the place of each batch after it was applied.
func (r *rebuild) applied(place uint64, log *slog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.place < r.goal && place >= r.goal {
		log.Info("rebuilt the search index", "took", time.Since(r.since).Round(time.Millisecond))
	}
	r.place = place
}

// running reports whether the index is being rebuilt.
func (r *rebuild) running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.place < r.goal
}
