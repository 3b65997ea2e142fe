package reader

import (
	"fmt"
	"io"

	"paraph/app/pdf/object"
)

// BytesAt reads up to n bytes; it returns fewer only at the end of the file.
func (f *File) BytesAt(at int64, n int) ([]byte, error) {
	if at < 0 || at > f.Size {
		return nil, Damaged("offset %d is outside of the file", at)
	}
	return f.ReadInto(make([]byte, min(int64(n), f.Size-at)), at)
}

// ScratchAt is BytesAt with a buffer that the next call reuses.
func (f *File) ScratchAt(at int64, n int) ([]byte, error) {
	if at < 0 || at > f.Size {
		return nil, Damaged("offset %d is outside of the file", at)
	}
	n = int(min(int64(n), f.Size-at))
	if n > ScratchSize {
		return f.ReadInto(make([]byte, n), at)
	}
	if f.scratch == nil {
		f.scratch = make([]byte, ScratchSize)
	}
	return f.ReadInto(f.scratch[:n], at)
}

const ScratchSize = 2048

func (f *File) ReadInto(b []byte, at int64) ([]byte, error) {
	if err := f.Stop(); err != nil {
		return nil, err
	}
	if _, err := f.R.ReadAt(b, at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read PDF: %w", err)
	} else if err == io.EOF && at+int64(len(b)) < f.Size {
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}

// window calls read with a lexer at offset at, over growing windows until read
// no longer reaches the end of the window. It returns the offset after the data
// read. The read function must not read other parts of the file.
func (f *File) window(at int64, read func(l *object.Lexer) error) (int64, error) {
	for size := int64(ScratchSize); ; size *= 8 {
		b, err := f.ScratchAt(at, int(min(size, f.Limits.ObjectSize)))
		if err != nil {
			return 0, err
		}
		l := object.NewLexer(b, 0)
		err = read(l)
		if over := f.Spend(int64(l.Pos())); over != nil {
			return 0, over
		}
		whole := at+int64(len(b)) >= f.Size
		cut := l.AtEnd() || err == io.EOF || err == io.ErrUnexpectedEOF
		if !cut || whole {
			return at + int64(l.Pos()), syntax(err)
		}
		if size >= f.Limits.ObjectSize {
			return 0, f.Over("an object of more than %d bytes", f.Limits.ObjectSize)
		}
	}
}
