package app_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// coldPlace is S3-compatible storage with the bucket "safe", which can be taken down.
type coldPlace struct {
	*testing.T
	backend *s3mem.Backend
	env     []string
	down    atomic.Bool
	keeps   atomic.Bool // it removes nothing
}

func newColdPlace(t *testing.T) *coldPlace {
	t.Helper()
	s := &coldPlace{T: t, backend: s3mem.New()}
	if err := s.backend.CreateBucket("safe"); err != nil {
		t.Fatal(err)
	}
	inner := gofakes3.New(s.backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.down.Load() || s.keeps.Load() && r.Method == http.MethodDelete {
			http.Error(w, "away", http.StatusForbidden) // which nobody repeats
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.env = []string{"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=its-secret", "AWS_REGION=here", "AWS_ENDPOINT_URL=" + server.URL}
	return s
}

// objects returns the names of what is stored.
func (s *coldPlace) objects() (names []string) {
	s.Helper()
	list, err := s.backend.ListBucket("safe", nil, gofakes3.ListBucketPage{})
	if err != nil {
		s.Fatal(err)
	}
	for _, o := range list.Contents {
		names = append(names, o.Key)
	}
	return names
}

func (s *coldPlace) content(name string) []byte {
	s.Helper()
	o, err := s.backend.GetObject("safe", name, nil)
	if err != nil {
		s.Fatal(err)
	}
	b, err := io.ReadAll(o.Contents)
	if err != nil {
		s.Fatal(err)
	}
	return b
}

func (s *coldPlace) put(name string, content []byte) {
	s.Helper()
	if _, err := s.backend.PutObject("safe", name, map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}, bytes.NewReader(content), int64(len(content)), nil); err != nil {
		s.Fatal(err)
	}
}

// serve starts a server that moves files here.
func (s *coldPlace) serve(dir, cold string) *process {
	s.Helper()
	env := append([]string{"PARAPH_ADMIN_EMAIL=" + adminEmail, "PARAPH_ADMIN_PASSWORD=" + adminPassword}, s.env...)
	return launch(s, env, dir, "serve", "server.test_controls=true", "data.cold="+cold)
}

// advance moves a server's clock, which ends all sessions.
func (p *process) advance(by string) *client {
	p.Helper()
	r, err := p.http.Post(p.url+"/test/clock", "application/json", strings.NewReader(`{"advance": "`+by+`"}`))
	if err != nil {
		p.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		p.Fatalf("moving the clock: %s", r.Status)
	}
	return p.login()
}

// storedFiles returns the paths of the stored files in a data folder.
func storedFiles(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "files", "?", "?", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// here counts the stored files in a data folder.
func here(t *testing.T, dir string) int {
	t.Helper()
	return len(storedFiles(t, dir))
}

// TestFilesMoveToColdStorageAndBack moves what a completed document and a draft need: only the completed one's
// files leave, unreadable there, and come back whole when they are asked for.
func TestFilesMoveToColdStorageAndBack(t *testing.T) {
	t.Parallel()
	s := newColdPlace(t)
	base := t.TempDir()
	dir := filepath.Join(base, "data")
	p := s.serve(dir, "s3://safe/old")
	run := func(dir, says string, code int, args ...string) {
		t.Helper()
		got := callWith(t, s.env, append(args, "--set", "data.dir="+dir, "--set", "data.cold=s3://safe/old", "--set", "data.reserve=1MB")...)
		if got.code != code || !strings.Contains(got.out+got.err, says) {
			t.Fatalf("%q: %+v; want %q", args, got, says)
		}
	}
	c := p.login()
	id, err := c.complete("Lease", smallPDF("Lease", 5000))
	if err != nil {
		t.Fatal(err)
	}
	want := c.signed(t, id)
	c.begun(t, "Draft", smallPDF("Draft", 700))
	all := here(t, dir)
	run(dir, "0 files moved", 0, "cold", "--move")
	backups := filepath.Join(base, "backups")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}

	c = p.advance("8784h")
	run(dir, "moved, which freed", 0, "cold", "--move")
	run(dir, "kept in s3://safe/old/", 0, "cold")
	run(dir, "cold storage", 0, "doctor")
	left := here(t, dir)
	moved := s.objects()
	if left == 0 || all-left != len(moved)-1 {
		t.Errorf("of %d files %d are left, and the storage has %q", all, left, moved)
	}
	for _, name := range moved {
		b := s.content(name)
		if name != "old/server.json" && (!strings.HasPrefix(name, "old/files/") || !bytes.HasPrefix(b, []byte("age-encryption.org/v1\n")) || bytes.Contains(b, []byte("%PDF"))) {
			t.Errorf("%s is stored as %.60q", name, b)
		}
	}
	run(dir, "No problems found in 2 documents.", 0, "check")

	s.down.Store(true)
	run(dir, "read it back", 0, "backup", backups)
	if _, err := c.send(http.MethodGet, "/documents/"+id+"/download", "", nil); err == nil || !strings.Contains(err.Error(), "file_unreachable") || !strings.Contains(err.Error(), "503") {
		t.Errorf("while the storage is down: %v", err)
	}
	s.down.Store(false)
	if got := c.signed(t, id); !bytes.Equal(got, want) {
		t.Errorf("%d bytes come back instead of %d", len(got), len(want))
	}
	if again := here(t, dir); again <= left {
		t.Errorf("%d files are on the disk after reading, %d before", again, left)
	}
	// A damaged copy here is replaced from there.
	for _, path := range storedFiles(t, dir) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("Lease")) || bytes.HasPrefix(want, b) {
			if err := os.WriteFile(path, flipped(b, len(b)/2), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := c.signed(t, id); !bytes.Equal(got, want) {
		t.Errorf("%d bytes come back after damage here instead of %d", len(got), len(want))
	}
	c = p.advance("48h")
	run(dir, "0 files moved, which freed", 0, "cold", "--move")
	if again := here(t, dir); again != left {
		t.Errorf("%d files are on the disk a day after reading instead of %d", again, left)
	}

	// Damage is found when the list is compared, or when the file is read.
	for _, name := range moved[:len(moved)-1] {
		s.put(name, flipped(s.content(name), len(s.content(name))-20))
	}
	if _, err := c.send(http.MethodGet, "/documents/"+id+"/download", "", nil); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("a damaged object: %v", err)
	}
	for _, name := range moved[:len(moved)-1] {
		s.put(name, flipped(s.content(name), len(s.content(name))-20))
	}
	kept := s.content(moved[0])
	if _, err := s.backend.DeleteObject("safe", moved[0]); err != nil {
		t.Fatal(err)
	}
	run(dir, moved[0]+" is missing", 1, "check")
	s.put(moved[0], kept)

	// A copy of the installation reads, and neither moves nor removes anything until it takes over.
	copied := filepath.Join(base, "copied")
	run(copied, "", 0, "restore", backups)
	run(copied, "No problems found in 2 documents.", 0, "check")
	run(copied, "paraph cold --take-over", 1, "cold", "--move")
	run(copied, "holds the files of another server", 1, "doctor")
	run(copied, "From now on", 0, "cold", "--take-over", "--move")
	run(dir, "holds the files of another server", 1, "cold", "--move")
	run(dir, "From now on", 0, "cold", "--take-over")

	// Whoever uploads the same file again has it here, for as long as the document is in use.
	c.begun(t, "Lease", smallPDF("Lease", 5000))
	before := here(t, dir)
	p.advance("48h")
	run(dir, "0 files moved", 0, "cold", "--move")
	if got := here(t, dir); got != before {
		t.Errorf("%d files are on the disk while a new document needs what has moved, %d before", got, before)
	}

	s.keeps.Store(true)
	run(dir, "old/files/", 1, "cold", "--bring-back")
	s.keeps.Store(false)
	run(dir, "brought back", 0, "cold", "--bring-back")
	if got := s.objects(); len(got) != 1 || here(t, dir) < all {
		t.Errorf("the storage still has %q, and the disk has %d files instead of %d and more", got, here(t, dir), all)
	}
	run(dir, "No problems found in 3 documents.", 0, "check")
	full, err := filepath.Glob(filepath.Join(backups, "*.tar.zst"))
	if err != nil || len(full) != 1 {
		t.Fatal(full, err)
	}
	run(dir, "read it back", 0, "backup", backups, "--since", full[0])
	if code := p.stop(); code != 0 {
		t.Errorf("the server exited with %d", code)
	}
	apart := filepath.Join(base, "apart")
	run(apart, "", 0, "restore", backups)
	q := serve(t, apart)
	if got := q.login().signed(t, id); !bytes.Equal(got, want) {
		t.Error("the restored file differs")
	}
}

// TestColdStorageIsNotForgotten starts without what reaches the files that have moved.
func TestColdStorageIsNotForgotten(t *testing.T) {
	t.Parallel()
	s := newColdPlace(t)
	dir := filepath.Join(t.TempDir(), "data")
	p := s.serve(dir, "s3://safe")
	c := p.login()
	id, err := c.complete("Lease", smallPDF("Lease", 5000))
	if err != nil {
		t.Fatal(err)
	}
	p.advance("8784h")
	if got := callWith(t, s.env, "cold", "--move", "--set", "data.dir="+dir, "--set", "data.cold=s3://safe"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	p.stop()
	if got := call(t, "serve", "--set", "data.dir="+dir, "--set", "data.cold=s3://safe", "--set", "server.listen=127.0.0.1:0"); got.code != 1 || !strings.Contains(got.err, "data.cold: set AWS_ACCESS_KEY_ID") {
		t.Errorf("without keys: %+v", got)
	}
	if got := call(t, "cold", "--set", "data.dir="+dir); got.code != 1 || !strings.Contains(got.err, "can't be read: data.cold is empty") {
		t.Errorf("without an address: %+v", got)
	}
	q := serve(t, dir)
	if _, err := q.login().send(http.MethodGet, "/documents/"+id+"/download", "", nil); err == nil || !strings.Contains(err.Error(), "file_unreachable") {
		t.Errorf("without an address: %v", err)
	}
	q.stop()
	// The key is lost before the server has read it: it makes no other, and goes on once that is back.
	path := filepath.Join(dir, "keys", "cold.key")
	key, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	q = s.serve(dir, "s3://safe")
	c = q.login()
	download := func() error {
		_, err := c.send(http.MethodGet, "/documents/"+id+"/download", "", nil)
		return err
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	lost := download()
	if _, err := os.Stat(path); lost == nil || err == nil {
		t.Errorf("without its key: %v; another one was made: %v", lost, err == nil)
	}
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := download(); err != nil {
		t.Errorf("once the key is back: %v", err)
	}
	q.stop()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := call(t, "serve", "--set", "data.dir="+dir, "--set", "server.listen=127.0.0.1:0"); got.code != 1 || !strings.Contains(got.err, "keys/cold.key is missing") {
		t.Errorf("without its key: %+v", got)
	}
}
