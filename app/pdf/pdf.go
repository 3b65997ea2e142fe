// Package pdf prepares and signs PDF files by appending to them. It handles bytes and structure; certificates and CMS are supplied by
// callers as functions.
//
// A file is never rewritten, except that Arrange copies pages before anything is
// appended. Every other operation reads a Base and returns the bytes
// of one incremental update (ISO 32000-2 §7.5.6) to append to it, so all earlier
// revisions, and the signatures in them, stay unchanged. Files are read in
// windows, never as a whole, and the work spent on one is bounded by Limits: a
// hostile file results in ErrDamaged or ErrTooComplex, not in a crash.
//
// Prepare makes revision 1, with everything that later revisions need. Sign,
// AddDSS and Timestamp then write only field dictionaries and new objects; they
// do not change any page, catalog or AcroForm dictionary made by Prepare.
//
// Package document reads files, and package verify examines the signatures in them.
// A File must not be used by several goroutines at the same time.
package pdf

import (
	"errors"
	"io"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Short names for the object model, which is used throughout this package.
type (
	name   = object.Name
	ref    = object.Ref
	array  = object.Array
	dict   = object.Dict
	stream = object.Stream
)

// A File is a PDF that something can be appended to or made of.
type File struct{ *document.File }

// Open reads the structure of a PDF strictly. The error wraps ErrNotPDF,
// ErrDamaged, ErrEncrypted or ErrTooComplex, or comes from r.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := document.Open(r, size)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Errors from reading. They are returned wrapped with the reason.
var (
	ErrNotPDF     = reader.ErrNotPDF
	ErrDamaged    = reader.ErrDamaged
	ErrNoEnd      = reader.ErrNoEnd
	ErrEncrypted  = reader.ErrEncrypted
	ErrPassword   = reader.ErrPassword
	ErrTooComplex = reader.ErrTooComplex
)

// Errors from writing. They are returned wrapped with the reason.
var (
	// ErrChangesForbidden indicates that a signature already in the file forbids
	// the change (DocMDP or FieldMDP, ISO 32000-2 §12.8.2).
	ErrChangesForbidden = errors.New("a signature in the file forbids this change")
	// ErrDynamicXFA indicates that the form is a dynamic XFA form, which has no pages of its own.
	ErrDynamicXFA = errors.New("dynamic XFA form")
	// ErrNoField indicates that no field has that name.
	ErrNoField = errors.New("no such field")
	// ErrFieldType indicates that a field cannot hold that value or be used that
	// way.
	ErrFieldType = errors.New("field has another type")
	// ErrSigned indicates that the signature field is already signed.
	ErrSigned = errors.New("field is already signed")
	// ErrLocked indicates that a signature has locked the field.
	ErrLocked = errors.New("field is locked by a signature")
	// ErrTwoRoles indicates that an object of the file has several roles, so
	// that changing it for one of them would affect the others.
	ErrTwoRoles = errors.New("an object of the file has two roles")
	// ErrSpec indicates that the request is inconsistent, in itself or with the
	// file.
	ErrSpec = errors.New("invalid request")
	// ErrTooLarge indicates that a signature does not fit, even on the second
	// attempt.
	ErrTooLarge = errors.New("signature is larger than its place")
)

// Refused reports whether an error concerns the file or the requested
// operation, as opposed to reading, writing or signing.
func Refused(err error) bool {
	return slices.ContainsFunc([]error{
		ErrNotPDF, ErrDamaged, ErrEncrypted, ErrTooComplex, ErrDynamicXFA, ErrChangesForbidden,
		ErrNoField, ErrFieldType, ErrSigned, ErrLocked, ErrSpec, ErrTwoRoles, ErrTooLarge,
	}, func(known error) bool { return errors.Is(err, known) })
}
