package pdfium

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
)

// source reads pieces on disk as one file, through a few cached blocks: PDFium
// reads 512 bytes at a time.
type source struct {
	files  []*os.File
	starts []int64 // offset of each piece in the whole
	size   int64
	blocks [16]block
}

type block struct {
	number int64 // counted from 1; 0 means empty
	data   []byte
}

const blockBytes = 64 << 10

func openSource(paths []string) (*source, error) {
	s := &source{}
	for _, path := range paths {
		f, err := openRegular(path)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.files = append(s.files, f)
		s.starts = append(s.starts, s.size)
		st, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.size += st.Size()
		if s.size > MaxFileBytes {
			return nil, errors.Join(fmt.Errorf("%w: file over %d bytes", ErrTooLarge, int64(MaxFileBytes)), s.close())
		}
	}
	if s.size == 0 {
		return nil, errors.Join(fmt.Errorf("%w: empty", ErrDamaged), s.close())
	}
	return s, nil
}

// openRegular opens a regular file; reading from a pipe might never end.
func openRegular(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return os.Open(path)
}

func (s *source) close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// ReadAt implements io.ReaderAt.
func (s *source) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(b)) > s.size {
		return 0, io.ErrUnexpectedEOF
	}
	if len(b) >= blockBytes {
		return s.read(b, off)
	}
	for n := 0; n < len(b); {
		blk, err := s.block((off + int64(n)) / blockBytes)
		if err != nil {
			return n, err
		}
		n += copy(b[n:], blk[(off+int64(n))%blockBytes:])
	}
	return len(b), nil
}

func (s *source) block(number int64) ([]byte, error) {
	c := &s.blocks[number%int64(len(s.blocks))]
	if c.number == number+1 {
		return c.data, nil
	}
	if c.data == nil {
		c.data = make([]byte, blockBytes)
	}
	c.number = 0
	c.data = c.data[:min(blockBytes, s.size-number*blockBytes)]
	if _, err := s.read(c.data, number*blockBytes); err != nil {
		return nil, err
	}
	c.number = number + 1
	return c.data, nil
}

// read fills b from off directly from the pieces.
func (s *source) read(b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		at := off + int64(n)
		k := sort.Search(len(s.starts), func(k int) bool { return s.starts[k] > at }) - 1
		end := s.size
		if k+1 < len(s.starts) {
			end = s.starts[k+1]
		}
		part := b[n:min(int64(len(b)), int64(n)+end-at)]
		m, err := s.files[k].ReadAt(part, at-s.starts[k])
		n += m
		if m < len(part) {
			return n, err
		}
	}
	return n, nil
}
