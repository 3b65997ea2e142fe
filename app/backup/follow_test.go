package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/app/archive"
	"paraph/app/backup"
	"paraph/kv"
)

// busy makes a change after every backup until there are enough.
type busy struct {
	*folder
	mu     sync.Mutex // larger backups end beside others
	made   int
	enough func(r backup.Record) bool
	stop   context.CancelFunc
}

func (b *busy) Done(ctx context.Context, r backup.Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.Source.Done(ctx, r); err != nil {
		return err
	}
	known, err := b.Known(ctx)
	if err != nil {
		return err
	}
	if b.enough(known[slices.IndexFunc(known, func(k backup.Record) bool { return k.ID == r.ID })]) {
		b.stop()
		return nil
	}
	b.made++
	b.note("counter", fmt.Appendf(nil, "backup %d", b.made))
	return nil
}

// followed keeps a folder up to date for a number of backups.
func (f *folder) followed(out string, backups int, every time.Duration) {
	f.Helper()
	f.followedUntil(out, every, func(backup.Record) bool {
		backups--
		return backups <= 0
	})
}

// merged returns a function that reports whether increments were merged and continued.
func merged() func(backup.Record) bool {
	merged := ""
	return func(r backup.Record) bool {
		if r.Keep {
			merged = r.ID
		}
		return merged != "" && r.Parent == merged
	}
}

// followedUntil keeps a folder up to date until there are enough backups. Each is a second later
// than the one before.
func (f *folder) followedUntil(out string, every time.Duration, enough func(backup.Record) bool) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), patience.Limit())
	defer cancel()
	var clock sync.Mutex
	before := f.Source.Now
	f.Source.Now = func() time.Time {
		clock.Lock()
		defer clock.Unlock()
		f.now = f.now.Add(time.Second)
		return f.now
	}
	err := backup.Follow(ctx, &busy{folder: f, enough: enough, stop: cancel}, out,
		backup.FollowOptions{Every: every, Log: io.Discard, Buckets: f.buckets})
	f.Source.Now = before
	if err != nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f.Fatal("not enough backups were made", err)
	}
}

func archives(t *testing.T, dir, kind string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "paraph-*-"+kind+"-*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFollowingKeepsAFolderSmallAndWhole(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.now = time.Now().Add(-time.Hour)
	f.note("a", []byte("first"))
	f.followed(out, 20, time.Millisecond)
	f.note("meanwhile", []byte("something"))
	f.followedUntil(out, time.Millisecond, merged()) // by another process
	f.note("afterwards", []byte("something else"))
	f.followed(out, 3, time.Millisecond)
	if full, parts := archives(t, out, "full"), archives(t, out, "part"); len(full) != 1 || len(parts) > 10 || len(parts) < 2 {
		t.Errorf("%d full backups and %d increments after more than 35", len(full), len(parts))
	}
	want := f.snapshot()
	dir, err := restore(t, out, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, content(t, dir), want)
}

func TestFollowingBeginsAnewInTime(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.note("a", []byte("first"))
	for i, days := range []int{30, 20, 8, 1} {
		f.now = time.Now().AddDate(0, 0, -days)
		f.followed(out, 1+min(i, 1), patience.Limit()) // an increment, and a full one beside it
		f.note("b", fmt.Append(nil, days))
	}
	f.now = time.Now()
	f.followed(out, 1, patience.Limit())
	if full, parts := archives(t, out, "full"), archives(t, out, "part"); len(full) != 2 || len(parts) != 2 {
		t.Errorf("%d full backups and %d increments; the one before the last stays, with what continues it", len(full), len(parts))
	}
	if err := (backup.Buckets{}).MayFollow(t.Context(), out, "lock"); err == nil {
		t.Error("a folder with other backups would be followed into")
	}
	if err := (backup.Buckets{}).MayFollow(t.Context(), t.TempDir(), "lock"); err != nil {
		t.Error(err)
	}
}

// TestIncrementsGoOnAfterAnUpgrade migrates the records of a followed folder, which removes some and
// changes others.
func TestIncrementsGoOnAfterAnUpgrade(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.now = time.Now().Add(-time.Hour)
	for i := range 5 {
		f.note(fmt.Sprint("note", i), fmt.Append(nil, "content ", i))
	}
	f.followed(out, 3, time.Millisecond)
	f.upgrade(func(db *kv.DB) error {
		return db.Update(func(tx *kv.Tx) error {
			moved, err := notes.Get(tx, "note1")
			return errors.Join(err, notes.Delete(tx, "note1"), notes.Put(tx, "moved", moved))
		})
	})
	f.followed(out, 1, time.Millisecond)
	if full, parts := archives(t, out, "full"), archives(t, out, "part"); len(full) != 1 || len(parts) != 3 {
		t.Errorf("%d full backups and %d increments after the upgrade", len(full), len(parts))
	}
	dir, err := restore(t, out, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, content(t, dir), f.snapshot())
	f.note("afterwards", []byte("something"))
	f.followedUntil(out, time.Millisecond, backup.Record.Full)
}

// lengthy makes a full backup last until three increments have been made, and ends with the first
// increment that continues it.
type lengthy struct {
	*folder
	parts atomic.Int32
	end   chan struct{} // closed when the full backup may end
	full  atomic.Value  // its ID
	stop  context.CancelFunc
}

type delayed struct {
	io.ReadCloser
	until <-chan struct{}
}

func (d delayed) Read(p []byte) (int, error) {
	<-d.until
	return d.ReadCloser.Read(p)
}

func (l *lengthy) Open(ctx context.Context, q backup.Request) (io.ReadCloser, error) {
	r, err := l.Source.Open(ctx, q)
	if q.Parent == "" && err == nil {
		r = delayed{r, l.end}
	}
	return r, err
}

