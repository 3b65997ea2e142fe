package account

import (
	"errors"
	"time"

	"paraph/app/fault"
)

// Kind says what sort of refusal an [Error] is.
type Kind = fault.Kind

// The kinds of refusal.
const (
	KindInternal           = fault.KindInternal
	KindMalformed          = fault.KindMalformed
	KindUnauthenticated    = fault.KindUnauthenticated
	KindForbidden          = fault.KindForbidden
	KindNotFound           = fault.KindNotFound
	KindConflict           = fault.KindConflict
	KindPreconditionFailed = fault.KindPreconditionFailed
	KindTooLarge           = fault.KindTooLarge
	KindUnsupported        = fault.KindUnsupported
	KindInvalid            = fault.KindInvalid
	KindThrottled          = fault.KindThrottled
	KindUnavailable        = fault.KindUnavailable
	KindNoSpace            = fault.KindNoSpace
)

// Error is how the heart refuses: a kind for the doors, a code for programs, a
// sentence for people, and a cause for the log that nobody outside sees.
type Error struct {
	Kind    Kind
	Code    string              // stable machine word, such as "document_not_draft"
	Message string              // a sentence that may be shown to anybody
	Fields  map[string][]string // dotted field → messages; only for KindInvalid

	// RetryAfter is how long to wait, Limit how many are allowed in a window;
	// both only for KindThrottled.
	RetryAfter time.Duration
	Limit      int

	cause error
}

// Sentinels for errors.Is. They match any *Error of their kind; a sentinel with
// a Code would match that code only.
var (
	ErrUnauthenticated error = &Error{Kind: KindUnauthenticated}
	ErrForbidden       error = &Error{Kind: KindForbidden}
	ErrNotFound        error = &Error{Kind: KindNotFound}
	ErrConflict        error = &Error{Kind: KindConflict}
	ErrInvalid         error = &Error{Kind: KindInvalid}
	ErrThrottled       error = &Error{Kind: KindThrottled}
)

// Error is the message and the cause, for logs. People see Message alone.
func (e *Error) Error() string {
	text := e.Message
	if text == "" {
		text = e.Kind.String()
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap gives the cause, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same kind and, if target names
// a code, of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && (t.Code == "" || t.Code == e.Code)
}

// Because returns a copy of e that carries its cause for the log.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// KindOf gives the kind of err, KindInternal if it is not an *Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// CodeOf gives the machine word of err, "" if it is not an *Error.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// NotFound says that no such record exists for whoever asks; what is a noun
// such as "document".
func NotFound(what string) *Error {
	return &Error{Kind: KindNotFound, Code: "not_found", Message: "The " + what + " was not found."}
}

// Forbidden says that the role or scope does not allow this.
func Forbidden(code, message string) *Error {
	return &Error{Kind: KindForbidden, Code: code, Message: message}
}

// Conflict says that the state of the record does not allow this.
func Conflict(code, message string) *Error {
	return &Error{Kind: KindConflict, Code: code, Message: message}
}

// Malformed says that the input is not what it claims to be.
func Malformed(message string) *Error {
	return &Error{Kind: KindMalformed, Code: "malformed", Message: message}
}

// Invalid is the refusal of one field. Use [Faults] where there may be several.
func Invalid(field, message string) *Error {
	return &Error{
		Kind: KindInvalid, Code: "invalid", Message: "The given data was invalid.",
		Fields: map[string][]string{field: {message}},
	}
}

// Unauthenticated says that nobody known asks, and nothing more.
func Unauthenticated() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "unauthenticated", Message: "Unauthenticated."}
}

// Throttled says that something was tried more than limit times in its window
// and may be tried again after the given wait.
func Throttled(limit int, retryAfter time.Duration) *Error {
	return &Error{
		Kind: KindThrottled, Code: "throttled", Message: "Too Many Requests",
		Limit: limit, RetryAfter: retryAfter,
	}
}

// TooLarge says that something is over a limit; the message names the limit.
func TooLarge(code, message string) *Error {
	return &Error{Kind: KindTooLarge, Code: code, Message: message}
}

// Unsupported says that a file type is not accepted; the message names what is.
func Unsupported(code, message string) *Error {
	return &Error{Kind: KindUnsupported, Code: code, Message: message}
}

// PreconditionFailed says that the record is no longer the one the caller saw.
func PreconditionFailed() *Error {
	return &Error{
		Kind: KindPreconditionFailed, Code: "precondition_failed",
		Message: "The record was changed in the meantime. Read it again and repeat the change.",
	}
}

// NoSpace says that nothing was written because the disk is full or below its
// reserve.
func NoSpace() *Error {
	return &Error{
		Kind: KindNoSpace, Code: "no_space",
		Message: "There is not enough disk space. Nothing was changed; try again when there is room.",
	}
}

// Unavailable says that this cannot be done now but may be later.
func Unavailable(code, message string) *Error {
	return &Error{Kind: KindUnavailable, Code: code, Message: message}
}
