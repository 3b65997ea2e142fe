package trail

import (
	"testing"

	"paraph/app/signing/record"
)

// TestTheOldestWindowIsClosed opens more windows than a person may have: only their
// oldest is closed, and nobody else's.
func TestTheOldestWindowIsClosed(t *testing.T) {
	t.Parallel()
	h := newHub()
	join := func(who string) *Watch {
		events := make(chan record.Entry, 1)
		w := &Watch{Events: events, events: events, hub: h, who: who, of: "company"}
		if err := h.join(w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	closed := func(w *Watch) bool {
		select {
		case _, open := <-w.Events:
			return !open
		default:
			return false
		}
	}
	other, first, second := join("ben"), join("ann"), join("ann")
	for range maxPerUser - 1 {
		join("ann")
	}
	if !closed(first) || closed(second) || closed(other) {
		t.Errorf("closed: the first %v, the second %v, another person's %v", closed(first), closed(second), closed(other))
	}
	second.Close()
	second.Close() // closing twice is harmless
	if h.count != maxPerUser || len(h.users["ann"]) != maxPerUser-1 {
		t.Errorf("%d are counted, %d of them Ann's", h.count, len(h.users["ann"]))
	}
	h.end()
	if h.count != 0 || len(h.users) != 0 {
		t.Errorf("after the end %d are counted", h.count)
	}
}
