package blob_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"paraph/app/blob"
)

func open(t testing.TB, dir string, o blob.Options) *blob.Store {
	t.Helper()
	s, err := blob.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t testing.TB, s *blob.Store, content string) blob.Ref {
	t.Helper()
	ref, err := s.Put(context.Background(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func read(t testing.TB, s *blob.Store, hashes ...string) string {
	t.Helper()
	f, err := s.Concat(hashes...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// files returns everything in the folder that is not a folder, by relative path.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, relErr := filepath.Rel(dir, path)
			names, err = append(names, name), relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func hashOf(content string) string {
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

func TestPutAndOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	for _, content := range []string{"", "a", strings.Repeat("large ", 1<<20)} {
		ref := put(t, s, content)
		if ref.Hash != hashOf(content) || ref.Size != int64(len(content)) {
			t.Errorf("ref %+v of %d bytes", ref, len(content))
		}
		if got := read(t, s, ref.Hash); got != content {
			t.Errorf("%d bytes come back as %d", len(content), len(got))
		}
		if again := put(t, s, content); again != ref {
			t.Errorf("stored again as %+v, want %+v", again, ref)
		}
		if err := s.Verify(ref.Hash); err != nil {
			t.Error(err)
		}
	}
	if got := files(t, dir); len(got) != 3 {
		t.Errorf("files %v, want 3", got)
	}
	// Another store on the folder finds them.
	if got := read(t, open(t, dir, blob.Options{}), hashOf("a")); got != "a" {
		t.Errorf("after opening again: %q", got)
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "begun"); err != nil || w.Size() != 5 {
		t.Errorf("size %d, %v", w.Size(), err)
	}
	if err := errors.Join(w.Abort(), w.Abort()); err != nil {
		t.Error(err)
	}
	if _, err := w.Write([]byte("x")); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("write after abort: %v", err)
	}
	if _, err := w.Commit(); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("commit after abort: %v", err)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("abort leaves %v", got)
	}
	if w, err = s.Create(); err != nil {
		t.Fatal(err)
	}
	ref, err := w.Commit()
	if err := errors.Join(err, w.Abort()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("second commit: %v", err)
	}
	if ref.Hash != hashOf("") || read(t, s, ref.Hash) != "" {
		t.Errorf("abort after commit took the blob away")
	}
}

func TestPutLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	broken := errors.New("broken")
	ended, cancel := context.WithCancel(t.Context())
	for name, tt := range map[string]struct {
		ctx  context.Context
		r    io.Reader
		want error
	}{
		"reader fails":  {t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), broken},
		"context ended": {ended, io.MultiReader(strings.NewReader("half"), readerFunc(func([]byte) (int, error) { cancel(); return 1, nil })), context.Canceled},
	} {
		if _, err := s.Put(tt.ctx, tt.r); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if got := files(t, dir); len(got) != 0 {
			t.Errorf("%s leaves %v", name, got)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestNoOtherFileCanBeNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "files"), blob.Options{})
	if err := os.WriteFile(filepath.Join(dir, "secret"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, hash := range []string{
		"", "x", "../secret", "/etc/passwd", strings.Repeat("a", 64), strings.ToUpper(hashOf("a")),
		strings.Repeat("/", 64), strings.Repeat(".", 64), hashOf("a") + "\x00", strings.Repeat("é", 32),
		(strings.Repeat("../", 30) + "etc/passwd" + strings.Repeat("x", 64))[:64],
	} {
		if _, err := s.Open(hash); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("open %q: %v", hash, err)
		}
		if _, err := s.Concat(put(t, s, "there").Hash, hash); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("concat %q: %v", hash, err)
		}
		if err := s.Verify(hash); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("verify %q: %v", hash, err)
		}
		if err := s.Remove(hash); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("remove %q: %v", hash, err)
		}
		if has, err := s.Has(hash); has || err != nil {
			t.Errorf("has %q: %t, %v", hash, has, err)
		}
	}
}

func path(dir, hash string) string { return filepath.Join(dir, hash[:1], hash[1:2], hash) }

