package trail

import (
	"context"
	"errors"
	"slices"
	"sync"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Limits of watchers.
const (
	maxWatchers   = 2000 // in total
	maxPerUser    = 20   // browser windows of one person; another one closes the oldest
	watchBuffer   = 64   // events queued for one watcher
	maxWatchAgain = 200  // events sent again to a watcher that reconnects
)

// Watch is a subscription to the events of a company: Events receives every journal
// entry as it is committed. It is closed when the watcher is too slow and when the
// service stops; a watcher that reconnects passes the last entry it knows.
type Watch struct {
	Events <-chan record.Entry
	// Missed holds the entries since the one that was passed, oldest first.
	Missed []record.Entry
	// Lost reports that the missed entries are unknown or too many.
	Lost bool

	hub    *hub
	events chan record.Entry
	who    string
	of     string
}

// Close ends the subscription. It may be called more than once.
func (w *Watch) Close() { w.hub.leave(w) }

// hub delivers committed entries to the watchers of each company.
type hub struct {
	mu       sync.Mutex
	watchers map[string]map[*Watch]bool
	users    map[string][]*Watch // by person, oldest first
	count    int
	over     bool
}

func newHub() *hub {
	return &hub{watchers: map[string]map[*Watch]bool{}, users: map[string][]*Watch{}}
}

func (h *hub) join(w *Watch) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	// The server notices late that a window was closed, so drop the oldest.
	if own := h.users[w.who]; len(own) >= maxPerUser {
		h.drop(own[0])
	}
	if h.over || h.count >= maxWatchers {
		return fault.Unavailable("too_many_watchers")
	}
	if h.watchers[w.of] == nil {
		h.watchers[w.of] = map[*Watch]bool{}
	}
	h.watchers[w.of][w] = true
	h.count++
	h.users[w.who] = append(h.users[w.who], w)
	return nil
}

func (h *hub) leave(w *Watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(w)
}

func (h *hub) drop(w *Watch) {
	if !h.watchers[w.of][w] {
		return
	}
	close(w.events)
	if delete(h.watchers[w.of], w); len(h.watchers[w.of]) == 0 {
		delete(h.watchers, w.of)
	}
	h.users[w.who] = slices.DeleteFunc(h.users[w.who], func(o *Watch) bool { return o == w })
	if len(h.users[w.who]) == 0 {
		delete(h.users, w.who)
	}
	h.count--
}

// publish sends entries to their company's watchers and drops those that are too slow.
func (h *hub) publish(entries []record.Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range entries {
		for w := range h.watchers[e.Value.Company] {
			select {
			case w.events <- e:
			default:
				h.drop(w)
			}
		}
	}
}

// end removes all watchers and accepts no more.
func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for _, all := range h.watchers {
		for w := range all {
			h.drop(w)
		}
	}
}

// idle reports whether there are no watchers.
func (h *hub) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count == 0
}

// Watch subscribes a member to the events of their company. after is the identifier of
// the last journal entry they know, or "".
func (s *Trail) Watch(who account.Call, after string) (*Watch, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	events := make(chan record.Entry, watchBuffer)
	w := &Watch{Events: events, events: events, hub: s.hub, who: who.UserID, of: who.CompanyID}
	// Join before reading the missed entries, so that none is lost in between.
	// Entries delivered twice are recognized by their number.
	if err := s.hub.join(w); err != nil {
		return nil, err
	}
	if after == "" {
		return w, nil
	}
	err := s.db.View(func(tx *kv.Tx) error { return w.catchUp(tx, after) })
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Watch) catchUp(tx *kv.Tx, after string) error {
	known, err := store.Events.Get(tx, after)
	if errors.Is(err, kv.ErrNotFound) || err == nil && known.Value.Company != w.of {
		w.Lost = true
		return nil
	}
	if err != nil {
		return err
	}
	missed, _, err := store.Events.Scope(tx, w.of, kv.LogQuery{AfterID: after, Limit: maxWatchAgain + 1})
	if w.Lost = len(missed) > maxWatchAgain; !w.Lost {
		w.Missed = missed
	}
	return err
}

// EventsSince returns the types of up to store.Batch journal entries after a position,
// the new position, and whether there are more entries. If the position is unknown, it
// returns only the end of the journal.
func (s *Trail) EventsSince(place uint64, known bool) (types []record.EventType, end uint64, more bool, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		head, _, err := store.Events.Head(tx)
		if end = head; err != nil || !known || head < place { // the store may have been emptied
			return err
		}
		entries, err := store.Events.Next(tx, place, store.Batch)
		for i := range entries {
			types = append(types, entries[i].Value.Type)
		}
		if more = len(entries) == store.Batch; more {
			end = entries[store.Batch-1].Seq
		}
		return err
	})
	return types, end, more, err
}

// Run follows the journal for the hub until ctx ends, starting at its current end.
// While nobody is watching, it only tracks its position.
func (s *Trail) Run(ctx context.Context) error {
	defer s.hub.end()
	var place uint64
	started := false
	return s.db.Follow(ctx, "watchers", func(context.Context) (more bool, err error) {
		var entries []record.Entry
		err = s.db.View(func(tx *kv.Tx) error {
			head, _, err := store.Events.Head(tx)
			if err != nil {
				return err
			}
			if !started || s.hub.idle() || head < place { // the store may have been emptied
				place, started = head, true
				return nil
			}
			entries, err = store.Events.Next(tx, place, store.Batch)
			return err
		})
		if err != nil || len(entries) == 0 {
			return false, err
		}
		s.hub.publish(entries)
		place = entries[len(entries)-1].Seq
		return len(entries) == store.Batch, nil
	})
}
