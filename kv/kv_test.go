package kv_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/kv"
)

type doc struct {
	Company, Status, Title, Email, Body string
	N                                   int
}

var docs = kv.NewCollection("docs", kv.JSON[doc](),
	kv.Index[doc]{Name: "company", Counted: true, Covering: true, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Company)} }},
	kv.Index[doc]{Name: "status", Counted: true, Depth: 2, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Company, d.Status)} }},
	kv.Index[doc]{Name: "title", Counted: true, Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Company, d.Title)} }},
	kv.Index[doc]{Name: "email", Unique: true, Covering: true, Keys: func(d doc) []kv.Key {
		if d.Email == "" {
			return nil
		}
		return []kv.Key{kv.K(d.Email)}
	}},
	kv.Index[doc]{Name: "plain", Keys: func(d doc) []kv.Key { return []kv.Key{kv.K(d.Status), kv.K(d.Title)} }},
)

func open(t testing.TB, o kv.Options) *kv.DB {
	t.Helper()
	o.InMemory = o.Dir == ""
	db, err := kv.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func update(t testing.TB, db *kv.DB, fn func(tx *kv.Tx) error) {
	t.Helper()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, db *kv.DB, fn func(tx *kv.Tx) error) {
	t.Helper()
	if err := db.View(fn); err != nil {
		t.Fatal(err)
	}
}

func clean(t testing.TB, db *kv.DB, parts ...kv.Checker) {
	t.Helper()
	for _, err := range db.Check(parts...) {
		t.Error(err)
	}
}

func missing(t testing.TB, db *kv.DB, ids ...string) {
	t.Helper()
	view(t, db, func(tx *kv.Tx) error {
		for _, id := range ids {
			if _, err := docs.Get(tx, id); !errors.Is(err, kv.ErrNotFound) {
				t.Errorf("Get(%s) = %v, want ErrNotFound", id, err)
			}
		}
		return nil
	})
}

func TestFailedCallLeavesNothing(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	boom := errors.New("boom")
	for name, fn := range map[string]func() error{
		"error": func() error { return boom },
		"panic": func() error { panic(boom) },
	} {
		err := db.Update(func(tx *kv.Tx) error {
			if err := docs.Put(tx, name, doc{Company: "a", Status: "1"}); err != nil {
				return err
			}
			return fn()
		})
		if !errors.Is(err, boom) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	missing(t, db, "error", "panic")
	clean(t, db, docs)
	view(t, db, func(tx *kv.Tx) error {
		n, err := docs.Count(tx, "company", nil)
		if n != 0 {
			t.Errorf("%d entries are left", n)
		}
		return err
	})
}

func TestPanicTellsWhere(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	err := db.Update(func(*kv.Tx) error { panic("what") })
	var p *kv.PanicError
	if !errors.As(err, &p) || p.Value != "what" || !strings.Contains(string(p.Stack), "TestPanicTellsWhere") {
		t.Fatalf("got %#v", err)
	}
	update(t, db, func(tx *kv.Tx) error { return docs.Put(tx, "next", doc{}) })
}

// TestGoexitLeavesNothing imitates a test that fails inside Update, which ends its goroutine
// there.
func TestGoexitLeavesNothing(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Update(func(tx *kv.Tx) error {
			if err := docs.Put(tx, "gone", doc{}); err != nil {
				t.Error(err)
			}
			runtime.Goexit()
			return nil
		})
		t.Error("Update returned", err)
	})
	wg.Wait()
	update(t, db, func(tx *kv.Tx) error { return docs.Put(tx, "next", doc{}) })
	missing(t, db, "gone")
}

