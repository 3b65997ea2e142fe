package lists

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/oklog/ulid/v2"

	"paraph/app/signing/store"
	"paraph/kv"
	"paraph/search"
)

// indexed is a search index of changes of documents that don't exist, moved by the test.
type indexed struct {
	*testing.T
	*Lists
}

func newIndexed(t *testing.T, changes int) *indexed {
	t.Helper()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	x, err := search.Open(search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(x.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	i := &indexed{t, New(Options{DB: db, Search: x, Log: slog.New(slog.DiscardHandler)})}
	i.change(changes)
	return i
}

// change appends changes.
func (i *indexed) change(n int) {
	i.Helper()
	err := i.DB.Update(func(tx *kv.Tx) error {
		for range n {
			if _, err := store.Changes.Append(tx, ulid.Make().String(), "", "", store.Change{Company: "c", Document: "d"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		i.Fatal(err)
	}
}

// step indexes the next changes.
func (i *indexed) step() (err error) {
	i.Helper()
	var keep func() error
	err = i.DB.View(func(tx *kv.Tx) error {
		entries, err := store.Changes.Next(tx, i.Search.Place(), store.Batch)
		if err == nil && len(entries) > 0 {
			keep, err = i.indexChanges(tx, entries, entries[len(entries)-1].Seq)
		}
		return err
	})
	if err == nil && keep != nil {
		err = keep()
	}
	return err
}

// want checks the progress that is shown.
func (i *indexed) want(what string, lag uint64, rebuilding bool) {
	i.Helper()
	at, err := i.SearchState()
	if err != nil || at.Lag != lag || at.Rebuilding != rebuilding {
		i.Errorf("%s: %+v, want %d behind, rebuilding %t (%v)", what, at, lag, rebuilding, err)
	}
}

func TestRebuildingIsShownUntilItIsDone(t *testing.T) {
	t.Parallel()
	i := newIndexed(t, store.Batch+10)
	for n, want := range []struct {
		lag        uint64
		rebuilding bool
	}{{10, true}, {0, false}} {
		if err := i.step(); err != nil {
			t.Fatal(err)
		}
		i.want(fmt.Sprint("batch ", n), want.lag, want.rebuilding)
	}
	i.change(store.Batch + 1)
	i.want("new changes", store.Batch+1, false)
	if err := i.step(); err != nil {
		t.Fatal(err)
	}
	i.want("while they are indexed", 1, false)
	if err := i.Search.Reset(); err != nil {
		t.Fatal(err)
	}
	for n, want := range []struct {
		lag        uint64
		rebuilding bool
	}{{store.Batch + 11, true}, {11, true}, {0, false}} {
		if err := i.step(); err != nil {
			t.Fatal(err)
		}
		i.want(fmt.Sprint("after emptying, batch ", n), want.lag, want.rebuilding)
	}
}

func TestAFewChangesAfterAStartAreNoRebuild(t *testing.T) {
	t.Parallel()
	i := newIndexed(t, 2)
	if err := i.Search.Apply(search.Batch{Place: 1}); err != nil {
		t.Fatal(err)
	}
	i.want("at the start", 1, false)
	i.change(store.Batch - 1)
	if err := i.step(); err != nil {
		t.Fatal(err)
	}
	i.want("caught up", 0, false)
}

// TestFiguresDoNotHideThatTheIndexWasEmptied empties the index after the indexer has read its
// place: the batch it prepared must not be applied, whoever looked at the figures meanwhile.
func TestFiguresDoNotHideThatTheIndexWasEmptied(t *testing.T) {
	t.Parallel()
	i := newIndexed(t, 2)
	if err := i.Search.Apply(search.Batch{Place: 1}); err != nil {
		t.Fatal(err)
	}
	prepared := search.Batch{Place: i.Search.Place() + 1}
	if err := i.Search.Reset(); err != nil {
		t.Fatal(err)
	}
	i.want("emptied", 2, false)
	if err := i.Search.Apply(prepared); !errors.Is(err, search.ErrEmptied) {
		t.Errorf("the prepared batch: %v, want %v", err, search.ErrEmptied)
	}
}
