package blob

import "encoding/hex"

// ReadAt reads the bytes written so far, before they are committed: an upload is inspected
// before any of it is kept.
func (w *Writer) ReadAt(p []byte, off int64) (int, error) {
	if w.done {
		return 0, ErrClosed
	}
	return w.file.ReadAt(p, off)
}

// Path returns the path of the file until Commit or Abort, for another process to read.
func (w *Writer) Path() string { return w.file.Name() }

// Hash returns the hash that Commit would use for the bytes written so far.
func (w *Writer) Hash() string { return hex.EncodeToString(w.hash.Sum(nil)) }

// Paths returns the paths of blobs, for another process to read; those kept elsewhere are fetched first. Their
// content is not verified here.
func (s *Store) Paths(hashes ...string) ([]string, error) {
	out := make([]string, 0, len(hashes))
	for _, h := range hashes {
		p, err := s.found(h)
		if err == nil && s.fetch != nil {
			p, err = s.stay(h, p)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
