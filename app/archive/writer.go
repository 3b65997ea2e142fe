package archive

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

// Writer writes the entries of an archive and records their hashes.
type Writer struct {
	tar  *tar.Writer
	at   time.Time
	sums *Spool
}

// NewWriter writes an archive to w, with a temporary file in dir. The caller must call Close at
// the end.
func NewWriter(w io.Writer, at time.Time, dir string) (*Writer, error) {
	sums, err := NewSpool(dir)
	return &Writer{tar: tar.NewWriter(w), at: at, sums: sums}, err
}

// Add writes an entry of a known size.
func (w *Writer) Add(name string, size int64, r io.Reader) error {
	hash := sha256.New()
	if err := w.raw(name, size, io.TeeReader(r, hash)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w.sums, "%x  %s\n", hash.Sum(nil), name)
	return err
}

func (w *Writer) raw(name string, size int64, r io.Reader) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: w.at.Truncate(time.Second)}
	if err := w.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.Copy(w.tar, r)
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("archive: %s: %w", name, err)
	}
	return nil
}

// AddSpool writes a spool as an entry.
func (w *Writer) AddSpool(name string, s *Spool) error {
	size, err := s.rewind()
	if err != nil {
		return err
	}
	return w.Add(name, size, s.file)
}

// Close removes the temporary file.
func (w *Writer) Close() error { return w.sums.Remove() }

// Finish writes the manifest and the end of the archive.
func (w *Writer) Finish() error {
	size, err := w.sums.rewind()
	if err != nil {
		return err
	}
	if err := w.raw(manifestEntry, size, w.sums.file); err != nil {
		return err
	}
	return w.tar.Close()
}

// Pieces splits a stream of unknown length into entries, since tar states the size of an entry
// before its content.
type Pieces struct {
	w      *Writer
	prefix string
	n      int
	buf    bytes.Buffer
}

// NewPieces names the entries by a prefix and a running number. The caller must call Flush at
// the end.
func NewPieces(w *Writer, prefix string) *Pieces { return &Pieces{w: w, prefix: prefix} }

const pieceSize = 4 << 20

// Write implements [io.Writer].
func (p *Pieces) Write(b []byte) (int, error) {
	total := len(b)
	for len(b) > 0 {
		n := min(len(b), pieceSize-p.buf.Len())
		p.buf.Write(b[:n])
		b = b[n:]
		if p.buf.Len() == pieceSize {
			if err := p.Flush(); err != nil {
				return 0, err
			}
		}
	}
	return total, nil
}

// Flush writes the rest as the last entry.
func (p *Pieces) Flush() error {
	if p.buf.Len() == 0 {
		return nil
	}
	p.n++
	err := p.w.Add(fmt.Sprintf("%s%08d", p.prefix, p.n), int64(p.buf.Len()), &p.buf)
	p.buf.Reset()
	return err
}

// Spool is a temporary file of lines, so that even a very long list takes no memory.
type Spool struct {
	file *os.File
	*bufio.Writer
}

// NewSpool creates the file in a folder.
func NewSpool(dir string) (*Spool, error) {
	f, err := os.CreateTemp(dir, "list-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return &Spool{f, bufio.NewWriter(f)}, nil
}

// rewind prepares for reading and returns the size.
func (s *Spool) rewind() (int64, error) {
	if err := s.Flush(); err != nil {
		return 0, fmt.Errorf("archive: %w", err)
	}
	info, err := s.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("archive: %w", err)
	}
	_, err = s.file.Seek(0, io.SeekStart)
	return info.Size(), err
}

// Reader returns what was written, from the beginning.
func (s *Spool) Reader() (io.Reader, error) {
	_, err := s.rewind()
	return s.file, err
}

// Remove closes and deletes the file.
func (s *Spool) Remove() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }
