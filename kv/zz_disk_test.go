package kv_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/kv"
)

func TestDiskFullReal(t *testing.T) {
	dir := os.Getenv("KV_SMALL")
	if dir == "" {
		t.Skip()
	}
	db, err := kv.Open(kv.Options{Dir: dir + "/kv"})
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var ok, full, other atomic.Int64
	var wg sync.WaitGroup
	var n atomic.Int64
	for range 8 {
		wg.Go(func() {
			for !stop.Load() {
				i := n.Add(1)
				err := db.Update(func(tx *kv.Tx) error {
					return docs.Put(tx, fmt.Sprintf("x%07d", i%20000), doc{Company: "c", Status: "s", Title: fmt.Sprint(i), Body: strings.Repeat("x", 400)})
				})
				switch {
				case err == nil:
					time.Sleep(20 * time.Millisecond)
					ok.Add(1)
				case errors.Is(err, kv.ErrDiskFull):
					full.Add(1)
					time.Sleep(time.Millisecond)
				default:
					other.Add(1)
					t.Log(err)
				}
			}
		})
	}
	for round := range 30 {
		time.Sleep(700 * time.Millisecond)
		f, err := os.Create(dir + "/filler")
		if err != nil {
			t.Fatal(err)
		}
		chunk := make([]byte, 1<<20)
		for err == nil {
			_, err = f.Write(chunk)
		}
		for err = nil; err == nil; {
			_, err = f.Write(chunk[:4096])
		}
		f.Close()
		a, b := ok.Load(), full.Load()
		time.Sleep(300 * time.Millisecond)
		t.Log(round, "full:", err, "ok", a, ok.Load()-a, "refused", full.Load()-b, "other", other.Load())
		os.Remove(dir + "/filler")
		if errs := db.Check(docs); len(errs) > 0 {
			t.Fatal(errs[0])
		}
	}
	stop.Store(true)
	wg.Wait()
	t.Logf("%+v", db.Stats())
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