func TestDamageIsNeverServed(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("evidence ", 10_000)
	for name, damage := range map[string]func(b []byte) []byte{
		"first bit":  func(b []byte) []byte { b[0] ^= 1; return b },
		"last bit":   func(b []byte) []byte { b[len(b)-1] ^= 0x80; return b },
		"some bit":   func(b []byte) []byte { b[rand.IntN(len(b))] ^= 1 << rand.IntN(8); return b },
		"cut off":    func(b []byte) []byte { return b[:len(b)-1] },
		"torn":       func(b []byte) []byte { return b[:4096] },
		"empty":      func([]byte) []byte { return nil },
		"longer":     func(b []byte) []byte { return append(b, 0) },
		"zero block": func(b []byte) []byte { clear(b[4096:8192]); return b },
		"other blob": func([]byte) []byte { return []byte("other") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var log bytes.Buffer
			s := open(t, dir, blob.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			ref, whole := put(t, s, content), put(t, s, "whole")
			if err := os.WriteFile(path(dir, ref.Hash), damage([]byte(content)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Open(ref.Hash); !errors.Is(err, blob.ErrCorrupt) {
				t.Errorf("open: %v", err)
			}
			if _, err := s.Concat(whole.Hash, ref.Hash); !errors.Is(err, blob.ErrCorrupt) || !strings.Contains(err.Error(), ref.Hash) {
				t.Errorf("concat: %v", err)
			}
			if err := s.Verify(ref.Hash); !errors.Is(err, blob.ErrCorrupt) {
				t.Errorf("verify: %v", err)
			}
			if !strings.Contains(log.String(), ref.Hash) {
				t.Errorf("no alarm in %q", log.String())
			}
			// The content heals the blob when it is stored again.
			put(t, s, content)
			if read(t, s, ref.Hash) != content {
				t.Error("not healed")
			}
		})
	}
}

// A blob that is cut off while it is being read is an error, not an end.
func TestCutOffUnderOurHands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	ref := put(t, s, strings.Repeat("x", 10_000))
	f, err := s.Open(ref.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path(dir, ref.Hash), 5_000); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(f); !errors.Is(err, blob.ErrCorrupt) {
		t.Errorf("got %v, want corrupt", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestConcatReadsAsOneFile(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), blob.Options{})
	contents := []string{"base ", "", "first revision ", "b", "base ", "second"}
	var hashes []string
	for _, c := range contents {
		hashes = append(hashes, put(t, s, c).Hash)
	}
	want := strings.Join(contents, "")
	f, err := s.Concat(hashes...)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size() != int64(len(want)) {
		t.Errorf("size %d, want %d", f.Size(), len(want))
	}
	if err := iotest.TestReader(f, []byte(want)); err != nil {
		t.Error(err)
	}
	for _, off := range []int64{-1, math.MinInt64} {
		if _, err := f.ReadAt(make([]byte, 1), off); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("read at %d: %v", off, err)
		}
	}
	if n, err := f.ReadAt(make([]byte, 1), math.MaxInt64); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("far behind the end: %d, %v", n, err)
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("seek before the start")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := read(t, s); got != "" {
		t.Errorf("nothing reads as %q", got)
	}
}

func TestRemoveLeavesOpenFilesReadable(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), blob.Options{})
	ref := put(t, s, "content")
	f, err := s.Open(ref.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(ref.Hash); err != nil {
		t.Fatal(err)
	}
	if has, err := s.Has(ref.Hash); has || err != nil {
		t.Errorf("has %t, %v", has, err)
	}
	b, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil || string(b) != "content" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := open(t, t.TempDir(), blob.Options{Now: func() time.Time { return now }})
	kept, old := put(t, s, "kept"), put(t, s, "old")
	again := put(t, s, "again")
	now = now.Add(48 * time.Hour)
	young := put(t, s, "young")
	put(t, s, "again")
	removed, err := s.Sweep(now.Add(-24*time.Hour), func(hash string) (bool, error) { return hash == kept.Hash, nil })
	if err != nil || removed != 1 {
		t.Errorf("removed %d, %v, want 1", removed, err)
	}
	var left []string
	if err := s.Each(func(r blob.Ref) error { left = append(left, r.Hash); return nil }); err != nil {
		t.Fatal(err)
	}
	want := []string{kept.Hash, young.Hash, again.Hash}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left %v, want %v, without %s", left, want, old.Hash)
	}
	stop := errors.New("stop")
	if _, err := s.Sweep(now.Add(time.Hour), func(string) (bool, error) { return false, stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want stop", err)
	}
	if err := s.Each(func(blob.Ref) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want stop", err)
	}
}

// What is stored again while it is being swept is there afterwards.
func TestSweepDoesNotTakeWhatIsStoredAgain(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	s := open(t, t.TempDir(), blob.Options{Now: func() time.Time { return time.Unix(clock.Load(), 0) }})
	for round := range int64(50) {
		clock.Store(10 * round)
		ref := put(t, s, "content")
		clock.Store(10*round + 5)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := s.Sweep(time.Unix(10*round+1, 0), func(string) (bool, error) { return false, nil }); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { put(t, s, "content") })
		wg.Wait()
		if err := s.Verify(ref.Hash); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenRemovesLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "half"); err != nil {
		t.Fatal(err)
	}
	scratch, err := s.Temp()
	if err != nil {
		t.Fatal(err)
	}
	if err := scratch.Close(); err != nil {
		t.Fatal(err)
	}
	ref := put(t, s, "whole")
	s = open(t, dir, blob.Options{})
	if got := files(t, dir); len(got) != 1 || read(t, s, ref.Hash) != "whole" {
		t.Errorf("left %v", got)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("abort of what is gone: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 20 {
				content := strings.Repeat(string(rune('a'+(i+j)%20)), 1000+(i+j)%20)
				ref, err := s.Put(t.Context(), strings.NewReader(content))
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Verify(ref.Hash); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := files(t, dir); len(got) != 20 {
		t.Errorf("%d files, want 20", len(got))
	}
}

func TestReserveIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ref := put(t, open(t, dir, blob.Options{}), "there")
	s := open(t, dir, blob.Options{Reserve: math.MaxInt64})
	if _, err := s.Create(); !errors.Is(err, blob.ErrNoSpace) {
		t.Errorf("create: %v", err)
	}
	if _, err := s.Put(t.Context(), strings.NewReader("x")); !errors.Is(err, blob.ErrNoSpace) {
		t.Errorf("put: %v", err)
	}
	if _, err := s.Temp(); !errors.Is(err, blob.ErrNoSpace) {
		t.Errorf("temp: %v", err)
	}
	if got := read(t, s, ref.Hash); got != "there" {
		t.Errorf("reading needs no room: %q", got)
	}
}

