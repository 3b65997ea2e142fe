package backup_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"paraph/app/apptest/patience"
	"paraph/app/backup"
)

// storage is a server with one bucket, "safe". It accepts the key "known" and drops connections on
// request.
type storage struct {
	backup.Buckets
	backend gofakes3.Backend

	mu       sync.Mutex
	cuts     map[string]int // by method: how many of the next responses to cut off
	requests map[string]int
}

func newStorage(t *testing.T) *storage {
	t.Helper()
	s := &storage{backend: s3mem.New(), cuts: map[string]int{}, requests: map[string]int{}}
	if err := s.backend.CreateBucket("safe"); err != nil {
		t.Fatal(err)
	}
	served := gofakes3.New(s.backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=known/") {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>InvalidAccessKeyId</Code><Message>The key is not known.</Message></Error>`)
			return
		}
		if s.cut(r.Method) {
			w = &broken{w, 1000}
			if r.Method != http.MethodGet {
				_, _ = io.CopyN(io.Discard, r.Body, 1000)
				panic(http.ErrAbortHandler)
			}
		}
		served.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.Buckets = backup.Buckets{Transport: &http.Transport{DisableKeepAlives: true}, Environ: map[string]string{
		"AWS_ACCESS_KEY_ID": "known", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": server.URL}}
	return s
}

// cut counts a request and reports whether to drop its connection.
func (s *storage) cut(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[method]++
	s.cuts[method]--
	return s.cuts[method] >= 0
}

// cutNext drops the connections of the next n requests of a method, and cancels earlier orders.
func (s *storage) cutNext(method string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cuts = map[string]int{method: n}
}

// broken aborts a response after some bytes.
type broken struct {
	http.ResponseWriter
	left int
}

func (b *broken) Write(p []byte) (int, error) {
	n, err := b.ResponseWriter.Write(p[:min(len(p), b.left)])
	if b.left -= n; b.left == 0 || err != nil {
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// names lists the objects of the bucket.
func (s *storage) names(t *testing.T) (all []string) {
	t.Helper()
	list, err := s.backend.ListBucket("safe", nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		all = append(all, o.Key)
	}
	return all
}

func (s *storage) restore(t *testing.T, in string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	_, err := backup.Restore(t.Context(), in, dir, backup.RestoreOptions{DataVersion: 1, Needed: needed{}, Log: slog.New(slog.DiscardHandler), Buckets: s.Buckets})
	return dir, err
}

// noise returns bytes that can't be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// whole expects a restored folder to equal the original.
func (f *folder) whole(t *testing.T, dir string) {
	t.Helper()
	got := content(t, dir)
	for _, name := range []string{"note a", "note b"} {
		if got[name] == "" {
			t.Errorf("%s is missing in %d entries", name, len(got))
		}
	}
}

func TestBackupsInABucket(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	f.note("a", noise(100_000))
	full := f.take("s3://safe/of/paraph/", backup.Options{Buckets: s.Buckets})
	if !strings.HasPrefix(full.Where, "s3://safe/of/paraph/paraph-") {
		t.Errorf("it is at %s", full.Where)
	}
	f.note("b", []byte("second"))
	part := f.take("s3://safe/of/paraph", backup.Options{Since: "s3://safe/of/paraph", Buckets: s.Buckets})
	if part.Full() || part.Parent != full.ID {
		t.Errorf("%+v continues %+v", part, full)
	}
	if names := s.names(t); len(names) != 2 {
		t.Errorf("the bucket holds %q", names)
	}
	for _, in := range []string{"s3://safe/of/paraph/", part.Where} {
		dir, err := s.restore(t, in)
		if err != nil {
			t.Fatal(err)
		}
		f.whole(t, dir)
	}
	if _, err := backup.Take(t.Context(), f.Source, full.Where, backup.Options{Buckets: s.Buckets}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("onto another backup: %v", err)
	}
	if _, err := s.restore(t, "s3://safe/of"); err == nil || !strings.Contains(err.Error(), "holds no backups") {
		t.Errorf("from above them: %v", err)
	}
}

func TestABucketIsFollowed(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	f.buckets, f.now = s.Buckets, time.Now()
	f.note("a", []byte("first"))
	f.note("b", []byte("second"))
	if err := s.MayFollow(t.Context(), "s3://safe/x", "lock"); err != nil {
		t.Fatal(err)
	}
	f.followedUntil("s3://safe/x", time.Millisecond, merged())
	f.note("afterwards", []byte("something else"))
	f.followed("s3://safe/x", 2, time.Millisecond)
	if names := s.names(t); len(names) < 3 || len(names) > 10 {
		t.Errorf("after more than 30 backups there are %d: %q", len(names), names)
	}
	if err := s.MayFollow(t.Context(), "s3://safe/x", "lock"); err != nil {
		t.Errorf("once more: %v", err)
	}
	dir, err := s.restore(t, "s3://safe/x")
	if err != nil {
		t.Fatal(err)
	}
	f.whole(t, dir)
	if got := content(t, dir)["note counter"]; got == "" {
		t.Error("the changes are missing")
	}
	f.take("s3://safe/y", backup.Options{Buckets: s.Buckets})
	if err := s.MayFollow(t.Context(), "s3://safe/y", "lock"); err == nil {
		t.Error("a folder with other backups would be followed into")
	}
}

func TestCutConnectionsAreTakenUpAgain(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	f.note("a", noise(300_000))
	f.note("b", []byte("second"))
	s.cutNext(http.MethodPut, 2)
	f.take("s3://safe", backup.Options{Buckets: s.Buckets})
	s.cutNext(http.MethodGet, 3) // the listing, which the client repeats, and the download
	dir, err := s.restore(t, "s3://safe")
	if err != nil {
		t.Fatal(err)
	}
	f.whole(t, dir)
}

func TestStorageThatStaysAwayLeavesNothing(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	f.note("a", noise(300_000))
	s.cutNext(http.MethodGet, 0)
	for method, n := range map[string]int{http.MethodPut: 1 << 20, http.MethodHead: 1 << 20} {
		s.cutNext(method, n)
		if r, err := backup.Take(t.Context(), f.Source, "s3://safe", backup.Options{Buckets: s.Buckets}); err == nil {
			t.Errorf("without any %s there is a backup: %+v", method, r)
		}
		if names := s.names(t); len(names) != 0 {
			t.Errorf("without any %s the bucket holds %q", method, names)
		}
	}
	s.cutNext(http.MethodGet, 0)
	r := f.take("s3://safe", backup.Options{Buckets: s.Buckets})
	s.cutNext(http.MethodGet, 1<<20)
	dir, err := s.restore(t, r.Where)
	if err == nil {
		t.Error("it was restored from nothing")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder holds %v: %v", entries, err)
	}
}

func TestWrongKeysAndAddressesOfBuckets(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	with := func(name, value string) backup.Buckets {
		b := backup.Buckets{Transport: s.Transport, Environ: map[string]string{}}
		for n, v := range s.Environ {
			b.Environ[n] = v
		}
		b.Environ[name] = value
		return b
	}
	for _, x := range []struct {
		out, says string
		by        backup.Buckets
	}{
		{"s3://safe", "not known", with("AWS_ACCESS_KEY_ID", "stranger")},
		{"s3://safe", "AWS_ACCESS_KEY_ID", with("AWS_ACCESS_KEY_ID", "")},
		{"s3://safe", "AWS_ENDPOINT_URL", with("AWS_ENDPOINT_URL", "here")},
		{"s3://nothing", "s3://nothing/", s.Buckets},
		{"s3://", "s3://bucket/folder", s.Buckets},
		{"s3://safe", "s3://bucket/folder", backup.Buckets{}},
	} {
		_, err := backup.Take(t.Context(), f.Source, x.out, backup.Options{Buckets: x.by})
		if err == nil || !strings.Contains(err.Error(), x.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("to %s: %v, want %q", x.out, err, x.says)
		}
	}
}

// TestDraftsOfACrashAreRemoved takes a backup beside a draft that is days old.
func TestDraftsOfACrashAreRemoved(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	old := gofakes3.FixedTimeSource(time.Now().AddDate(0, 0, -2))
	s.backend = s3mem.New(s3mem.WithTimeSource(old))
	if err := s.backend.CreateBucket("old"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.backend.PutObject("old", "paraph-left.partial", nil, bytes.NewReader([]byte("half")), 4, nil); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(s.backend).Server())
	t.Cleanup(server.Close)
	s.Environ["AWS_ENDPOINT_URL"] = server.URL
	f.take("s3://old", backup.Options{Buckets: s.Buckets})
	list, err := s.backend.ListBucket("old", nil, gofakes3.ListBucketPage{})
	if err != nil || len(list.Contents) != 1 || strings.HasSuffix(list.Contents[0].Key, "partial") {
		t.Errorf("the bucket holds %+v: %v", list, err)
	}
}

// overtaken delays naming a full backup until an increment has been made meanwhile, and ends with the
// full backup.
type overtaken struct {
	*folder
	http.RoundTripper
	held, beside atomic.Bool
	end          chan struct{}
	once         sync.Once
	stop         context.CancelFunc
}

func (o *overtaken) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("X-Amz-Copy-Source") != "" && strings.Contains(r.URL.Path, "full") {
		o.held.Store(true)
		select {
		case <-o.end:
		case <-r.Context().Done():
		}
	}
	return o.RoundTripper.RoundTrip(r)
}

func (o *overtaken) Open(ctx context.Context, q backup.Request) (io.ReadCloser, error) {
	if q.Parent != "" && o.held.Load() {
		o.beside.Store(true)
	}
	return o.Source.Open(ctx, q)
}

func (o *overtaken) Done(ctx context.Context, r backup.Record) error {
	if err := o.Source.Done(ctx, r); err != nil {
		return err
	}
	if r.Full() {
		o.stop()
		return nil
	}
	if o.beside.Load() {
		o.once.Do(func() { close(o.end) })
	}
	o.note("counter", []byte(r.ID))
	return nil
}

// TestADraftOfDaysIsKeptWhileItIsMade follows into storage in which every object is days old.
func TestADraftOfDaysIsKeptWhileItIsMade(t *testing.T) {
	t.Parallel()
	f, s := newFolder(t), newStorage(t)
	s.backend = s3mem.New(s3mem.WithTimeSource(gofakes3.FixedTimeSource(time.Now().AddDate(0, 0, -2))))
	if err := s.backend.CreateBucket("old"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(s.backend).Server())
	t.Cleanup(server.Close)
	s.Environ["AWS_ENDPOINT_URL"] = server.URL
	f.buckets, f.now = s.Buckets, time.Now().AddDate(0, 0, -8)
	f.note("a", []byte("first"))
	f.followed("s3://old", 1, patience.Limit())
	f.note("a", []byte("second"))
	f.now = time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience.Limit())
	defer cancel()
	o := &overtaken{folder: f, RoundTripper: s.Transport, end: make(chan struct{}), stop: cancel}
	s.Transport = o
	var log strings.Builder
	err := backup.Follow(ctx, o, "s3://old", backup.FollowOptions{Every: 5 * time.Millisecond, Log: &log, Buckets: s.Buckets})
	if err != nil || !o.beside.Load() || strings.Contains(log.String(), "No ") {
		t.Errorf("%v, beside an increment: %t; %s", err, o.beside.Load(), &log)
	}
}