func TestFailuresDoNotTouchTheGroup(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			for i := range 30 {
				id := fmt.Sprintf("%02d-%02d", w, i)
				err := db.Update(func(tx *kv.Tx) error {
					if err := docs.Put(tx, id, doc{Company: "c", Status: fmt.Sprint(i % 3)}); err != nil {
						return err
					}
					switch {
					case w%4 == 1:
						return errors.New("no")
					case w%4 == 2:
						panic("no")
					}
					return nil
				})
				if (err == nil) != (w%4 == 0 || w%4 == 3) {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	clean(t, db, docs)
	view(t, db, func(tx *kv.Tx) error {
		n, err := docs.Count(tx, "company", kv.K("c"))
		if n != 16*30 {
			t.Errorf("got %d records, want %d", n, 16*30)
		}
		return err
	})
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	half := strings.Repeat("x", kv.MaxUpdateBytes/2)
	err := db.Update(func(tx *kv.Tx) error {
		for _, id := range []string{"a", "b", "c"} {
			_ = docs.Put(tx, id, doc{Body: half}) // ignoring the error must not help
		}
		return nil
	})
	if !errors.Is(err, kv.ErrTooLarge) {
		t.Fatalf("got %v, want ErrTooLarge", err)
	}
	missing(t, db, "a", "b", "c")
	err = db.Update(func(tx *kv.Tx) error {
		for i := range kv.MaxUpdateKeys {
			if err := docs.Put(tx, fmt.Sprint(i), doc{}); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, kv.ErrTooLarge) {
		t.Fatalf("got %v, want ErrTooLarge", err)
	}
	clean(t, db, docs)
}

// TestLargeCallsQueue checks that calls too large for one group are written one after another.
func TestLargeCallsQueue(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	large := kv.NewCollection("large", kv.JSON[doc]())
	var wg sync.WaitGroup
	for w := range 12 {
		wg.Go(func() {
			for i := range 4 {
				body := strings.Repeat("y", kv.MaxUpdateBytes*8/10)
				if err := db.Update(func(tx *kv.Tx) error { return large.Put(tx, fmt.Sprint(w, "/", i), doc{Body: body}) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	view(t, db, func(tx *kv.Tx) error {
		n, err := large.Count(tx, "", nil)
		if n != 48 {
			t.Errorf("got %d records, want 48", n)
		}
		return err
	})
}

// TestAFailedCallWaitsForWhatItRead holds back the commit of a record that another call has read
// and failed because of. When that call returns, everybody else sees the record as well.
func TestAFailedCallWaitsForWhatItRead(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	held, release := make(chan struct{}), make(chan struct{})
	var callers sync.WaitGroup
	put := func(id string, hook func()) {
		callers.Go(func() {
			err := db.Update(func(tx *kv.Tx) error {
				tx.OnCommit(hook)
				return docs.Put(tx, id, doc{Title: id})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	put("a", func() { close(held); <-release })
	<-held // nothing more is committed until it is released
	put("b", func() {})
	errRead, read := errors.New("read"), make(chan struct{})
	callers.Go(func() {
		err := kv.ErrNotFound
		for errors.Is(err, kv.ErrNotFound) {
			err = db.Update(func(tx *kv.Tx) error {
				if _, err := docs.Get(tx, "b"); err != nil {
					return err
				}
				close(read)
				return errRead
			})
		}
		if !errors.Is(err, errRead) {
			t.Error(err)
		}
		if err := db.View(func(tx *kv.Tx) error { _, err := docs.Get(tx, "b"); return err }); err != nil {
			t.Errorf("the call failed because of a record that others don't see: %v", err)
		}
	})
	<-read
	time.AfterFunc(20*time.Millisecond, func() { close(release) }) // so that a call that doesn't wait has returned
	callers.Wait()
}

// TestACallThatReadWhatIsLostFails has a call refuse because of a record whose commit then fails.
func TestACallThatReadWhatIsLostFails(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(1 << 40)
	db, err := kv.OpenOnDisk(kv.Options{Dir: t.TempDir()}, func(string) (int64, int64, error) { return free.Load(), 1 << 40, nil })
	if err != nil {
		t.Fatal(err)
	}
	held, release := make(chan struct{}), make(chan struct{})
	var callers sync.WaitGroup
	put := func(id string, hook func(), want error) {
		callers.Go(func() {
			err := db.Update(func(tx *kv.Tx) error {
				tx.OnCommit(hook)
				return docs.Put(tx, id, doc{Title: id})
			})
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", id, err, want)
			}
		})
	}
	put("a", func() { close(held); <-release }, nil)
	<-held // nothing more is committed until it is released
	free.Store(1 << 20)
	put("b", func() {}, kv.ErrDiskFull)
	taken, read := errors.New("taken"), make(chan struct{})
	callers.Go(func() {
		err := kv.ErrNotFound
		for errors.Is(err, kv.ErrNotFound) {
			err = db.Update(func(tx *kv.Tx) error {
				if _, err := docs.Get(tx, "b"); err != nil {
					return err
				}
				close(read)
				return taken
			})
		}
		if !errors.Is(err, kv.ErrDiskFull) || errors.Is(err, taken) {
			t.Errorf("the call answers %v because of a record that was never stored", err)
		}
	})
	<-read
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	callers.Wait()
	missing(t, db, "b")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOnCommitRunsInOrderAndBeforeUpdateReturns(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	var ran, seen []int // by commit, by run; written only by the store
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				var mine int
				var done atomic.Bool
				err := db.Update(func(tx *kv.Tx) error {
					mine = len(ran)
					ran = append(ran, mine)
					tx.OnCommit(func() { seen = append(seen, mine); done.Store(true) })
					return docs.Put(tx, fmt.Sprint(mine), doc{})
				})
				if err != nil || !done.Load() {
					t.Errorf("call %d returned before its hook: %v", mine, err)
				}
			}
		})
	}
	wg.Wait()
	for i, n := range seen {
		if i != n {
			t.Fatalf("hook %d ran as number %d", n, i)
		}
	}
	err := db.Update(func(tx *kv.Tx) error {
		tx.OnCommit(func() { t.Error("hook of a failed call ran") })
		return errors.New("no")
	})
	if err == nil {
		t.Error("no error")
	}
	update(t, db, func(tx *kv.Tx) error { tx.OnCommit(func() { panic("hook") }); return nil })
}

func TestViewIsOneMoment(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			err := db.Update(func(tx *kv.Tx) error {
				if i%3 == 2 {
					return docs.Delete(tx, fmt.Sprint(i-2))
				}
				return docs.Put(tx, fmt.Sprint(i), doc{Company: "c", Status: "s"})
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range 300 {
		view(t, db, func(tx *kv.Tx) error {
			total, err := docs.Count(tx, "company", kv.K("c"))
			if err != nil {
				return err
			}
			n := 0
			err = docs.Each(tx, "status", kv.K("c", "s"), func(string, doc) (bool, error) { n++; return true, nil })
			if n != total {
				t.Errorf("%d entries, counted as %d", n, total)
			}
			return err
		})
	}
	stop.Store(true)
	wg.Wait()
}

func TestUseAfterEnd(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	var reading, writing *kv.Tx
	view(t, db, func(tx *kv.Tx) error {
		reading = tx
		if err := docs.Put(tx, "x", doc{}); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("Put in View: %v", err)
		}
		if err := docs.Delete(tx, "x"); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("Delete in View: %v", err)
		}
		return nil
	})
	update(t, db, func(tx *kv.Tx) error { writing = tx; return nil })
	if _, err := docs.Get(reading, "x"); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Get after View: %v", err)
	}
	if err := docs.Put(writing, "x", doc{}); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Put after Update: %v", err)
	}
	if err := docs.Each(reading, "", nil, nil); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Each after View: %v", err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	db, err := kv.Open(kv.Options{InMemory: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	nop := func(*kv.Tx) error { return nil }
	for name, err := range map[string]error{"View": db.View(nop), "Update": db.Update(nop), "Reset": db.Reset()} {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, kv.Options{Dir: dir})
	_, err := kv.Open(kv.Options{Dir: dir})
	if !errors.Is(err, kv.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("got %v", err)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	db := open(t, kv.Options{Now: func() time.Time { return at }})
	update(t, db, func(tx *kv.Tx) error {
		if want := time.Date(2026, 3, 1, 11, 0, 0, 123000000, time.UTC); !tx.Now.Equal(want) || tx.Now.Location() != time.UTC {
			t.Errorf("Now = %v, want %v", tx.Now, want)
		}
		return nil
	})
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var ran []int
	to := func(n int) kv.Migration {
		return kv.Migration{To: n, Run: func(*kv.DB) error { ran = append(ran, n); return nil }}
	}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	var last kv.Upgrade
	reopen := func(m ...kv.Migration) error {
		db, err := kv.Open(kv.Options{Dir: dir, Migrations: m, Now: func() time.Time { return now }})
		if err != nil {
			return err
		}
		last, err = kv.LastUpgrade(db)
		return errors.Join(err, db.Close())
	}
	steps := []struct {
		migrations []kv.Migration
		want       []int
		err        error
		last       kv.Upgrade // apart from its duration
	}{
		{[]kv.Migration{to(1)}, nil, nil, kv.Upgrade{}}, // an empty store already has the newest version
		{[]kv.Migration{to(1), to(2), to(5)}, []int{2, 5}, nil, kv.Upgrade{From: 1, To: 5, At: now}},
		{[]kv.Migration{to(1), to(2), to(5)}, nil, nil, kv.Upgrade{From: 1, To: 5, At: now}},
		{[]kv.Migration{to(1), to(2)}, nil, kv.ErrNewerFormat, kv.Upgrade{From: 1, To: 5, At: now}},
	}
	for i, s := range steps {
		ran = nil
		if err := reopen(s.migrations...); !errors.Is(err, s.err) || fmt.Sprint(ran) != fmt.Sprint(s.want) {
			t.Errorf("step %d: ran %v, %v; want %v, %v", i, ran, err, s.want, s.err)
		}
		if s.last.Took = last.Took; last != s.last || (last.Took > 0) != (last.To > 0) {
			t.Errorf("step %d: the last upgrade is %+v, want %+v", i, last, s.last)
		}
	}
	if err := reopen(to(2), to(1)); err == nil {
		t.Error("migrations out of order were accepted")
	}
	failing := kv.Migration{To: 6, Run: func(*kv.DB) error { return errors.New("half done") }}
	if err := reopen(failing); err == nil {
		t.Error("failed migration counted as done")
	}
	ran = nil
	if err := reopen(to(6)); err != nil || len(ran) != 1 {
		t.Errorf("failed migration was run again: %v, %v", ran, err)
	}
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	var free atomic.Int64
	free.Store(1 << 40)
	dir := t.TempDir()
	db, err := kv.OpenOnDisk(kv.Options{Dir: dir}, func(string) (int64, int64, error) { return free.Load(), 1 << 40, nil })
	if err != nil {
		t.Fatal(err)
	}
	put := func(id string) error {
		return db.Update(func(tx *kv.Tx) error { return docs.Put(tx, id, doc{Company: "c"}) })
	}
	if err := put("before"); err != nil {
		t.Fatal(err)
	}
	free.Store(1 << 20)
	if err := put("during"); !errors.Is(err, kv.ErrDiskFull) {
		t.Errorf("got %v, want ErrDiskFull", err)
	}
	missing(t, db, "during")
	free.Store(1 << 40)
	if err := put("after"); err != nil {
		t.Error(err)
	}
	clean(t, db, docs)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, piece := range pieces(t, dir) {
		if err := os.Remove(piece); err != nil {
			t.Fatal(err)
		}
	}
	_, err = kv.OpenOnDisk(kv.Options{Dir: dir}, func(string) (int64, int64, error) { return 1 << 20, 1 << 40, nil })
	if !errors.Is(err, kv.ErrDiskFull) {
		t.Errorf("Open returned %v, want ErrDiskFull", err)
	}
}

func pieces(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "ballast-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestStats(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{Dir: t.TempDir()})
	before := db.Stats()
	update(t, db, func(tx *kv.Tx) error { return docs.Put(tx, "x", doc{}) })
	after := db.Stats()
	if after.Version != before.Version+1 || after.Commits != before.Commits+1 || after.Disk == 0 || after.Free == 0 {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

// alone skips a test in which nothing happens at the same time where -short asks for those that the race detector can
// tell something about.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing happens at the same time")
	}
}

// TestScopesRunOutOfRoomAlone lets the disk be full for one scope, whose reads go on.
func TestScopesRunOutOfRoomAlone(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	db := open(t, kv.Options{InMemory: true, Full: func(scope string) bool { return scope == "a" && full.Load() }})
	c := kv.NewCollection("things", kv.JSON[string]())
	put := func(scope, value string) error {
		return db.For(scope).Update(func(tx *kv.Tx) error { return c.Put(tx, scope, value) })
	}
	if err := put("a", "before"); err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	if err := put("a", "during"); !errors.Is(err, kv.ErrDiskFull) {
		t.Errorf("got %v, want ErrDiskFull", err)
	}
	if err := put("b", "during"); err != nil {
		t.Errorf("another scope: %v", err)
	}
	err := db.For("a").Update(func(tx *kv.Tx) error {
		if got, err := c.Get(tx, "a"); err != nil || got != "before" {
			t.Errorf("the scope has %q, %v", got, err)
		}
		return nil
	})
	if err != nil {
		t.Errorf("an update without writes: %v", err)
	}
	full.Store(false)
	if err := put("a", "after"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
