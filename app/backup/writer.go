package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// writer writes the entries of an archive and records their hashes.
type writer struct {
	tar  *tar.Writer
	at   time.Time
	sums *spool
}

func newWriter(w io.Writer, at time.Time, dir string) (*writer, error) {
	sums, err := newSpool(dir)
	return &writer{tar: tar.NewWriter(w), at: at, sums: sums}, err
}

// add writes an entry of a known size.
func (w *writer) add(name string, size int64, r io.Reader) error {
	hash := sha256.New()
	if err := w.raw(name, size, io.TeeReader(r, hash)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w.sums, "%x  %s\n", hash.Sum(nil), name)
	return err
}

func (w *writer) raw(name string, size int64, r io.Reader) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at.Truncate(time.Second)}
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.Copy(w.tar, r)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("backup: %s: %w", name, err)
	}
	return nil
}

// addSpool writes a spool as an entry.
func (w *writer) addSpool(name string, s *spool) error {
	size, err := s.rewind()
	if err != nil {
		return err
	}
	return w.add(name, size, s.file)
}

// finish writes the manifest and the end of the archive.
func (w *writer) finish() error {
	size, err := w.sums.rewind()
	if err != nil {
		return err
	}
	if err := w.raw(manifestEntry, size, w.sums.file); err != nil {
		return err
	}
	return w.tar.Close()
}

// pieces splits a stream of unknown length into entries, since tar states the
// size of an entry before its content.
type pieces struct {
	w   *writer
	n   int
	buf bytes.Buffer
}

const pieceSize = 4 << 20

func (p *pieces) Write(b []byte) (int, error) {
	total := len(b)
	for len(b) > 0 {
		n := min(len(b), pieceSize-p.buf.Len())
		p.buf.Write(b[:n])
		b = b[n:]
		if p.buf.Len() == pieceSize {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	return total, nil
}

func (p *pieces) flush() error {
	if p.buf.Len() == 0 {
		return nil
	}
	p.n++
	err := p.w.add(fmt.Sprintf("%s%08d", recordsPrefix, p.n), int64(p.buf.Len()), &p.buf)
	p.buf.Reset()
	return err
}

// spool is a temporary file of lines, so that even a very long list takes no
// memory.
type spool struct {
	file *os.File
	*bufio.Writer
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "list-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("backup: %w", err)
	}
	return &spool{f, bufio.NewWriter(f)}, nil
}

// rewind prepares for reading and returns the size.
func (s *spool) rewind() (int64, error) {
	if err := s.Flush(); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	info, err := s.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	_, err = s.file.Seek(0, io.SeekStart)
	return info.Size(), err
}

// remove closes and deletes the file.
func (s *spool) remove() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
