package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
)

// File reads a blob, or several in sequence. ReadAt is safe for concurrent use; Read and Seek
// share one position.
type File struct {
	parts []part
	size  int64
	pos   int64
	state []byte // see HashState
}

// part is one blob of a File and its offset in it.
type part struct {
	file  *os.File
	start int64
	size  int64
}

// Open reads the whole blob, compares it with its hash, and returns the very file it has read,
// or else ErrNotFound or ErrCorrupt. Damage is also logged.
func (s *Store) Open(hash string) (*File, error) { return s.Concat(hash) }

// Concat opens several blobs as one file, in the given order, each verified as by Open. A blob
// may occur more than once.
func (s *Store) Concat(hashes ...string) (*File, error) {
	f := new(File)
	for _, hash := range hashes {
		opened, size, state, err := s.openPart(hash)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if len(hashes) == 1 {
			f.state = state
		}
		f.parts = append(f.parts, part{file: opened, start: f.size, size: size})
		f.size += size
	}
	return f, nil
}

// openPart opens and verifies one blob, which is fetched if it is kept elsewhere and missing or damaged here. It
// also returns the state of the hash over it.
func (s *Store) openPart(hash string) (f *os.File, size int64, state []byte, err error) {
	f, size, state, err = s.openHere(hash)
	if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrCorrupt) || s.fetch == nil {
		return f, size, state, err
	}
	switch failed := s.bring(hash); {
	case errors.Is(failed, ErrNotFound): // it is nowhere else
		return nil, 0, nil, err
	case failed != nil:
		return nil, 0, nil, failed
	}
	return s.openHere(hash)
}

// openHere opens and verifies one blob of the folder.
func (s *Store) openHere(hash string) (f *os.File, size int64, state []byte, err error) {
	path, err := s.found(hash)
	if err != nil {
		return nil, 0, nil, err
	}
	f, err = os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, nil, fmt.Errorf("blob %s: %w", hash, ErrNotFound)
	case err != nil:
		return nil, 0, nil, fmt.Errorf("blob %s: %w", hash, err)
	}
	if size, state, err = s.verify(f, hash); err != nil {
		return nil, 0, nil, errors.Join(err, f.Close())
	}
	return f, size, state, nil
}

// verify reads the whole file and logs an error if it does not match its hash.
func (s *Store) verify(f *os.File, hash string) (size int64, state []byte, err error) {
	got, size, state, err := sum(f)
	switch {
	case err != nil:
		s.log.Error("blob: cannot read", "hash", hash, "error", err)
		return 0, nil, fmt.Errorf("blob %s: read: %w", hash, err)
	case got != hash:
		s.log.Error("blob: damaged on disk", "hash", hash, "content", got, "size", size)
		return 0, nil, fmt.Errorf("blob %s: %w", hash, ErrCorrupt)
	}
	return size, state, nil
}

// Size returns the length in bytes.
func (f *File) Size() int64 { return f.size }

// HashState returns the state (encoding.BinaryMarshaler) of the SHA-256 over the file as it was
// read when it was verified, to go on from without reading it again. It is nil for several blobs.
func (f *File) HashState() []byte { return f.state }

// ReadAt reads at an offset, across the parts.
func (f *File) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("blob: read at %d: %w", off, fs.ErrInvalid)
	}
	first := sort.Search(len(f.parts), func(i int) bool {
		return f.parts[i].start+f.parts[i].size > off
	})
	for _, part := range f.parts[first:] {
		if n == len(p) {
			return n, nil
		}
		at := off + int64(n) - part.start
		want := int(min(int64(len(p)-n), part.size-at))
		got, err := part.file.ReadAt(p[n:n+want], at)
		n += got
		if got < want {
			return n, shortRead(err)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// shortRead keeps a file truncated while in use from looking like the proper end of the blob.
func shortRead(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w", ErrCorrupt, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("blob: read: %w", err)
}

// Read reads from the current position.
func (f *File) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) && !errors.Is(err, ErrCorrupt) {
		err = nil
	}
	return n, err
}

// Seek moves the position; see io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		offset += f.size
	default:
		return 0, fmt.Errorf("blob: seek whence %d: %w", whence, fs.ErrInvalid)
	}
	if offset < 0 {
		return 0, fmt.Errorf("blob: seek to %d: %w", offset, fs.ErrInvalid)
	}
	f.pos = offset
	return offset, nil
}

// Close closes all parts.
func (f *File) Close() error {
	var errs []error
	for _, part := range f.parts {
		errs = append(errs, part.file.Close())
	}
	return errors.Join(errs...)
}
