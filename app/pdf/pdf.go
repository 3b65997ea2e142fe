// Package pdf reads, prepares, signs and examines PDF files by appending to
// them. It knows bytes and structure; certificates and CMS come in as
// functions.
//
// What callers may rely on: a file is never rewritten. Every operation reads a
// Base and gives the bytes of one incremental update (ISO 32000-2 §7.5.6) to
// append to it, so all earlier revisions, and the signatures in them, stay as
// they were. Files are read in windows, never as a whole, and the work spent
// on one is bounded by Limits: a hostile file gives ErrDamaged or
// ErrTooComplex, not a crash.
//
// Prepare makes revision 1, with everything that later revisions need. Sign,
// AddDSS and Timestamp then write only field dictionaries and new objects;
// they touch no page, catalog or AcroForm dictionary that Prepare made.
//
// A File is for one goroutine at a time.
package pdf

import (
	"errors"
	"fmt"
	"slices"
)

// Errors of reading. They come wrapped with the reason.
var (
	// ErrNotPDF says that the bytes do not claim to be a PDF.
	ErrNotPDF = errors.New("not a PDF file")
	// ErrDamaged says that the file breaks the rules so that appending to it
	// would not be safe. A repaired copy may be readable.
	ErrDamaged = errors.New("PDF file is damaged")
	// ErrNoEnd says that the file ends too early. It comes with ErrDamaged.
	ErrNoEnd = errors.New("PDF file has no end")
	// ErrEncrypted says that the file needs a password or a decrypted copy.
	ErrEncrypted = errors.New("PDF file is encrypted")
	// ErrTooComplex says that reading went over a limit.
	ErrTooComplex = errors.New("PDF file is too complex")
)

// Errors of writing. They come wrapped with the reason.
var (
	// ErrChangesForbidden says that a signature already in the file forbids
	// the change (DocMDP or FieldMDP, ISO 32000-2 §12.8.2).
	ErrChangesForbidden = errors.New("a signature in the file forbids this change")
	// ErrDynamicXFA says that the form is a dynamic XFA form, which has no pages of its own.
	ErrDynamicXFA = errors.New("dynamic XFA form")
	// ErrNoField says that there is no field of that name.
	ErrNoField = errors.New("no such field")
	// ErrFieldType says that a field cannot take that value or be used so.
	ErrFieldType = errors.New("field has another type")
	// ErrSigned says that the signature field is already signed.
	ErrSigned = errors.New("field is already signed")
	// ErrLocked says that a signature has locked the field.
	ErrLocked = errors.New("field is locked by a signature")
	// ErrTwoRoles says that an object of the file is several things at once, so
	// that to change one of them would change the others.
	ErrTwoRoles = errors.New("an object of the file has two roles")
	// ErrSpec says that what was asked for contradicts itself or the file.
	ErrSpec = errors.New("invalid request")
	// ErrTooLarge says that a signature does not fit, even at the second try.
	ErrTooLarge = errors.New("signature is larger than its place")
)

// Refused says whether an error tells of the file, or of what was asked to be
// done with it, rather than of reading, writing or signing.
func Refused(err error) bool {
	return slices.ContainsFunc([]error{
		ErrNotPDF, ErrDamaged, ErrEncrypted, ErrTooComplex, ErrDynamicXFA, ErrChangesForbidden,
		ErrNoField, ErrFieldType, ErrSigned, ErrLocked, ErrSpec, ErrTwoRoles, ErrTooLarge,
	}, func(known error) bool { return errors.Is(err, known) })
}

// Limits bounds the work that one file may cause.
type Limits struct {
	Objects      int   // indirect objects
	Pages        int   // pages
	Sections     int   // cross-reference sections
	ObjectSize   int64 // bytes of one object without stream data
	Parsed       int64 // bytes of object syntax read in all
	Inflate      int64 // bytes of one decoded stream
	InflateTotal int64 // bytes of decoded streams in all
	Cache        int64 // bytes of syntax whose objects are kept in memory
}

// DefaultLimits suits files of up to about 500 MB within 64 MB of memory.
func DefaultLimits() Limits {
	return Limits{
		Objects:      2_000_000,
		Pages:        50_000,
		Sections:     2_000,
		ObjectSize:   16 << 20,
		Parsed:       512 << 20,
		Inflate:      48 << 20,
		InflateTotal: 512 << 20,
		Cache:        4 << 20,
	}
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

func tooComplex(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTooComplex}, args...)...)
}
