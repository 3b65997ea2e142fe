package signing

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func pictureOf(size int) func() ([]byte, error) {
	return func() ([]byte, error) { return make([]byte, size), nil }
}

func mustGet(t *testing.T, p *Pictures, name string, draw func() ([]byte, error)) {
	t.Helper()
	if _, err := p.get(name, draw); err != nil {
		t.Fatal(err)
	}
}

var errDrawn = errors.New("drawn again")

func again() ([]byte, error) { return nil, errDrawn }

func TestPicturesAreKeptUpToALimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := OpenPictures(dir, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		mustGet(t, p, name, pictureOf(30))
	}
	mustGet(t, p, "a", again)         // used, so b is the oldest
	mustGet(t, p, "d", pictureOf(30)) // too much by one
	for name, kept := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, err := os.Stat(filepath.Join(dir, name+".png")); (err == nil) != kept {
			t.Errorf("%s is kept: %v, want %v", name, err == nil, kept)
		}
	}
	if n, size := p.Kept(); n != 3 || size != 90 {
		t.Errorf("%d pictures of %d bytes are counted", n, size)
	}
	mustGet(t, p, "huge", pictureOf(1000))
	if n, size := p.Kept(); n != 0 || size != 0 {
		t.Errorf("one that is larger than the limit leaves %d of %d bytes", n, size)
	}
}

func TestPicturesSurviveAStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := OpenPictures(dir, 1000)
	if err != nil {
		t.Fatal(err)
	}
	mustGet(t, p, "a", func() ([]byte, error) { return []byte("as drawn"), nil })
	if p, err = OpenPictures(dir, 1000); err != nil {
		t.Fatal(err)
	}
	if b, err := p.get("a", again); err != nil || !bytes.Equal(b, []byte("as drawn")) {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.Remove(filepath.Join(dir, "a.png")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.get("a", again); !errors.Is(err, errDrawn) {
		t.Errorf("a picture that somebody removed is not drawn again: %v", err)
	}
	if p, err = OpenPictures(dir, 1000); err != nil {
		t.Fatal(err)
	}
	if n, _ := p.Kept(); n != 0 {
		t.Errorf("%d pictures are counted in an empty folder", n)
	}
}

func TestManyWaitForOneDrawing(t *testing.T) {
	t.Parallel()
	p, err := OpenPictures(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var drawn atomic.Int32
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := p.get("a", func() ([]byte, error) { drawn.Add(1); return []byte("x"), nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if drawn.Load() != 1 {
		t.Errorf("drawn %d times", drawn.Load())
	}
}

func TestAPictureIsNamedByWhatChangedItsPage(t *testing.T) {
	t.Parallel()
	d := &Document{
		Fields: []Field{{File: "f", Page: 2, Invitation: "ann"}, {File: "f", Page: 3, Invitation: "ben"}, {File: "other", Page: 1, Invitation: "ann"}},
		Files: []File{{ID: "f", Base: "base", Revisions: []Revision{
			{Kind: "prepare", SHA256: "prepared"}, {Kind: "signature", Invitation: "ann", SHA256: "ann's"},
			{Kind: "signature", Invitation: "ben", SHA256: "ben's"}, {Kind: "validation", SHA256: "dss"}, {Kind: "timestamp", SHA256: "stamp"}}}},
	}
	for i, want := range []string{"base", "ann's", "ben's"} {
		if got := d.pictured(&d.Files[0], i+1); got != want {
			t.Errorf("page %d is named %s, want %s", i+1, got, want)
		}
	}
	d.Files[0].Revisions = d.Files[0].Revisions[:2]
	if got := d.pictured(&d.Files[0], 3); got != "prepared" {
		t.Errorf("before Ben signs, his page is named %s", got)
	}
}
