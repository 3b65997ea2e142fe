package reader

import (
	"context"
	"fmt"
)

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
