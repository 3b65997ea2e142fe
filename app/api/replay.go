package api

import "sync"

// replays makes requests with the same Idempotency-Key wait for each other, so
// that a repetition that arrives while the first is still running gets its
// response.
type replays struct {
	mu   sync.Mutex
	keys map[string]*waiting
}

type waiting struct {
	mu    sync.Mutex
	count int
}

func newReplays() *replays { return &replays{keys: map[string]*waiting{}} }

func (r *replays) lock(key string) (unlock func()) {
	r.mu.Lock()
	w := r.keys[key]
	if w == nil {
		w = &waiting{}
		r.keys[key] = w
	}
	w.count++
	r.mu.Unlock()
	w.mu.Lock()
	return func() {
		w.mu.Unlock()
		r.mu.Lock()
		defer r.mu.Unlock()
		if w.count--; w.count == 0 {
			delete(r.keys, key)
		}
	}
}
