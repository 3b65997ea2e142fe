package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"paraph/app/pdf/crypt"
	"paraph/app/pdf/object"
)

// Short names for the object model, which is used throughout this package.
type (
	name   = object.Name
	ref    = object.Ref
	array  = object.Array
	dict   = object.Dict
	stream = object.Stream
)

// A File is a PDF opened for reading. Its methods describe the newest revision.
type File struct {
	r      io.ReaderAt
	size   int64
	limits Limits

	xref table
	// hybrid holds the objects that readers without cross-reference streams find
	// elsewhere, with their location there; masked holds those that only newer
	// readers see, and whether the table marks them free. See hybridSection.
	hybrid   map[int]entry
	masked   map[int]bool
	sections []section // newest first
	ends     []int64   // see revisionEnds
	trailer  dict
	rootRef  ref

	cache      map[int]any
	cached     int64
	compressed map[int]*objectStream
	loading    map[int]bool
	*budget

	password  *string        // password to try on an encrypted file; nil refuses encrypted files
	secret    *crypt.Handler // set for an encrypted file that is open
	recovered bool           // see Recover

	recorded  []numbered    // entries of the section being read; nil records nothing
	scratch   []byte        // see scratchAt
	inflater  io.ReadCloser // see inflate
	pages     []Page
	fieldList []field // see fields
	groupList []field // fields with child fields
	// lostFields are in the form but can't be read; they may be signed.
	lostFields []ref
}

// A budget is the work spent on a file and on the views of its revisions.
type budget struct {
	parsed   int64
	inflated int64
	fault    error // the first limit exceeded, or the first read error; sticky
	// kept holds the cross-reference sections that were read, keptEntries the
	// total number of their entries.
	kept        map[sectionKey]keptSection
	keptEntries int
	// ctx ends work on a file that takes too long; a nil ctx never does.
	ctx context.Context
}

// stopped returns the error of the context if it has ended.
func (b *budget) stopped() error {
	if b.ctx == nil {
		return nil
	}
	return b.ctx.Err()
}

// A section is one cross-reference section.
type section struct {
	at       int64
	end      int64 // just after its trailer or stream dictionary
	trailer  dict
	isStream bool
}

// Open reads the structure of a PDF strictly, within DefaultLimits. The error
// wraps ErrNotPDF, ErrDamaged, ErrEncrypted or ErrTooComplex, or comes from r.
func Open(r io.ReaderAt, size int64) (*File, error) { return DefaultLimits().Open(r, size) }

// Open is like the function Open, within limits l.
func (l Limits) Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := l.read(r, size)
	if err != nil {
		return nil, err
	}
	if f.pages, err = f.readPages(); err != nil {
		return nil, err
	}
	return f, nil
}

// read opens a file up to the catalog, without the pages.
func (l Limits) read(r io.ReaderAt, size int64) (*File, error) {
	return l.newFile(r, size, &budget{}).read()
}

// view opens an earlier revision of the same file, within the same budget.
func (f *File) view(end int64) (*File, error) {
	older := f.limits.newFile(f.r, end, f.budget)
	older.password, older.secret = f.password, f.secret
	return older.read()
}

