package kv_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"paraph/kv"
)

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

// TestValuesOfAnySizeReadBack writes values around the size from which they are compressed, in
// kinds that compress well and not at all, and reads them in every way.
func TestValuesOfAnySizeReadBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, kv.Options{Dir: dir})
	want := map[string]doc{}
	for _, size := range []int{0, 1, 1900, 2040, 2100, 5000, 70_000, 200_000} {
		noise := make([]byte, size)
		for i := range noise {
			noise[i] = byte(' ' + rand.IntN(90))
		}
		want[fmt.Sprint("text", size)] = doc{Company: "c", Body: strings.Repeat("Sam Signer, ", size/12)}
		want[fmt.Sprint("noise", size)] = doc{Company: "c", Body: string(noise)}
	}
	for id, d := range want {
		update(t, db, func(tx *kv.Tx) error { return docs.Put(tx, id, d) })
	}
	for range 2 {
		view(t, db, func(tx *kv.Tx) error {
			for id, d := range want {
				if got, err := docs.Get(tx, id); err != nil || got != d {
					t.Errorf("%s: read %d bytes, %v", id, len(got.Body), err)
				}
			}
			return docs.Each(tx, "company", kv.K("c"), func(id string, got doc) (bool, error) {
				if got != want[id] {
					t.Errorf("%s: its entry in the index has %d bytes", id, len(got.Body))
				}
				return true, nil
			})
		})
		if err := db.Close(); err != nil { // and from the tables on disk
			t.Fatal(err)
		}
		db = open(t, kv.Options{Dir: dir})
	}
}

// TestChangesOfOneCallBuildOnEachOther changes a record that was read, then again, and deletes
// and restores it, all in one call: its index entries are always those of the last change.
func TestChangesOfOneCallBuildOnEachOther(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	update(t, db, func(tx *kv.Tx) error {
		return docs.Put(tx, "a", doc{Company: "c", Status: "first", Title: "1", Email: "first@c.example"})
	})
	update(t, db, func(tx *kv.Tx) error {
		for i, status := range []string{"second", "third", "deleted", "fourth"} {
			d, err := docs.Get(tx, "a")
			if err != nil {
				return err
			}
			d.Status, d.Title, d.Email = status, fmt.Sprint(i), status+"@c.example"
			if status == "deleted" {
				if err := docs.Delete(tx, "a"); err != nil {
					return err
				}
			}
			if err := docs.Put(tx, "a", d); err != nil {
				return err
			}
		}
		return nil
	})
	view(t, db, func(tx *kv.Tx) error {
		for _, status := range []string{"first", "second", "third", "deleted", "fourth"} {
			n, err := docs.Count(tx, "status", kv.K("c", status))
			_, _, bad := docs.Lookup(tx, "email", kv.K(status+"@c.example"))
			if want := status == "fourth"; err != nil || (n == 1) != want || (bad == nil) != want {
				t.Errorf("%s is found %d times by its state (%v), and by its address: %v", status, n, err, bad)
			}
		}
		return errors.Join(docs.Problems(tx)...)
	})
}
