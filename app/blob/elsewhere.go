package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// bring fetches a blob into the folder, where it stays until it is evicted. Callers that ask for the same blob
// at the same time share the transfer.
func (s *Store) bring(hash string) error {
	_, err, _ := s.fetching.Do(hash, func() (any, error) { return nil, s.bringOne(hash) })
	return err
}

func (s *Store) bringOne(hash string) (err error) {
	from, err := s.fetch(hash)
	if err != nil {
		return fmt.Errorf("blob %s: %w", hash, err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	w, err := s.Create()
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, from); err != nil {
		return errors.Join(fmt.Errorf("blob %s: %w", hash, err), w.Abort())
	}
	if w.Hash() != hash {
		s.log.Error("blob: what was fetched does not match its hash", "hash", hash)
		return errors.Join(fmt.Errorf("blob %s: %w", hash, ErrCorrupt), w.Abort())
	}
	_, err = w.Commit()
	return err
}

// touchedAfter is the age at which a blob that another process is about to read is dated anew, so that it is
// not evicted before it is opened.
const touchedAfter = time.Hour

// stay makes sure that a blob is in the folder and is not evicted soon, and returns its path.
func (s *Store) stay(hash, path string) (string, error) {
	here, err := s.touch(path)
	if err != nil {
		return "", fmt.Errorf("blob %s: %w", hash, err)
	}
	if here {
		return path, nil
	}
	if err := s.bring(hash); err != nil && !errors.Is(err, ErrNotFound) { // the reader finds that out
		return "", err
	}
	return s.found(hash)
}

// touch dates a blob anew if it could be evicted, and reports whether it is there.
func (s *Store) touch(path string) (here bool, err error) {
	s.naming.Lock()
	defer s.naming.Unlock()
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	now := s.now()
	if err != nil || !s.evicts || now.Sub(info.ModTime()) < touchedAfter {
		return true, err
	}
	return true, os.Chtimes(path, now, now)
}

// Evict removes a blob that is kept elsewhere, unless it was stored, fetched or handed to another process at or
// after the given time, or a backup runs. It reports whether the blob is gone.
func (s *Store) Evict(hash string, before time.Time) (bool, error) { return s.removeOld(hash, before) }