func (l Limits) newFile(r io.ReaderAt, size int64, spent *budget) *File {
	return &File{
		r: r, size: size, limits: l, budget: spent,
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
	root, ok := f.trailer["Root"].(ref)
	if !ok || f.dict(root) == nil {
		return f.orDamaged("no catalog")
	}
	f.rootRef = root
	return f.fault
}

// orDamaged returns the error of the limit that was exceeded, or else
// ErrDamaged with the given reason.
func (f *File) orDamaged(format string, args ...any) error {
	if f.fault != nil {
		return f.fault
	}
	return damaged(format, args...)
}

func (f *File) header() error {
	head, err := f.scratchAt(0, 1024)
	if err != nil {
		return err
	}
	switch at := bytes.Index(head, []byte("%PDF-")); {
	case at < 0:
		return ErrNotPDF
	case at > 0:
		return damaged("%d bytes before the header", at)
	}
	return nil
}

// startXref finds the newest cross-reference section.
func (f *File) startXref() (int64, error) {
	const tail = 2048
	from := max(0, f.size-tail)
	b, err := f.scratchAt(from, tail)
	if err != nil {
		return 0, err
	}
	at := bytes.LastIndex(b, []byte("startxref"))
	if at < 0 {
		return 0, fmt.Errorf("%w: %w: no startxref", ErrDamaged, ErrNoEnd)
	}
	n, ok := object.NewLexer(b, at+len("startxref")).Int()
	if !ok || n <= 0 || n >= f.size {
		return 0, damaged("startxref points outside of the file")
	}
	return n, nil
}

// bytesAt reads up to n bytes; it returns fewer only at the end of the file.
func (f *File) bytesAt(at int64, n int) ([]byte, error) {
	if at < 0 || at > f.size {
		return nil, damaged("offset %d is outside of the file", at)
	}
	return f.readInto(make([]byte, min(int64(n), f.size-at)), at)
}

// scratchAt is bytesAt with a buffer that the next call reuses.
func (f *File) scratchAt(at int64, n int) ([]byte, error) {
	if at < 0 || at > f.size {
		return nil, damaged("offset %d is outside of the file", at)
	}
	n = int(min(int64(n), f.size-at))
	if n > scratchSize {
		return f.readInto(make([]byte, n), at)
	}
	if f.scratch == nil {
		f.scratch = make([]byte, scratchSize)
	}
	return f.readInto(f.scratch[:n], at)
}

const scratchSize = 2048

func (f *File) readInto(b []byte, at int64) ([]byte, error) {
	if err := f.stop(); err != nil {
		return nil, err
	}
	if _, err := f.r.ReadAt(b, at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read PDF: %w", err)
	} else if err == io.EOF && at+int64(len(b)) < f.size {
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}

// window calls read with a lexer at offset at, over growing windows until read
// no longer reaches the end of the window. It returns the offset after the data
// read. The read function must not read other parts of the file.
func (f *File) window(at int64, read func(l *object.Lexer) error) (int64, error) {
	for size := int64(scratchSize); ; size *= 8 {
		b, err := f.scratchAt(at, int(min(size, f.limits.ObjectSize)))
		if err != nil {
			return 0, err
		}
		l := object.NewLexer(b, 0)
		err = read(l)
		if over := f.spend(int64(l.Pos())); over != nil {
			return 0, over
		}
		whole := at+int64(len(b)) >= f.size
		cut := l.AtEnd() || err == io.EOF || err == io.ErrUnexpectedEOF
		if !cut || whole {
			return at + int64(l.Pos()), syntax(err)
		}
		if size >= f.limits.ObjectSize {
			return 0, f.over("an object of more than %d bytes", f.limits.ObjectSize)
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

// spend counts bytes of syntax read against the limits.
func (f *File) spend(n int64) error {
	if err := f.stop(); err != nil {
		return err
	}
	if f.parsed += n; f.parsed > f.limits.Parsed {
		return f.over("more than %d bytes of objects", f.limits.Parsed)
	}
	return nil
}

// stop records that the context has ended, which from then on is treated like
// an exceeded limit.
func (f *File) stop() error {
	err := f.stopped()
	if err != nil && f.fault == nil {
		f.fault = fmt.Errorf("read PDF: %w", err)
	}
	return err
}

// over records that a limit was exceeded. From then on objects read as null,
// and the current operation ends with this error.
func (f *File) over(format string, args ...any) error {
	if f.fault == nil {
		f.fault = tooComplex(format, args...)
	}
	return f.fault
}

func (f *File) catalog() dict { return f.dict(f.rootRef) }
func (f *File) form() dict    { return f.dict(f.catalog()["AcroForm"]) }
