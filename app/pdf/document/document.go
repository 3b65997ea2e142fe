// Package document reads what a PDF consists of: pages, fields, the revisions it
// was made in, and what its signatures restrict.
package document

import (
	"context"
	"io"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Short names for the object model, which is used throughout this package.
type (
	name  = object.Name
	ref   = object.Ref
	array = object.Array
	dict  = object.Dict
)

// A File is a PDF opened for reading. Its methods describe the newest revision.
type File struct {
	*reader.File
	pages     []Page
	ends      []int64 // see RevisionEnds
	fieldList []Field // see fields
	groupList []Field // fields with child fields
	// lostFields are in the form but can't be read; they may be signed.
	lostFields []ref
}

// Open reads the structure of a PDF strictly, within DefaultLimits. The error
// wraps ErrNotPDF, ErrDamaged, ErrEncrypted or ErrTooComplex, or comes from r.
func Open(r io.ReaderAt, size int64) (*File, error) {
	return OpenWithin(reader.DefaultLimits(), r, size)
}

// OpenWithin is Open within limits l.
func OpenWithin(l reader.Limits, r io.ReaderAt, size int64) (*File, error) {
	return withPages(reader.Open(l, r, size))
}

// OpenSecret is Open for a file that may be encrypted, with its password; an
// empty one opens the many files that anyone may read but not change. Such
// files are for reading only; all work on them ends with the context.
func OpenSecret(ctx context.Context, r io.ReaderAt, size int64, password string) (*File, error) {
	return withPages(reader.OpenSecret(ctx, r, size, password))
}

// withPages lists the pages of a file that was opened.
func withPages(r *reader.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	f := &File{File: r}
	if f.pages, err = f.readPages(); err != nil {
		return nil, err
	}
	return f, nil
}

// Recover opens a file with damaged cross-references by scanning it for
// objects; the last one of each number is used. The revisions of such a file
// cannot be distinguished, and it must not be appended to.
func Recover(ctx context.Context, r io.ReaderAt, size int64, password string) (*File, error) {
	recovered, err := reader.Recover(ctx, r, size, password)
	if err != nil {
		return nil, err
	}
	f := &File{File: recovered}
	f.pages, _ = f.readPages() // Signatures matter even if the pages can't be listed.
	return f, f.Fault
}

// View opens an earlier revision of the same file, within the same budget.
func (f *File) View(end int64) (*File, error) { return WithoutPages(f.File.View(end)) }

// WithoutPages returns a file that was opened, whose pages are not listed.
func WithoutPages(r *reader.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return &File{File: r}, nil
}
