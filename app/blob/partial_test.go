package blob_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"paraph/app/blob"
)

func TestPartialBlob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, blob.Options{})
	// The line is cut after five bytes; what came is kept.
	n, err := s.Append(t.Context(), "one", 0, io.MultiReader(strings.NewReader("hello"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if n != 5 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(n, err)
	}
	s = open(t, dir, blob.Options{}) // another life of the process
	if _, err := s.Append(t.Context(), "one", 6, strings.NewReader("x")); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a gap gives %v", err)
	}
	if n, err = s.Append(t.Context(), "one", 4, strings.NewReader("0 world")); n != 11 || err != nil {
		t.Fatal(n, err)
	}
	for _, commit := range []bool{false, true} {
		w, err := s.Resume("one")
		if err != nil {
			t.Fatal(err)
		}
		if w.Size() != 11 {
			t.Errorf("%d bytes are there", w.Size())
		}
		if !commit {
			if err := w.Abort(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		ref, err := w.Commit()
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, s, ref.Hash); got != "hell0 world" {
			t.Errorf("it holds %q", got)
		}
	}
	if _, err := s.Resume("one"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("after the commit it is still there: %v", err)
	}
}

func TestPartialBlobsGo(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), blob.Options{})
	for _, name := range []string{"old", "dropped"} {
		if _, err := s.Append(t.Context(), name, 0, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Discard("dropped"); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard("dropped"); err != nil {
		t.Errorf("what is not there can't be discarded: %v", err)
	}
	if n, err := s.SweepPartial(time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("young ones are swept: %d, %v", n, err)
	}
	if n, err := s.SweepPartial(time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	for _, name := range []string{"", "../x", "a/b", "a.b", strings.Repeat("a", 65)} {
		if _, err := s.Append(t.Context(), name, 0, strings.NewReader("x")); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%q names a partial blob: %v", name, err)
		}
	}
}
