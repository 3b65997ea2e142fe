package kv_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"paraph/kv"
)

// TestBuildersKeepNoMemory checks that this version of Badger still has the pool that dropPool
// removes.
func TestBuildersKeepNoMemory(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	if !db.DroppedPool() {
		t.Error("Badger keeps the memory of its builders elsewhere than expected")
	}
}

// TestLargeValuesArePacked checks that the largest call fits into a memory table as long as its
// writes can be compressed, and reads back unchanged.
func TestLargeValuesArePacked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, kv.Options{Dir: dir})
	large := kv.NewCollection("large", kv.JSON[doc]())
	body := strings.Repeat("Sam Signer, ", (kv.MaxUpdateBytes-1000)/12)
	put := func(id, body string) error {
		return db.Update(func(tx *kv.Tx) error { return large.Put(tx, id, doc{Body: body}) })
	}
	if err := put("a", body); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, kv.MaxUpdateBytes/2)
	for i := range noise {
		noise[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[rand.IntN(64)]
	}
	if err := put("b", string(noise)+string(noise[1:])); err == nil {
		t.Error("writes that do not fit into a memory table were accepted")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, kv.Options{Dir: dir})
	view(t, db, func(tx *kv.Tx) error {
		got, err := large.Get(tx, "a")
		if err == nil && got.Body != body {
			err = fmt.Errorf("got %d bytes, want %d", len(got.Body), len(body))
		}
		return err
	})
	missing(t, db, "b")
}
