package kv_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"paraph/app/apptest/patience"
	"paraph/kv"
)

// TestScopesWriteInTurn checks that a call of one company waits for a single call of another,
// however many that other company has waiting.
func TestScopesWriteInTurn(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	var order strings.Builder // written by the store's only writer
	var all sync.WaitGroup
	write := func(scope string, fn func()) {
		all.Go(func() {
			err := db.For(scope).Update(func(tx *kv.Tx) error {
				fn()
				order.WriteString(scope)
				return docs.Put(tx, fmt.Sprint(order.Len()), doc{})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	begun, release := make(chan struct{}), make(chan struct{})
	write("a", func() { close(begun); <-release })
	patience.Receive(t, "the first call", begun)
	for i, scope := range []string{"a", "a", "a", "a", "b", "b", "c"} {
		write(scope, func() {})
		patience.Until(t, "the next call waits", func() (string, bool) {
			n := db.Waiting()
			return fmt.Sprint(n), n == i+1
		})
	}
	close(release)
	all.Wait()
	if got := order.String(); got != "aabcabaa" {
		t.Errorf("served %s, want aabcabaa", got)
	}
	clean(t, db, docs)
}