func TestStagedUploadCanBeRead(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), blob.Options{})
	w, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "some content"); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 4)
	if _, err := w.ReadAt(part, 5); err != nil || string(part) != "cont" {
		t.Errorf("read %q, %v", part, err)
	}
	if b, err := os.ReadFile(w.Path()); err != nil || string(b) != "some content" {
		t.Errorf("at its path is %q, %v", b, err)
	}
	if w.Hash() != hashOf("some content") {
		t.Error("another hash")
	}
	ref, err := w.Commit()
	if err != nil || ref.Hash != hashOf("some content") {
		t.Fatalf("ref %+v, %v", ref, err)
	}
	if _, err := w.ReadAt(part, 0); !errors.Is(err, blob.ErrClosed) {
		t.Errorf("read after commit: %v", err)
	}
	paths, err := s.Paths(ref.Hash, ref.Hash)
	if err != nil || len(paths) != 2 {
		t.Fatalf("paths %v, %v", paths, err)
	}
	if b, err := os.ReadFile(paths[1]); err != nil || string(b) != "some content" {
		t.Errorf("at the blob's path is %q, %v", b, err)
	}
	if _, err := s.Paths(ref.Hash, "../x"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestHashGoesOnFromWhatWasVerified(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), blob.Options{})
	for _, content := range []string{"", "a", strings.Repeat("large ", 1<<16)} {
		ref := put(t, s, content)
		f, err := s.Open(ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		err = h.(encoding.BinaryUnmarshaler).UnmarshalBinary(f.HashState())
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		h.Write([]byte("more"))
		if got := hex.EncodeToString(h.Sum(nil)); got != hashOf(content+"more") {
			t.Errorf("after %d bytes the hash goes on to %s", len(content), got)
		}
		both, err := s.Concat(ref.Hash, ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		if both.HashState() != nil {
			t.Error("two blobs have the state of one")
		}
		if err := both.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestEvictedBlobsComeBack evicts a blob that is kept elsewhere: reading it fetches it once for all readers, what
// is fetched has to be what it is called, and one handed to another process is not evicted.
func TestEvictedBlobsComeBack(t *testing.T) {
	t.Parallel()
	now := time.Now()
	kept, fetched := map[string]string{}, 0
	s, err := blob.Open(t.TempDir(), blob.Options{Evicts: true, Now: func() time.Time { return now }, Fetch: func(hash string) (io.ReadCloser, error) {
		content, ok := kept[hash]
		if !ok {
			return nil, blob.ErrNotFound
		}
		fetched++
		return io.NopCloser(strings.NewReader(content)), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := s.Put(t.Context(), strings.NewReader("once upon a time"))
	if err != nil {
		t.Fatal(err)
	}
	kept[ref.Hash] = "once upon a time"
	evict := func(after time.Duration, want bool) {
		t.Helper()
		if gone, err := s.Evict(ref.Hash, now.Add(after)); err != nil || gone != want {
			t.Fatalf("evicted: %v, %v", gone, err)
		}
	}
	evict(-time.Hour, false) // it was stored just now
	evict(time.Hour, true)
	if err := s.Verify(ref.Hash); !errors.Is(err, blob.ErrNotFound) || fetched != 0 {
		t.Errorf("verified: %v after %d transfers", err, fetched)
	}
	for range 2 {
		f, err := s.Open(ref.Hash)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(f); string(b) != kept[ref.Hash] || f.Close() != nil {
			t.Errorf("%q, %v", b, err)
		}
	}
	if fetched != 1 {
		t.Errorf("%d transfers for two readers", fetched)
	}
	now = now.Add(48 * time.Hour)
	if _, err := s.Paths(ref.Hash); err != nil {
		t.Fatal(err)
	}
	evict(-24*time.Hour, false) // somebody is about to read it
	evict(time.Hour, true)
	if paths, err := s.Paths(ref.Hash); err != nil {
		t.Fatal(err)
	} else if b, err := os.ReadFile(paths[0]); string(b) != kept[ref.Hash] {
		t.Errorf("%q, %v", b, err)
	}
	evict(time.Hour, true)
	kept[ref.Hash] = "once upon a crime"
	if _, err := s.Open(ref.Hash); !errors.Is(err, blob.ErrCorrupt) {
		t.Errorf("something else: %v", err)
	}
}
