package kv_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"paraph/app/apptest/patience"
	"paraph/app/apptest/smalldisk"
	"paraph/kv"
)

const (
	// fillsEnv is how often the disk is filled.
	fillsEnv = "KV_TEST_FILLS"

	smallDisk = 256 << 20
)

// fills is how often TestDiskFilledFromOutside fills the disk: KV_TEST_FILLS, or 3.
func fills() int {
	n, err := strconv.Atoi(os.Getenv(fillsEnv))
	if err != nil {
		return 3
	}
	return n
}

// TestDiskFilledFromOutside fills the disk at random moments while commits, flushes and
// compactions are under way: calls are refused, reads continue, and once there is space again,
// calls succeed without the store being reopened.
func TestDiskFilledFromOutside(t *testing.T) {
	t.Parallel()
	smalldisk.Run(t, smallDisk, func(t *testing.T, dir string) {
		o := kv.Options{Dir: filepath.Join(dir, "kv"), Reserve: 4 << 20}
		db, err := kv.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		w := &fullDisk{T: t, db: db, dir: dir, quit: make(chan struct{}), answered: map[string]int{}, tried: map[string]int{}}
		for i := range 3 {
			w.work.Go(func() { w.write(fmt.Sprint("writer", i)) })
		}
		w.work.Go(w.read)
		for range fills() {
			w.await("commits", func() bool { return w.commits > rand.N(300) })
			w.fill()
		}
		close(w.quit)
		w.work.Wait()
		w.compare(db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		again := open(t, o)
		w.compare(again)
		clean(t, again, docs)
	})
}

// fullDisk is a store at work on a disk that is filled now and then.
type fullDisk struct {
	*testing.T
	db       *kv.DB
	dir      string
	quit     chan struct{}
	work     sync.WaitGroup
	mu       sync.Mutex
	commits  int // since the disk was last filled or freed
	refusals int
	answered map[string]int // by key: the last value that is durable
	tried    map[string]int // the last value that was written at all
	refusal  error          // the last one
}

func (w *fullDisk) over() bool {
	select {
	case <-w.quit:
		return true
	default:
		return w.Failed()
	}
}

// write overwrites 40 records of 64 KB until the test is over.
func (w *fullDisk) write(name string) {
	body := make([]byte, 32<<10) // written in hexadecimal
	random := rand.NewChaCha8([32]byte{})
	for n := 1; !w.over(); n++ {
		if _, err := random.Read(body); err != nil {
			w.Error(err)
			return
		}
		key := fmt.Sprint(name, "-", n%40)
		err := w.db.Update(func(tx *kv.Tx) error {
			return docs.Put(tx, key, doc{Company: name, N: n, Body: fmt.Sprintf("%x", body)})
		})
		if err != nil && !errors.Is(err, kv.ErrDiskFull) {
			w.Errorf("Update: %v", err)
		}
		w.note(key, n, err)
		if err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

func (w *fullDisk) note(key string, n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tried[key] = n
	if err != nil {
		w.refusals, w.refusal = w.refusals+1, err
		return
	}
	w.commits++
	w.answered[key] = n
}

// read reads until the test is over.
func (w *fullDisk) read() {
	for !w.over() {
		err := w.db.View(func(tx *kv.Tx) error {
			_, err := docs.Get(tx, "writer0-7")
			if errors.Is(err, kv.ErrNotFound) {
				return nil
			}
			return err
		})
		if err != nil {
			w.Errorf("View: %v", err)
		}
		time.Sleep(time.Millisecond)
	}
}

// await waits for a condition on the counts, and resets them.
func (w *fullDisk) await(what string, is func() bool) {
	w.Helper()
	patience.Until(w, what, func() (string, bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return fmt.Sprintf("%d commits, %d refusals: %v", w.commits, w.refusals, w.refusal), w.Failed() || is()
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits, w.refusals = 0, 0
}

// fill takes all space, and whatever is freed meanwhile, until writers have been refused.
func (w *fullDisk) fill() {
	w.Helper()
	f, err := os.Create(filepath.Join(w.dir, "filler"))
	if err != nil {
		w.Fatal(err)
	}
	size := int64(0)
	enough := 1 + rand.N(200)
	w.await("refusals", func() bool {
		for step := int64(smallDisk); step >= 4096; step /= 2 {
			for unix.Fallocate(int(f.Fd()), 0, size, step) == nil {
				size += step
			}
		}
		return w.refusals > enough
	})
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		w.Fatal(err)
	}
	w.await("commits after there is space", func() bool { return w.commits > 0 })
}

// compare expects every record at its last answered value, or at the one tried after it.
func (w *fullDisk) compare(db *kv.DB) {
	w.Helper()
	view(w, db, func(tx *kv.Tx) error {
		for key, n := range w.answered {
			d, err := docs.Get(tx, key)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			if d.N < n || d.N > w.tried[key] {
				w.Errorf("%s is at %d, want %d to %d", key, d.N, n, w.tried[key])
			}
		}
		return nil
	})
}
