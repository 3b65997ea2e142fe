package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Each calls fn for every blob, in the order of the hashes, until fn returns an error, which it
// returns. Contents are not read. Blobs added or removed meanwhile may or may not be visited.
func (s *Store) Each(fn func(Ref) error) error {
	return s.each(func(hash string, info fs.FileInfo) error {
		return fn(Ref{Hash: hash, Size: info.Size()})
	})
}

func (s *Store) each(fn func(hash string, info fs.FileInfo) error) error {
	for _, a := range hexDigits {
		for _, b := range hexDigits {
			if err := s.eachIn(filepath.Join(s.dir, string(a), string(b)), fn); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) eachIn(folder string, fn func(string, fs.FileInfo) error) error {
	entries, err := os.ReadDir(folder) // sorted by name
	if err != nil {
		return fmt.Errorf("blob: list: %w", err)
	}
	for _, e := range entries {
		if !validHash(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the folder was read
		}
		if err != nil {
			return fmt.Errorf("blob %s: %w", e.Name(), err)
		}
		if err := fn(e.Name(), info); err != nil {
			return err
		}
	}
	return nil
}

// Sweep removes the blobs that were last stored before the given time and that keep does not
// claim. It stops at keep's first error. Content that is stored again while Sweep runs counts
// as new and stays.
func (s *Store) Sweep(before time.Time, keep func(hash string) (bool, error)) (removed int, err error) {
	err = s.each(func(hash string, info fs.FileInfo) error {
		if !info.ModTime().Before(before) {
			return nil
		}
		wanted, err := keep(hash)
		if err != nil || wanted {
			return err
		}
		gone, err := s.removeOld(hash, before)
		if gone {
			removed++
		}
		return err
	})
	return removed, err
}

// removeOld checks the age again, now that no blob can be named.
func (s *Store) removeOld(hash string, before time.Time) (bool, error) {
	s.naming.Lock()
	defer s.naming.Unlock()
	if s.holds > 0 {
		return false, nil
	}
	path, err := s.path(hash)
	if err != nil {
		return false, err
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("blob %s: %w", hash, err)
	}
	if !info.ModTime().Before(before) {
		return false, nil
	}
	if err := s.Remove(hash); err != nil {
		return false, err
	}
	return true, nil
}
