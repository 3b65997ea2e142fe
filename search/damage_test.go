package search_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/search"
)

// filled creates an index with several segments on disk, and closes it.
func filled(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	x, err := search.Open(search.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		var b search.Batch
		for j := range 200 {
			d := doc(fmt.Sprintf("%d-%03d", i, j), fmt.Sprintf("word number %d", j))
			d.Body = strings.Repeat(fmt.Sprintf("body%d ", j), 5)
			d.Sort = map[string]string{"title": d.Title}
			b.Put = append(b.Put, d)
		}
		b.Place = uint64(i + 1)
		apply(t, x, b)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func segments(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "index", "*.zap"))
	if err != nil || len(found) == 0 {
		t.Fatalf("segments %v, %v", found, err)
	}
	return found
}

func change(t *testing.T, path string, fn func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A new file: the old one may be mapped into memory by a closed index.
	if err := errors.Join(os.Remove(path), os.WriteFile(path, fn(b), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestDamageIsRebuilt(t *testing.T) {
	t.Parallel()
	eachSegment := func(fn func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, path := range segments(t, dir) {
				change(t, path, fn)
			}
		}
	}
	bolt := func(fn func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) { change(t, filepath.Join(dir, "index", "root.bolt"), fn) }
	}
	flip := func(share float64) func([]byte) []byte {
		return func(b []byte) []byte { b[int(share*float64(len(b)-1))] ^= 0x10; return b }
	}
	half := func(b []byte) []byte { return b[:len(b)/2] }
	garbage := func(b []byte) []byte { return bytes.Repeat([]byte("garbage!"), len(b)/8) }
	for name, damage := range map[string]func(*testing.T, string){
		"folder gone": func(t *testing.T, dir string) { remove(t, dir) },
		"index gone":  func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "index")) },
		"index is a file": func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "index"))
			write(t, filepath.Join(dir, "index"))
		},
		"bolt gone": func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "index", "root.bolt")) },
		"bolt a folder": func(t *testing.T, dir string) {
			path := filepath.Join(dir, "index", "root.bolt")
			remove(t, path)
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"bolt empty":       bolt(func([]byte) []byte { return nil }),
		"bolt short":       bolt(func(b []byte) []byte { return b[:100] }),
		"bolt one page":    bolt(func(b []byte) []byte { return b[:os.Getpagesize()] }),
		"bolt garbage":     bolt(garbage),
		"bolt zero pages":  bolt(func(b []byte) []byte { clear(b[2*os.Getpagesize():]); return b }),
		"bolt zero":        bolt(func(b []byte) []byte { clear(b); return b }),
		"bolt other pages": bolt(func(b []byte) []byte { copy(b[2*os.Getpagesize():], garbage(b)[2*os.Getpagesize():]); return b }),
		"segments gone": func(t *testing.T, dir string) {
			for _, path := range segments(t, dir) {
				remove(t, path)
			}
		},
		"segments empty":      eachSegment(func([]byte) []byte { return nil }),
		"segments one byte":   eachSegment(func([]byte) []byte { return []byte{1} }),
		"segments half":       eachSegment(half),
		"segments garbage":    eachSegment(garbage),
		"segments zero":       eachSegment(func(b []byte) []byte { clear(b); return b }),
		"bit at the start":    eachSegment(flip(0)),
		"bit in the middle":   eachSegment(flip(0.5)),
		"bit in the fields":   eachSegment(flip(0.97)),
		"bit in the footer":   eachSegment(flip(0.999)),
		"bit in the checksum": eachSegment(flip(1)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t)
			damage(t, dir)
			var log bytes.Buffer
			x, err := search.Open(search.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := x.Close(); err != nil {
					t.Error(err)
				}
			}()
			if got := find(t, x, "word"); x.Place() != 0 || len(got) != 0 {
				t.Errorf("at %d with %d documents", x.Place(), len(got))
			}
			if strings.HasPrefix(name, "bit") && !strings.Contains(log.String(), "damaged") {
				t.Errorf("nothing is logged: %q", log.String())
			}
			apply(t, x, search.Batch{Put: []search.Document{doc("1", "new")}, Place: 1})
			if got := find(t, x, "new"); len(got) != 1 || x.Place() != 1 {
				t.Errorf("at %d with %v", x.Place(), got)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// flips is the number of bits that TestEveryFlippedBit flips: SEARCH_TEST_FLIPS, or 60.
func flips() int {
	n, err := strconv.Atoi(os.Getenv("SEARCH_TEST_FLIPS"))
	if err != nil {
		return 60
	}
	return n
}

// TestEveryFlippedBit flips single bits of the files, after a proper close and after a kill:
// the index opens and answers, either empty or unchanged.
func TestEveryFlippedBit(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	paths := append(segments(t, dir), filepath.Join(dir, "index", "root.bolt"))
	whole := make(map[string][]byte)
	sum := filepath.Join(dir, "index", "root.sum")
	for _, path := range append(slices.Clone(paths), sum) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole[path] = b
	}
	for i := range flips() {
		work := t.TempDir()
		for path, b := range whole {
			if path == sum && i%2 == 0 {
				continue // as after a kill
			}
			copied := bytes.Clone(b)
			if path == paths[i%len(paths)] {
				copied[(i*7919*31)%len(copied)] ^= 1 << (i % 8)
			}
			target := filepath.Join(work, "index", filepath.Base(path))
			if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o700), os.WriteFile(target, copied, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		x, err := search.Open(search.Options{Dir: work})
		if err != nil {
			t.Fatal(err)
		}
		n, place := len(find(t, x, "word")), x.Place()
		if !(n == 0 && place == 0) && !(n == 800 && place == 4) {
			t.Errorf("flip %d: %d documents at %d", i, n, place)
		}
		apply(t, x, search.Batch{Put: []search.Document{doc("1-000", "word again"), doc("9", "word")}, Place: place + 1})
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFolderRemovedWhileOpen checks that searches are still answered, and that the indexer
// learns that it has to start over.
func TestFolderRemovedWhileOpen(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	x := open(t, dir)
	// Renamed, because Bleve may add files during a removal.
	if err := os.Rename(filepath.Join(dir, "index"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience.Limit())
	for place := x.Place(); ; {
		if time.Now().After(deadline) {
			t.Fatal("removal went unnoticed")
		}
		if _, _, err := x.Query(t.Context(), search.Query{Scope: "s", Text: "word", Limit: 10}); err != nil {
			t.Fatal(err)
		}
		err := x.Apply(search.Batch{Put: []search.Document{doc("1", "word")}, Place: place + 1})
		if errors.Is(err, search.ErrEmptied) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		place++
	}
	if x.Place() != 0 {
		t.Errorf("at %d", x.Place())
	}
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "word")}, Place: 1})
	if got := find(t, x, "word"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "index", "root.bolt")); err != nil {
		t.Error(err)
	}
}

