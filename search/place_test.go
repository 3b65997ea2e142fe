package search_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/search"
)

func TestPlaceMovesWithTheDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := open(t, dir)
	if x.Place() != 0 {
		t.Errorf("a new index is at %d", x.Place())
	}
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "a")}, Place: 7})
	apply(t, x, search.Batch{Put: []search.Document{doc("2", "a")}})
	if err := x.Apply(search.Batch{Put: []search.Document{doc("3", "a")}, Place: 6}); !errors.Is(err, search.ErrPlace) {
		t.Errorf("going back: %v", err)
	}
	apply(t, x, search.Batch{Place: 8})
	if x.Place() != 8 || len(find(t, x, "a")) != 2 {
		t.Errorf("at %d with %v", x.Place(), find(t, x, "a"))
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, dir)
	if x.Place() != 8 || len(find(t, x, "a")) != 2 {
		t.Errorf("after opening again at %d with %v", x.Place(), find(t, x, "a"))
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	x := open(t, "")
	apply(t, x, search.Batch{Place: 3})
	if err := x.Wait(patience.Context(t), 3); err != nil {
		t.Fatal(err)
	}
	select {
	case <-x.Waiting():
		t.Error("waiting for a place already reached")
	default:
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := x.Wait(ctx, 4); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a deadline", err)
	}
	select {
	case <-x.Waiting():
	default:
		t.Error("Waiting was not notified")
	}
	go func() {
		<-x.Waiting()
		if err := x.Apply(search.Batch{Put: []search.Document{doc("1", "a")}, Place: 5}); err != nil {
			t.Error(err)
		}
	}()
	if err := x.Wait(patience.Context(t), 5); err != nil {
		t.Fatal(err)
	}
	if len(find(t, x, "a")) != 1 {
		t.Error("the place moved without the document")
	}
	go func() {
		<-x.Waiting()
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := x.Wait(patience.Context(t), 6); !errors.Is(err, search.ErrClosed) {
		t.Errorf("got %v, want closed", err)
	}
}

// TestReadYourWrites has writers record their documents in a log that one lingering indexer
// follows. A reader that waits for the end of the log finds everything up to it.
func TestReadYourWrites(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	var mu sync.Mutex
	var log []string
	woken := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var indexer sync.WaitGroup
	indexer.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-x.Waiting():
			case <-woken:
			}
			mu.Lock()
			entries := log[x.Place():]
			place := uint64(len(log))
			mu.Unlock()
			b := search.Batch{Place: place}
			for _, id := range entries {
				b.Put = append(b.Put, doc(id, "word "+id))
			}
			if err := x.Apply(b); err != nil {
				t.Error(err)
			}
		}
	})
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 25 {
				id := fmt.Sprintf("w%di%d", w, i)
				mu.Lock()
				log = append(log, id)
				place := uint64(len(log))
				mu.Unlock()
				if err := x.Wait(ctx, place); err != nil {
					t.Error(err)
					return
				}
				ids, total, err := x.Query(ctx, search.Query{Scope: "s", Text: id, Limit: 1, Descending: true})
				if err != nil || total == 0 || len(ids) == 0 {
					t.Errorf("%s not found: %v", id, err)
				}
			}
		})
	}
	writers.Wait()
	cancel()
	indexer.Wait()
}

func TestResetIsNoticedByTheIndexer(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir())
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "a")}, Place: 5})
	if err := x.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := find(t, x, ""); len(got) > 0 {
		t.Errorf("left %v", got)
	}
	b := search.Batch{Put: []search.Document{doc("2", "a")}, Place: 6}
	for range 2 {
		if err := x.Apply(b); !errors.Is(err, search.ErrEmptied) {
			t.Errorf("got %v, want emptied", err)
		}
	}
	if x.Place() != 0 {
		t.Errorf("at %d", x.Place())
	}
	apply(t, x, b)
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"apply": x.Apply(b), "reset": x.Reset(),
		"query": func() error { _, _, err := x.Query(t.Context(), search.Query{}); return err }(),
		"stats": func() error { _, err := x.Stats(); return err }(),
	} {
		if !errors.Is(err, search.ErrClosed) {
			t.Errorf("%s after close: %v", name, err)
		}
	}
}
