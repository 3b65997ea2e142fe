package pictures_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"paraph/app/apptest/patience"
	"paraph/app/signing/pictures"
)

func pictureOf(size int) func() ([]byte, error) {
	return func() ([]byte, error) { return make([]byte, size), nil }
}

func mustGet(t *testing.T, p *pictures.Cache, name string, draw func() ([]byte, error)) {
	t.Helper()
	if _, err := p.Get(context.Background(), name, draw); err != nil {
		t.Fatal(err)
	}
}

var errDrawn = errors.New("drawn again")

func again() ([]byte, error) { return nil, errDrawn }

func TestCacheIsLimited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := pictures.Open(dir, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		mustGet(t, p, name, pictureOf(30))
	}
	mustGet(t, p, "a", again)         // used, so b is the oldest
	mustGet(t, p, "d", pictureOf(30)) // one too many
	for name, kept := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, err := os.Stat(filepath.Join(dir, name+".png")); (err == nil) != kept {
			t.Errorf("%s is kept: %v, want %v", name, err == nil, kept)
		}
	}
	if n, size := p.Stats(); n != 3 || size != 90 {
		t.Errorf("%d pictures of %d bytes are counted", n, size)
	}
	mustGet(t, p, "huge", pictureOf(1000))
	if n, size := p.Stats(); n != 0 || size != 0 {
		t.Errorf("after one larger than the limit: %d pictures of %d bytes", n, size)
	}
}

func TestPicturesSurviveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := pictures.Open(dir, 1000)
	if err != nil {
		t.Fatal(err)
	}
	mustGet(t, p, "a", func() ([]byte, error) { return []byte("as drawn"), nil })
	if p, err = pictures.Open(dir, 1000); err != nil {
		t.Fatal(err)
	}
	if b, err := p.Get(context.Background(), "a", again); err != nil || !bytes.Equal(b, []byte("as drawn")) {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.Remove(filepath.Join(dir, "a.png")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(context.Background(), "a", again); !errors.Is(err, errDrawn) {
		t.Errorf("a picture removed from disk is not drawn again: %v", err)
	}
	if p, err = pictures.Open(dir, 1000); err != nil {
		t.Fatal(err)
	}
	if n, _ := p.Stats(); n != 0 {
		t.Errorf("%d pictures are counted in an empty folder", n)
	}
}

func TestConcurrentCallsDrawOnce(t *testing.T) {
	t.Parallel()
	p, err := pictures.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var drawn atomic.Int32
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := p.Get(context.Background(), "a", func() ([]byte, error) { drawn.Add(1); return []byte("x"), nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if drawn.Load() != 1 {
		t.Errorf("drawn %d times", drawn.Load())
	}
}

// TestAnotherCallerDrawsIfTheFirstOneHasLeft cancels the call that draws while another one waits.
func TestAnotherCallerDrawsIfTheFirstOneHasLeft(t *testing.T) {
	t.Parallel()
	p, err := pictures.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	began := make(chan bool)
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := p.Get(ctx, "a", func() ([]byte, error) {
			began <- true
			<-ctx.Done()
			return nil, ctx.Err()
		})
		first <- err
	}()
	<-began
	go func() {
		_, err := p.Get(t.Context(), "a", pictureOf(30))
		second <- err
	}()
	leave()
	if err := patience.Receive(t, "the first caller", first); !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller got %v", err)
	}
	if err := patience.Receive(t, "the second caller", second); err != nil {
		t.Errorf("the second caller got %v", err)
	}
}
