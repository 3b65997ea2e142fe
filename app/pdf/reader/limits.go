package reader

import (
	"errors"
	"fmt"
)

// Errors from reading. They are returned wrapped with the reason.
var (
	// ErrNotPDF indicates that the data does not claim to be a PDF.
	ErrNotPDF = errors.New("not a PDF file")
	// ErrDamaged indicates that the file violates the format so that appending
	// to it would not be safe. A repaired copy may be readable.
	ErrDamaged = errors.New("PDF file is damaged")
	// ErrNoEnd indicates that the file is truncated. It accompanies ErrDamaged.
	ErrNoEnd = errors.New("PDF file has no end")
	// ErrEncrypted indicates that the file needs a password or a decrypted copy.
	ErrEncrypted = errors.New("PDF file is encrypted")
	// ErrTooComplex indicates that reading exceeded a limit.
	ErrTooComplex = errors.New("PDF file is too complex")
	// ErrPassword indicates that an encrypted file needs a different password from
	// the one tried. It accompanies ErrEncrypted.
	ErrPassword = errors.New("password needed")
)

// Limits bounds the work that one file may cause.
type Limits struct {
	Objects      int   // indirect objects
	Pages        int   // pages
	Sections     int   // cross-reference sections
	ObjectSize   int64 // bytes of one object without stream data
	Parsed       int64 // total bytes of object syntax read
	Inflate      int64 // bytes of one decoded stream
	InflateTotal int64 // total bytes of decoded streams
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

func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

func TooComplex(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTooComplex}, args...)...)
}
