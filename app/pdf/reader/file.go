// Package reader resolves the objects of a PDF file: cross-references, object
// streams, filters and encryption, within limits, without ever holding the whole
// file. It knows nothing of pages, forms or signatures.
package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"paraph/app/pdf/crypt"
	"paraph/app/pdf/object"
)

// A File is a PDF whose objects can be resolved. Its methods describe the newest revision.
type File struct {
	R      io.ReaderAt
	Size   int64
	Limits Limits

	Xref Table
	// Hybrid holds the objects that readers without cross-reference streams find
	// elsewhere, with their locations there; masked holds those that only newer
	// readers see, and whether the table marks them free. See hybridSection.
	Hybrid   map[int]Entry
	masked   map[int]bool
	Sections []Section // newest first
	Trailer  object.Dict
	RootRef  object.Ref

	cache      map[int]any
	cached     int64
	compressed map[int]*objectStream
	loading    map[int]bool
	*Budget

	password *string        // password to try on an encrypted file; nil refuses encrypted files
	secret   *crypt.Handler // set for an encrypted file that is open
	Scanned  bool           // see Recover

	recorded []numbered    // entries of the section being read; nil records nothing
	scratch  []byte        // see scratchAt
	inflater io.ReadCloser // see inflate
}

// A Budget is the work spent on a file and on the views of its revisions.
type Budget struct {
	parsed   int64
	inflated int64
	Fault    error // the first limit exceeded, or the first read error; sticky
	// kept holds the cross-reference sections that were read, keptEntries the
	// total number of their entries.
	kept        map[sectionKey]keptSection
	keptEntries int
	// ctx ends work on a file that takes too long; a nil ctx never does.
	ctx context.Context
}

// Stopped returns the error of the context if it has ended.
func (b *Budget) Stopped() error {
	if b.ctx == nil {
		return nil
	}
	return b.ctx.Err()
}

// A Section is one cross-reference section.
type Section struct {
	At       int64
	End      int64 // just after its trailer or stream dictionary
	trailer  object.Dict
	IsStream bool
}

// Open opens a file up to the catalog, within limits l.
func Open(l Limits, r io.ReaderAt, size int64) (*File, error) {
	return l.newFile(r, size, &Budget{}).read()
}

// View opens an earlier revision of the same file, within the same budget.
func (f *File) View(end int64) (*File, error) {
	older := f.Limits.newFile(f.R, end, f.Budget)
	older.password, older.secret = f.password, f.secret
	return older.read()
}

func (l Limits) newFile(r io.ReaderAt, size int64, spent *Budget) *File {
	return &File{
		R: r, Size: size, Limits: l, Budget: spent,
		cache: map[int]any{}, compressed: map[int]*objectStream{}, loading: map[int]bool{},
	}
}

func (f *File) read() (*File, error) {
	if err := f.header(); err != nil {
		return nil, err
	}
	start, err := f.startXref()
	if err != nil {
		return nil, err
	}
	if err := f.readSections(start); err != nil {
		return nil, err
	}
	return f, f.findCatalog()
}

// findCatalog finds the catalog of a file whose cross-references have been
// read, after decrypting it if necessary.
func (f *File) findCatalog() error {
	if err := f.unlock(); err != nil {
		return err
	}
	root, ok := f.Trailer["Root"].(object.Ref)
	if !ok || f.Dict(root) == nil {
		return f.OrDamaged("no catalog")
	}
	f.RootRef = root
	return f.Fault
}

// OrDamaged returns the error of the limit that was exceeded, or else
// ErrDamaged with the given reason.
func (f *File) OrDamaged(format string, args ...any) error {
	if f.Fault != nil {
		return f.Fault
	}
	return Damaged(format, args...)
}

func (f *File) header() error {
	head, err := f.ScratchAt(0, 1024)
	if err != nil {
		return err
	}
	switch at := bytes.Index(head, []byte("%PDF-")); {
	case at < 0:
		return ErrNotPDF
	case at > 0:
		return Damaged("%d bytes before the header", at)
	}
	return nil
}

// startXref finds the newest cross-reference section.
func (f *File) startXref() (int64, error) {
	const tail = 2048
	from := max(0, f.Size-tail)
	b, err := f.ScratchAt(from, tail)
	if err != nil {
		return 0, err
	}
	at := bytes.LastIndex(b, []byte("startxref"))
	if at < 0 {
		return 0, fmt.Errorf("%w: %w: no startxref", ErrDamaged, ErrNoEnd)
	}
	n, ok := object.NewLexer(b, at+len("startxref")).Int()
	if !ok || n <= 0 || n >= f.Size {
		return 0, Damaged("startxref points outside of the file")
	}
	return n, nil
}

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

// syntax converts a lexer error to an error of this package.
func syntax(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooComplex) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// Spend counts bytes of syntax read against the limits.
func (f *File) Spend(n int64) error {
	if err := f.Stop(); err != nil {
		return err
	}
	if f.parsed += n; f.parsed > f.Limits.Parsed {
		return f.Over("more than %d bytes of objects", f.Limits.Parsed)
	}
	return nil
}

// Stop records that the context has ended, which from then on is treated like
// an exceeded limit.
func (f *File) Stop() error {
	err := f.Stopped()
	if err != nil && f.Fault == nil {
		f.Fault = fmt.Errorf("read PDF: %w", err)
	}
	return err
}

// Over records that a limit was exceeded. From then on objects read as null,
// and the current operation ends with this error.
func (f *File) Over(format string, args ...any) error {
	if f.Fault == nil {
		f.Fault = TooComplex(format, args...)
	}
	return f.Fault
}

func (f *File) Catalog() object.Dict { return f.Dict(f.RootRef) }
func (f *File) Form() object.Dict    { return f.Dict(f.Catalog()["AcroForm"]) }
