package blob

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A partial blob arrives in pieces, possibly across restarts of the process. Until it is
// complete it has a name chosen by its owner, of letters and digits.

func (s *Store) partialPath(name string) (string, error) {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return "", fmt.Errorf("%w: invalid name of a partial blob", ErrNotFound)
	}
	return filepath.Join(s.dir, partialDir, name), nil
}

// Append writes the content of r after the first offset bytes of a partial blob, replacing
// whatever followed them, and returns the new size, synced to disk. Bytes read before r failed
// are kept, so both size and err can be set. A blob shorter than offset is reported as
// ErrNotFound.
func (s *Store) Append(ctx context.Context, name string, offset int64, r io.Reader) (size int64, err error) {
	path, err := s.partialPath(name)
	if err != nil {
		return 0, err
	}
	if err := s.CheckSpace(); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return 0, fmt.Errorf("blob: partial: %w", noSpace(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < offset {
		return 0, fmt.Errorf("%w: partial blob of %d bytes", ErrNotFound, info.Size())
	}
	if err := f.Truncate(offset); err != nil {
		return 0, err
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.Copy(f, contextReader{ctx, r})
	if synced := s.sync(f); synced != nil {
		return 0, errors.Join(err, noSpace(synced))
	}
	return offset + n, noSpace(err)
}

// Resume returns a [Writer] positioned at the end of a partial blob. Commit turns it into a
// blob; Abort leaves it unchanged for another attempt.
func (s *Store) Resume(name string) (*Writer, error) {
	path, err := s.partialPath(name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: partial blob %s", ErrNotFound, name)
	}
	if err != nil {
		return nil, err
	}
	w := &Writer{store: s, file: f, hash: sha256.New(), keep: true}
	if w.size, err = io.Copy(w.hash, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w.checked = w.size
	return w, nil
}

// Discard removes a partial blob, if there is one.
func (s *Store) Discard(name string) error {
	path, err := s.partialPath(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: partial: %w", err)
	}
	return nil
}

// SweepPartial removes partial blobs that have not grown since a time.
func (s *Store) SweepPartial(before time.Time) (removed int, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, partialDir))
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return removed, err
		}
		if !info.ModTime().Before(before) {
			continue
		}
		if err := s.Discard(e.Name()); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
