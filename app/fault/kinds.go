package fault

import "time"

// NotFound says that no such record exists for the caller; record is a noun such
// as "document".
func NotFound(record string) *Error {
	return &Error{Kind: KindNotFound, Code: Code("not_found." + record)}
}

// Forbidden says that the role or scope does not allow this.
func Forbidden(code Code, args ...Arg) *Error {
	return &Error{Kind: KindForbidden, Code: code, Args: args}
}

// Conflict says that the state of the record does not allow this.
func Conflict(code Code, args ...Arg) *Error {
	return &Error{Kind: KindConflict, Code: code, Args: args}
}

// Malformed says that the input is not what it claims to be.
func Malformed(code Code, args ...Arg) *Error {
	return &Error{Kind: KindMalformed, Code: code, Args: args}
}

// Unauthenticated says that the caller is not known, and nothing more.
func Unauthenticated() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "unauthenticated"}
}

// Throttled says that something was tried more than limit times in its window
// and may be tried again after the given wait.
func Throttled(limit int, retryAfter time.Duration) *Error {
	return &Error{Kind: KindThrottled, Code: CodeThrottled, Limit: limit, RetryAfter: retryAfter}
}

// CodeThrottled is the code of every refusal by rate that has none of its own.
const CodeThrottled Code = "throttled"

// Exhausted says that what is allowed in a day, or another long time, is used up,
// and which it is.
func Exhausted(code Code, limit int, retryAfter time.Duration) *Error {
	e := Throttled(limit, retryAfter)
	e.Code = code
	return e
}

// TooLarge says that something is over a limit, which an argument names.
func TooLarge(code Code, args ...Arg) *Error {
	return &Error{Kind: KindTooLarge, Code: code, Args: args}
}

// Unsupported says that a file type is not accepted.
func Unsupported(code Code, args ...Arg) *Error {
	return &Error{Kind: KindUnsupported, Code: code, Args: args}
}

// PreconditionFailed says that the record is no longer the one the caller saw.
func PreconditionFailed() *Error {
	return &Error{Kind: KindPreconditionFailed, Code: "precondition_failed"}
}

// NoSpace says that nothing was written because the disk is full or below its
// reserve.
func NoSpace() *Error { return &Error{Kind: KindNoSpace, Code: "no_space"} }

// Unavailable says that this cannot be done now but may be later.
func Unavailable(code Code, args ...Arg) *Error {
	return &Error{Kind: KindUnavailable, Code: code, Args: args}
}

// Invalid is the refusal of one field. Use [Fields] where there may be several.
func Invalid(field string, code Code, args ...Arg) *Error {
	var f Fields
	f.Add(field, code, args...)
	return f.refusal()
}
