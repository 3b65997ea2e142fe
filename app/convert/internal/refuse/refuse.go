// Package refuse defines the reasons for refusing a file.
package refuse

import (
	"errors"

	"paraph/app/fault"
)

var (
	// ErrTooLarge means that the file, or its unpacked content, exceeds a limit.
	ErrTooLarge = errors.New("convert: too large")
	// ErrDamaged means that the file is malformed or truncated.
	ErrDamaged = errors.New("convert: damaged")
	// ErrUnsupported means that the file is valid but uses an unsupported feature.
	ErrUnsupported = errors.New("convert: unsupported")
)

// Error is one refusal. errors.Is finds both its kind and its cause.
type Error struct {
	Kind  error     // ErrTooLarge, ErrDamaged or ErrUnsupported
	Why   fault.Arg // the exceeded limit or the feature, as the argument "why"; always for ErrTooLarge
	Cause error     // for the log, without any text of the document; may be nil
}

// Error returns the kind, followed by the reason and the cause.
func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.Why.Name != "" {
		s += ": " + e.Why.String()
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap lets errors.Is see the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// TooLarge refuses a file because of a limit, which the catalogue describes under "term.limit." and its name.
func TooLarge(limit string, args ...fault.Arg) error { return Exceeded(nil, limit, args...) }

// Exceeded is TooLarge with a cause.
func Exceeded(cause error, limit string, args ...fault.Arg) error {
	return &Error{Kind: ErrTooLarge, Why: fault.Term("why", "limit."+limit, args...), Cause: cause}
}

// Damaged refuses because the file is broken.
func Damaged(cause error) error { return &Error{Kind: ErrDamaged, Cause: cause} }

// Unsupported refuses because of an unsupported feature.
func Unsupported(feature error) error { return &Error{Kind: ErrUnsupported, Cause: feature} }

// Feature is Unsupported for a feature that the catalogue describes under "term.image." and its name.
func Feature(name string, cause error) error {
	return &Error{Kind: ErrUnsupported, Why: fault.Term("why", "image."+name), Cause: cause}
}
