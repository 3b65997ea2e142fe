package backup_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/backup"
	"paraph/kv"
)

func standby(t *testing.T, dir string, from backup.Feed) *backup.Standby {
	t.Helper()
	s, err := backup.OpenStandby(dir, from, backup.StandbyOptions{DataVersion: 2, Needed: needed{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// feeds returns where a standby can take backups from.
func (f *folder) feed(t *testing.T, at string) backup.Feed {
	t.Helper()
	from, err := f.buckets.NewFeed(at, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// TestStandbyFollowsAndIsPromoted follows a folder whose increments are merged and superseded by full backups, is
// reopened between, and goes on in the stead of the first server, which finds that out.
func TestStandbyFollowsAndIsPromoted(t *testing.T) {
	t.Parallel()
	f, out, dir := newFolder(t), t.TempDir(), filepath.Join(t.TempDir(), "standby")
	f.now = time.Now().Add(-time.Hour)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f.note("a", []byte("first"))
	gone := f.note("gone", []byte("to be deleted"))
	s := standby(t, dir, f.feed(t, out))
	if _, err := s.Step(t.Context()); err == nil {
		t.Error("a standby of nothing")
	}
	if _, _, err := s.Promote(t.Context(), "b", func(*kv.Tx) (uint64, error) { return 7, nil }); err == nil {
		t.Error("a standby of nothing was promoted")
	}
	step := func() int {
		t.Helper()
		n, err := s.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = standby(t, dir, f.feed(t, out))
		return n
	}
	f.followed(out, 3, time.Millisecond)
	if n := step(); n < 1 {
		t.Error("nothing was applied")
	}
	f.forget("gone", gone)
	f.file("keys/other.pem", "another key")
	f.followedUntil(out, time.Millisecond, merged())
	step()
	f.note("late", []byte("something else"))
	f.followed(out, 2, time.Millisecond)
	step()
	if n := step(); n != 0 {
		t.Errorf("%d backups were applied for none", n)
	}
	if state := s.State(); time.Since(state.Current) > time.Minute || len(state.Lacking) > 0 {
		t.Errorf("%+v", state)
	}
	want := f.snapshot()
	claim, told, err := s.Promote(t.Context(), "b.example", func(*kv.Tx) (uint64, error) { return 7, nil })
	if err = errors.Join(err, told, s.Close()); err != nil {
		t.Fatal(err)
	}
	got := content(t, dir)
	for name := range got { // a sweep removes what the records need no more
		if _, needed := want[name]; !needed && strings.HasPrefix(name, "/files/") {
			delete(got, name)
		}
	}
	same(t, got, want)

	err = backup.Follow(t.Context(), f.Source, out, backup.FollowOptions{Every: time.Millisecond, Log: io.Discard, Buckets: f.buckets})
	if by, ok := errors.AsType[*backup.SupersededError](err); !ok || by.By.ID != claim.ID || by.By.Place != 7 || !strings.Contains(err.Error(), "b.example") {
		t.Errorf("the first server follows on: %v", err)
	}
	if _, err := backup.Take(t.Context(), f.Source, out+"/", backup.Options{}); err == nil {
		t.Error("the first server backs up into the same folder")
	}
	if by, is, err := backup.Superseded(f.Dir); !is || by.ID != claim.ID || err != nil {
		t.Error("the first server does not know that it was superseded", err)
	}
	before := len(archives(t, out, "full"))
	f.buckets.Transport = nil
	if _, err := f.Source.TakeOver(t.Context(), claim.Epoch); err != nil {
		t.Fatal(err)
	}
	f.followed(out, 1, time.Millisecond)
	if after := len(archives(t, out, "full")); after <= before {
		t.Error("a server that took over continues backups of before")
	}
	if _, is, err := backup.Superseded(f.Dir); is || err != nil {
		t.Error("it still counts as superseded", err)
	}
}

// TestStandbySurvivesDamage refuses damaged increments, changes nothing then, and lacks what they lack.
func TestStandbySurvivesDamage(t *testing.T) {
	t.Parallel()
	f, out, dir := newFolder(t), t.TempDir(), t.TempDir()
	f.note("a", []byte("first"))
	f.take(out, backup.Options{})
	s := standby(t, dir, f.feed(t, out))
	if _, err := s.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.note("b", []byte("second"))
	r := f.take(out, backup.Options{Since: out})
	whole, err := os.ReadFile(r.Where)
	if err != nil {
		t.Fatal(err)
	}
	was := s.State()
	for _, at := range []int{40, len(whole) / 2, len(whole) - 30} {
		if err := os.WriteFile(r.Where, slices.Concat(whole[:at], []byte{^whole[at]}, whole[at+1:]), 0o600); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Step(t.Context()); err == nil || n > 0 || fmt.Sprint(s.State()) != fmt.Sprint(was) {
			t.Errorf("damage at %d: %d applied, %v", at, n, err)
		}
	}
	if err := os.WriteFile(r.Where, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Step(t.Context()); err != nil || n != 1 {
		t.Errorf("%d applied: %v", n, err)
	}
	hash := f.note("c", []byte("third"))
	if err := f.Blobs.Remove(hash); err != nil {
		t.Fatal(err)
	}
	f.take(out, backup.Options{Since: out})
	if _, err := s.Step(t.Context()); err != nil || !slices.Equal(s.State().Lacking, []string{hash}) {
		t.Errorf("%v, %+v", err, s.State())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.OpenStandby(f.Dir, f.feed(t, out), backup.StandbyOptions{}); err == nil {
		t.Error("an installation became a standby")
	}
}

// TestStandbyOfAServer takes what is new from the server itself.
func TestStandbyOfAServer(t *testing.T) {
	t.Parallel()
	f, dir := newFolder(t), t.TempDir()
	f.now = time.Now()
	s := standby(t, dir, backup.NewServerFeed("unix:/control", f.Source, time.Second))
	for i := range 3 {
		f.note(fmt.Sprint("note ", i), fmt.Append(nil, "text ", i))
		f.now = f.now.Add(time.Second)
		if n, err := s.Step(t.Context()); err != nil || n != 1 {
			t.Fatalf("%d applied: %v", n, err)
		}
	}
	want := f.snapshot()
	claim, told, err := s.Promote(t.Context(), "b.example", func(*kv.Tx) (uint64, error) { return 7, nil })
	if err = errors.Join(err, told, s.Close()); err != nil {
		t.Fatal(err)
	}
	same(t, content(t, dir), want)
	if by, is, err := backup.Superseded(f.Dir); !is || by.ID != claim.ID || err != nil {
		t.Error("the server was not told", err)
	}
}

// TestStandbyOfABucket follows a bucket, and finds out about a promotion there.
func TestStandbyOfABucket(t *testing.T) {
	t.Parallel()
	const at = "s3://safe/standby"
	f, dir := newFolder(t), t.TempDir()
	f.buckets = newStorage(t).Buckets
	f.note("a", []byte("first"))
	f.take(at, backup.Options{Buckets: f.buckets})
	s := standby(t, dir, f.feed(t, at))
	for i := range 2 {
		if n, err := s.Step(t.Context()); err != nil || n != 1 {
			t.Fatalf("%d applied: %v", n, err)
		}
		if i == 0 {
			f.note("b", []byte("second"))
			f.take(at, backup.Options{Since: at, Buckets: f.buckets})
		}
	}
	want := f.snapshot()
	_, told, err := s.Promote(t.Context(), "b.example", func(*kv.Tx) (uint64, error) { return 7, nil })
	if err = errors.Join(err, told, s.Close()); err != nil {
		t.Fatal(err)
	}
	same(t, content(t, dir), want)
	if _, err := backup.Take(t.Context(), f.Source, at, backup.Options{Buckets: f.buckets}); err == nil || !strings.Contains(err.Error(), "b.example") {
		t.Errorf("the first server backs up into the same bucket: %v", err)
	}
}

// TestStandbyKeepsToItsInstallation puts backups of another installation, and old ones of its own under a new name,
// where a standby looks.
func TestStandbyKeepsToItsInstallation(t *testing.T) {
	t.Parallel()
	f, out, dir := newFolder(t), t.TempDir(), t.TempDir()
	f.now = time.Now().Add(-time.Hour)
	f.note("a", []byte("first"))
	old := f.take(out, backup.Options{})
	if _, err := f.DB.Descend(0); err != nil { // as after a restore
		t.Fatal(err)
	}
	f.now = f.now.Add(time.Minute)
	f.note("b", []byte("second"))
	f.take(out, backup.Options{})
	s := standby(t, dir, f.feed(t, out))
	if _, err := s.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	was := s.State()
	refused := func(what string) {
		t.Helper()
		if n, err := s.Step(t.Context()); err == nil || n > 0 || s.State().Tip != was.Tip {
			t.Errorf("%s: %d applied: %v", what, n, err)
		}
	}
	again := filepath.Join(out, strings.NewReplacer(old.Time.UTC().Format("20060102T150405Z"), time.Now().UTC().Format("20060102T150405Z"), old.ID, "renamed").Replace(filepath.Base(old.Where)))
	if err := os.Link(old.Where, again); err != nil {
		t.Fatal(err)
	}
	refused("an old backup under a new name")
	if err := os.Remove(again); err != nil {
		t.Fatal(err)
	}
	other := newFolder(t)
	other.note("x", []byte("of somebody else"))
	other.now = time.Now()
	foreign := other.take(out, backup.Options{})
	refused("another installation's backup")
	if err := os.Remove(foreign.Where); err != nil {
		t.Fatal(err)
	}
	f.now = f.now.Add(time.Minute)
	f.note("c", []byte("third"))
	f.take(out, backup.Options{})
	if n, err := s.Step(t.Context()); err != nil || n != 1 {
		t.Errorf("%d applied: %v", n, err)
	}
	want := f.snapshot()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := content(t, dir)
	delete(got, "/standby.json")
	same(t, got, want)
}
