package digest_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"
	"io"
	"math/rand/v2"
	"testing"

	"paraph/app/pdf/digest"
)

// counting counts the bytes read from it.
type counting struct {
	io.ReaderAt
	read int64
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.read += int64(len(b))
	return c.ReaderAt.ReadAt(b, at)
}

// TestPrefixes hashes prefixes in any order and checks that the results equal
// those of separate reads and that the file is read once per kind of hash.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	data := make([]byte, 2<<20)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	ends := []int64{0, 1, 1000, 1 << 20, 1<<20 + 7, int64(len(data))}
	for name, fresh := range map[string]func() hash.Hash{"SHA-256": sha256.New, "SHA-224": sha256.New224, "SHA-512": sha512.New} {
		r := &counting{ReaderAt: bytes.NewReader(data)}
		b := digest.New(r, ends, func() error { return nil })
		for _, i := range []int{5, 3, 1, 0, 4, 2, 5} {
			h := fresh()
			if err := b.Write(h, ends[i]); err != nil {
				t.Fatal(err)
			}
			want := fresh()
			want.Write(data[:ends[i]])
			if !bytes.Equal(h.Sum(nil), want.Sum(nil)) {
				t.Errorf("%s of %d bytes is wrong", name, ends[i])
			}
		}
		if r.read != int64(len(data)) {
			t.Errorf("%s: %d bytes read", name, r.read)
		}
	}
}

// TestDifferentInitialStates checks that hashes with different initial data are
// kept apart.
func TestDifferentInitialStates(t *testing.T) {
	t.Parallel()
	b := digest.New(bytes.NewReader([]byte("content")), nil, func() error { return nil })
	for _, start := range []string{"", "a", "b", "a"} {
		h := sha256.New()
		h.Write([]byte(start))
		if err := b.Write(h, 7); err != nil {
			t.Fatal(err)
		}
		if want := sha256.Sum256([]byte(start + "content")); !bytes.Equal(h.Sum(nil), want[:]) {
			t.Errorf("the hash after %q is wrong", start)
		}
	}
}

// TestReadingStops checks that reading ends with the error of the check or of
// the file.
func TestReadingStops(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	b := digest.New(bytes.NewReader([]byte("content")), nil, func() error { return enough })
	if err := b.Write(sha256.New(), 7); !errors.Is(err, enough) {
		t.Errorf("got error %v", err)
	}
	b = digest.New(bytes.NewReader([]byte("content")), nil, func() error { return nil })
	if err := b.Write(sha256.New(), 8); !errors.Is(err, io.EOF) {
		t.Errorf("got error %v", err)
	}
}
