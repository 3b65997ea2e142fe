// Package reader resolves the objects of a PDF file: cross-references, object
// streams, filters and encryption, within limits, without ever holding the whole
// file. It knows nothing of pages, forms or signatures.
package reader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"

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
	// Misfiled reports whether an object that was read has another generation than its cross-reference
	// says. Many readers don't find it then.
	Misfiled bool
	// Tolerated reports whether something was read that does not follow the standard, so that other readers
	// complain of it, or read it in another way.
	Tolerated bool
	// Unread reports whether an object that the file has could not be read. It counts as null then.
	Unread bool

	recorded []numbered    // entries of the section being read; nil records nothing
	inflater io.ReadCloser // see inflate
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
	return l.newFile(r, size, &Budget{}).read(nil)
}

// Extended opens the file with data appended to it, within limits of its own. What f has read
// is not read again.
func (f *File) Extended(r io.ReaderAt, size int64) (*File, error) {
	longer := f.Limits.newFile(r, size, &Budget{kept: maps.Clone(f.kept), keptEntries: f.keptEntries})
	return longer.read(f)
}

// View opens an earlier revision of the same file, within the same budget.
func (f *File) View(end int64) (*File, error) {
	older := f.Limits.newFile(f.R, end, f.Budget)
	older.password, older.secret = f.password, f.secret
	return older.read(nil)
}

func (l Limits) newFile(r io.ReaderAt, size int64, spent *Budget) *File {
	return &File{
		R: r, Size: size, Limits: l, Budget: spent,
		cache: map[int]any{}, compressed: map[int]*objectStream{}, loading: map[int]bool{},
	}
}

// read reads the cross-references and the catalog. The file begins with older, unless that is nil.
func (f *File) read(older *File) (*File, error) {
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
	if size, ok := f.Trailer.Int("Size"); !ok || size < int64(f.Xref.Top) {
		f.Tolerated = true
	}
	if older != nil {
		f.Inherit(older)
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

// Finds reports whether a reference has the generation of the object that it is to, or refers to nothing.
// This reader goes by the number alone, as some others do, while many find nothing.
func (f *File) Finds(r object.Ref) bool {
	switch e := f.Xref.Get(r.Number); e.Kind {
	case EntryPlain:
		return r.Generation == int(e.Gen)
	case EntryCompressed:
		return r.Generation == 0
	}
	return true
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
	p := newPad()
	defer p.release()
	head, err := p.read(f, 0, 1024)
	if err != nil {
		return err
	}
	switch at := bytes.Index(head, []byte("%PDF-")); {
	case at < 0:
		return ErrNotPDF
	case at > 0:
		return Damaged("%d bytes before the header", at)
	}
	f.Tolerated = !version.Match(head)
	return nil
}

// version matches the beginning of a file of a version that exists.
var version = regexp.MustCompile(`^%PDF-(1\.[0-7]|2\.0)[\s\x00]`)

// startXref finds the newest cross-reference section.
func (f *File) startXref() (int64, error) {
	const tail = 2048
	from := max(0, f.Size-tail)
	p := newPad()
	defer p.release()
	b, err := p.read(f, from, tail)
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

// syntax converts a lexer error to an error of this package.
func syntax(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooComplex) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

func (f *File) Catalog() object.Dict { return f.Dict(f.RootRef) }
func (f *File) Form() object.Dict    { return f.Dict(f.Catalog()["AcroForm"]) }
