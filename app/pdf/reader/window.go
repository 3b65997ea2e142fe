package reader

import (
	"fmt"
	"io"
	"sync"

	"paraph/app/pdf/object"
)

// BytesAt reads up to n bytes; it returns fewer only at the end of the file.
func (f *File) BytesAt(at int64, n int) ([]byte, error) {
	if at < 0 || at > f.Size {
		return nil, Damaged("offset %d is outside of the file", at)
	}
	return f.ReadInto(make([]byte, min(int64(n), f.Size-at)), at)
}

// A pad is a buffer with a lexer, reused for reading small parts of a file.
type pad struct {
	lexer  object.Lexer
	buffer [padSize]byte
}

// padSize is enough for nearly all objects, those with a signature included.
const padSize = 16 << 10

var pads = sync.Pool{New: func() any { return new(pad) }}

func newPad() *pad { return pads.Get().(*pad) }

func (p *pad) release() {
	p.lexer.Reset(nil)
	pads.Put(p)
}

// read is BytesAt with the buffer of the pad, which the next call reuses.
func (p *pad) read(f *File, at int64, n int) ([]byte, error) {
	if n > len(p.buffer) || at < 0 || at > f.Size {
		return f.BytesAt(at, n)
	}
	return f.ReadInto(p.buffer[:min(int64(n), f.Size-at)], at)
}

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

// firstWindow is the size of the first window, which most objects fit into.
const firstWindow = 2048

// window calls read with a lexer at offset at, over growing windows until read
// no longer reaches the end of the window. It returns the offset after the data
// read. The read function must not read other parts of the file.
func (f *File) window(at int64, read func(l *object.Lexer) error) (int64, error) {
	p := newPad()
	defer p.release()
	l := &p.lexer
	for size := int64(firstWindow); ; size *= 8 {
		b, err := p.read(f, at, int(min(size, f.Limits.ObjectSize)))
		if err != nil {
			return 0, err
		}
		l.Reset(b)
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