func TestTwoProcessesOnOneFolder(t *testing.T) {
	t.Parallel()
	dir := filled(t)
	x := open(t, dir)
	if _, err := search.Open(search.Options{Dir: dir}); err == nil {
		t.Fatal("a second index opened the folder")
	}
	if got := find(t, x, "word"); len(got) != 800 {
		t.Errorf("the first index has %d documents left", len(got))
	}
}

func TestTemporaryIndexLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	x := open(t, "")
	apply(t, x, search.Batch{Put: []search.Document{doc("1", "a")}})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestUnusableFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path)
	if _, err := search.Open(search.Options{Dir: path}); err == nil {
		t.Error("a file was accepted as a folder")
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Error("the file was removed")
	}
}

// killEnv makes the test binary a process that indexes until it is killed; its value is the
// folder.
const killEnv = "SEARCH_TEST_KILL"

// TestKill checks that after a kill at any moment, the documents match the place.
func TestKill(t *testing.T) {
	if dir := os.Getenv(killEnv); dir != "" {
		indexForEver(t, dir)
	}
	alone(t)
	t.Parallel()
	dir := t.TempDir()
	highest := uint64(0)
	for round := range 6 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), killEnv+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 40+37*round && lines.Scan(); n++ {
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("process ended before it was killed")
		}
		var log bytes.Buffer
		x, err := search.Open(search.Options{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		place := x.Place()
		if got := find(t, x, "word"); uint64(len(got)) != min(place, 1000) || log.Len() > 0 {
			t.Errorf("round %d: %d documents at %d: %s", round, len(got), place, log.String())
		}
		if _, total, err := x.Query(t.Context(), search.Query{Scope: "s"}); err != nil || uint64(total) != place {
			t.Errorf("round %d: %d documents at %d, %v", round, total, place, err)
		}
		highest = max(highest, place)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if highest == 0 {
		t.Error("nothing ever reached the disk")
	}
}

func indexForEver(t *testing.T, dir string) {
	x, err := search.Open(search.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for place := x.Place() + 1; ; place++ {
		apply(t, x, search.Batch{Put: []search.Document{doc(fmt.Sprintf("%09d", place), "word")}, Place: place})
		fmt.Println(place)
	}
}
