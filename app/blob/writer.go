package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// Writer receives the bytes of a new blob. It must not be used concurrently. Either Commit or
// Abort must be called, or the file stays until the next Open.
type Writer struct {
	store   *Store
	file    *os.File
	hash    hash.Hash
	size    int64
	checked int64 // size at the last check of the free space
	err     error // the first failure; all later calls return it
	done    bool
	keep    bool // Abort leaves the file in place
}

// Create starts a blob. It returns ErrNoSpace if the reserve is not free.
func (s *Store) Create() (*Writer, error) {
	if err := s.CheckSpace(); err != nil {
		return nil, err
	}
	// CreateTemp opens with O_EXCL and a random name.
	f, err := os.CreateTemp(filepath.Join(s.dir, tempDir), "blob-*")
	if err != nil {
		return nil, fmt.Errorf("blob: create: %w", noSpace(err))
	}
	return &Writer{store: s, file: f, hash: sha256.New()}, nil
}

// Write appends to the blob. After an error the blob can only be aborted.
func (w *Writer) Write(p []byte) (int, error) {
	if w.done {
		return 0, ErrClosed
	}
	if w.err != nil {
		return 0, w.err
	}
	if w.size-w.checked >= spaceEvery {
		w.checked = w.size
		if w.err = w.store.CheckSpace(); w.err != nil {
			return 0, w.err
		}
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	w.hash.Write(p[:n])
	if err != nil {
		w.err = fmt.Errorf("blob: write: %w", noSpace(err))
	}
	return n, w.err
}

// ReadFrom appends everything that r reads. io.Copy uses it.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	buffer := buffers.Get().(*[128 << 10]byte)
	defer buffers.Put(buffer)
	return io.CopyBuffer(onlyWriter{w}, onlyReader{r}, buffer[:])
}

// onlyWriter hides ReadFrom.
type onlyWriter struct{ io.Writer }

// Size returns how many bytes were written so far.
func (w *Writer) Size() int64 { return w.size }

// Commit puts the blob on disk under its hash: file synced, renamed, folder synced. If it
// fails, nothing remains. A second Commit returns ErrClosed.
func (w *Writer) Commit() (Ref, error) {
	if w.done {
		return Ref{}, ErrClosed
	}
	if w.err != nil {
		return Ref{}, errors.Join(w.err, w.Abort())
	}
	w.done = true
	ref := Ref{Hash: hex.EncodeToString(w.hash.Sum(nil)), Size: w.size}
	if err := w.finish(ref); err != nil {
		return Ref{}, errors.Join(fmt.Errorf("blob: commit: %w", noSpace(err)), w.discard())
	}
	return ref, nil
}

// finish names the file. The rename replaces any blob with the same content, which renews its
// age and repairs it if it is damaged.
func (w *Writer) finish(ref Ref) error {
	path, err := w.store.path(ref.Hash)
	if err != nil {
		return err
	}
	now := w.store.now()
	if err := os.Chtimes(w.file.Name(), now, now); err != nil {
		return err
	}
	if err := errors.Join(w.store.sync(w.file), w.file.Close()); err != nil {
		return err
	}
	if err := w.store.rename(w.file.Name(), path); err != nil {
		return err
	}
	return w.store.syncDir(filepath.Dir(path))
}

func (s *Store) rename(from, to string) error {
	s.naming.Lock()
	defer s.naming.Unlock()
	return os.Rename(from, to)
}

// Abort discards the written bytes. After Commit it does nothing, so it can be deferred.
func (w *Writer) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	return w.discard()
}

func (w *Writer) discard() error {
	// Commit may have closed or renamed the file already.
	closed := w.file.Close()
	if errors.Is(closed, os.ErrClosed) {
		closed = nil
	}
	if w.keep {
		return closed
	}
	removed := os.Remove(w.file.Name())
	if errors.Is(removed, os.ErrNotExist) {
		removed = nil
	}
	return errors.Join(closed, removed)
}