func (l *lengthy) Done(ctx context.Context, r backup.Record) error {
	if r.Parent == "" { // before an increment can continue it
		l.full.Store(r.ID)
		l.note("counter", []byte("full")) // so that another increment follows
	}
	if err := l.Source.Done(ctx, r); err != nil {
		return err
	}
	switch r.Parent {
	case "":
	case l.full.Load():
		l.stop()
	default:
		n := l.parts.Add(1)
		l.note("counter", fmt.Append(nil, "increment ", n))
		if n == 3 {
			close(l.end)
		}
	}
	return nil
}

// TestIncrementsGoOnDuringAFullBackup makes a full backup that takes longer than increments do.
func TestIncrementsGoOnDuringAFullBackup(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.now = time.Now().AddDate(0, 0, -8)
	f.note("a", []byte("first"))
	f.followed(out, 1, patience.Limit())
	f.note("a", []byte("second"))
	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit())
	defer cancel()
	l := &lengthy{folder: f, end: make(chan struct{}), stop: cancel}
	now := time.Now()
	f.Source.Now = func() time.Time { return now.Add(time.Duration(l.parts.Load()) * time.Second) }
	if err := backup.Follow(ctx, l, out, backup.FollowOptions{Every: time.Millisecond, Log: t.Output()}); err != nil {
		t.Fatal(err)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Fatalf("%d increments, and none continues the full backup %v", l.parts.Load(), l.full.Load())
	}
	dir, err := restore(t, out, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, content(t, dir), f.snapshot())
}

// doomed makes every full backup with concurrent increments fail, and ends after a number of
// increments.
type doomed struct {
	*folder
	parts int
	stop  context.CancelFunc
}

type failing struct{ after <-chan time.Time }

func (r failing) Read([]byte) (int, error) { <-r.after; return 0, errors.New("cut off") }
func (failing) Close() error               { return nil }

func (d *doomed) Open(ctx context.Context, q backup.Request) (io.ReadCloser, error) {
	if q.Parent == "" {
		return failing{time.After(20 * time.Millisecond)}, nil
	}
	return d.Source.Open(ctx, q)
}

func (d *doomed) Done(ctx context.Context, r backup.Record) error {
	if d.parts--; d.parts == 0 {
		d.stop()
	}
	d.note("counter", fmt.Append(nil, "increment ", d.parts))
	return d.Source.Done(ctx, r)
}

// TestAFullBackupThatFailsIsReportedOnce has full backups fail again and again, some of them after
// an increment.
func TestAFullBackupThatFailsIsReportedOnce(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.now = time.Now().AddDate(0, 0, -8)
	f.note("a", []byte("first"))
	f.followed(out, 1, patience.Limit())
	f.note("a", []byte("second"))
	f.now = time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit())
	defer cancel()
	var log strings.Builder
	d := &doomed{f, 15, cancel}
	if err := backup.Follow(ctx, d, out, backup.FollowOptions{Every: 100 * time.Millisecond, Log: &log}); err != nil {
		t.Fatal(err)
	}
	if said := log.String(); d.parts > 0 || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "No full backup was made") || !strings.Contains(said, "cut off") {
		t.Errorf("with %d increments left: %s", d.parts, said)
	}
}

// TestMergesAreMergedInTurn simulates the backups of a folder over more than a thousand rounds.
func TestMergesAreMergedInTurn(t *testing.T) {
	t.Parallel()
	now := time.Now()
	all := []backup.Archive{{Header: backup.Header{ID: "full", Time: now}, Size: 1 << 40}}
	known := map[string]backup.Record{"full": {Header: all[0].Header}}
	longest, melted := 0, 0
	for i := range 1600 {
		q, larger := backup.Next(all, known, now)
		if larger != nil && larger.Keep {
			q = *larger
		}
		h := backup.Header{ID: fmt.Sprint("part", i), Parent: q.Parent, Time: now.Add(time.Duration(i) * time.Second)}
		if q.Parent == "" || larger != nil && larger.Parent == "" {
			t.Fatalf("a full backup after %d increments", i)
		}
		if q.Keep && q.Parent == "full" {
			melted++
		}
		all = append(all, backup.Archive{Header: h, Size: 1 << 10})
		known[h.ID] = backup.Record{Header: h, Keep: q.Keep}
		unneeded, err := backup.Superfluous(all, h.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, gone := range unneeded {
			all = slices.DeleteFunc(all, func(a backup.Archive) bool { return a.ID == gone.ID })
			delete(known, gone.ID)
		}
		longest = max(longest, len(all))
	}
	if longest > 60 || longest < 40 || melted != 3 {
		t.Errorf("up to %d archives, and %d times one in place of all merged ones", longest, melted)
	}
}

// TestFolderDraftsOfACrashAreRemoved leaves drafts in a folder: one that a process is writing to, and
// others.
func TestFolderDraftsOfACrashAreRemoved(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.note("a", []byte("first"))
	draft := func(name string, age time.Duration) *os.File {
		t.Helper()
		file, err := os.Create(filepath.Join(out, name+archive.Partial))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() }) // a test may have closed it
		at := time.Now().Add(-age)
		if err := os.Chtimes(file.Name(), at, at); err != nil {
			t.Fatal(err)
		}
		return file
	}
	left, young := draft("left", 5*time.Minute), draft("young", time.Second)
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	used := draft("used", 5*time.Hour)
	if err := archive.Claim(used); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system has no such claims")
	} else if err != nil {
		t.Fatal(err)
	}
	f.take(out, backup.Options{})
	for file, want := range map[*os.File]bool{left: false, young: true, used: true} {
		if _, err := os.Stat(file.Name()); (err == nil) != want {
			t.Errorf("%s: %v", file.Name(), err)
		}
	}
}
