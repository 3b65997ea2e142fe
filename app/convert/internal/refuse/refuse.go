// Package refuse defines the reasons for refusing a file, with a sentence to
// show to people.
package refuse

import (
	"errors"
	"fmt"
)

var (
	// ErrTooLarge: the file, or what it unpacks to, is beyond a limit.
	ErrTooLarge = errors.New("convert: too large")
	// ErrDamaged: the file is malformed, or ends too early.
	ErrDamaged = errors.New("convert: damaged")
	// ErrUnsupported: the file is valid but uses an unsupported feature.
	ErrUnsupported = errors.New("convert: unsupported")
)

// Error is one refusal: which kind, why in a sentence, and the cause if
// something below reported one. errors.Is finds both Kind and Cause.
type Error struct {
	Kind     error  // ErrTooLarge, ErrDamaged or ErrUnsupported
	Sentence string // for people; names the limit or the fault, holds no text of the document
	Cause    error  // may be nil; for the log
}

// Error returns the sentence, followed by the cause.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Sentence
	}
	return e.Sentence + " (" + e.Cause.Error() + ")"
}

// Unwrap lets errors.Is see the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// TooLarge refuses because of a limit that the sentence names.
func TooLarge(format string, args ...any) error {
	return &Error{Kind: ErrTooLarge, Sentence: fmt.Sprintf(format, args...)}
}

// Damaged refuses because the file is broken.
func Damaged(cause error, format string, args ...any) error {
	return &Error{Kind: ErrDamaged, Sentence: fmt.Sprintf(format, args...), Cause: cause}
}

// Unsupported refuses because of a feature that the sentence names.
func Unsupported(cause error, format string, args ...any) error {
	return &Error{Kind: ErrUnsupported, Sentence: fmt.Sprintf(format, args...), Cause: cause}
}

// Because is TooLarge with a cause.
func Because(cause error, format string, args ...any) error {
	return &Error{Kind: ErrTooLarge, Sentence: fmt.Sprintf(format, args...), Cause: cause}
}
