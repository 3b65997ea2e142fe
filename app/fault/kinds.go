package fault

import "time"

// NotFound returns the error for a record that does not exist for the caller;
// record is a noun such as "document".
func NotFound(record string) *Error {
	return &Error{Kind: KindNotFound, Code: Code("not_found." + record)}
}

// Forbidden returns the error for a role or scope that does not allow the request.
func Forbidden(code Code, args ...Arg) *Error {
	return &Error{Kind: KindForbidden, Code: code, Args: args}
}

// Conflict returns the error for a record whose state does not allow the request.
func Conflict(code Code, args ...Arg) *Error {
	return &Error{Kind: KindConflict, Code: code, Args: args}
}

// Malformed returns the error for input that is not what it claims to be.
func Malformed(code Code, args ...Arg) *Error {
	return &Error{Kind: KindMalformed, Code: code, Args: args}
}

// Unauthenticated returns the error for an unknown caller, without any details.
func Unauthenticated() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "unauthenticated"}
}

// NotAccepted is Unauthenticated with the reason as its code: token_missing, token_expired,
// token_invalid or credentials_wrong. All have the same sentence.
func NotAccepted(code Code) *Error { return &Error{Kind: KindUnauthenticated, Code: code} }

// Throttled returns the error for an action tried more than limit times in its window; it may
// be retried after retryAfter.
func Throttled(limit int, retryAfter time.Duration) *Error {
	return &Error{Kind: KindThrottled, Code: CodeThrottled, Limit: limit, RetryAfter: retryAfter}
}

// CodeThrottled is the code of every rate limit without a code of its own.
const CodeThrottled Code = "throttled"

// Exhausted returns the error for a used-up allowance of a day, or another long period; the
// code names it.
func Exhausted(code Code, limit int, retryAfter time.Duration) *Error {
	e := Throttled(limit, retryAfter)
	e.Code = code
	return e
}

// TooLarge returns the error for a value over a limit, which is one of the arguments.
func TooLarge(code Code, args ...Arg) *Error {
	return &Error{Kind: KindTooLarge, Code: code, Args: args}
}

// Unsupported returns the error for a file type that is not accepted.
func Unsupported(code Code, args ...Arg) *Error {
	return &Error{Kind: KindUnsupported, Code: code, Args: args}
}

// PreconditionFailed returns the error for a record that has changed since the caller saw it.
func PreconditionFailed() *Error {
	return &Error{Kind: KindPreconditionFailed, Code: "precondition_failed"}
}

// NoSpace returns the error for a write refused because the disk is full or below its reserve.
func NoSpace() *Error { return &Error{Kind: KindNoSpace, Code: "no_space"} }

// Unavailable returns the error for a request that cannot be served now but may be later.
func Unavailable(code Code, args ...Arg) *Error {
	return &Error{Kind: KindUnavailable, Code: code, Args: args}
}

// Invalid returns the error for one faulty field. Use [Fields] if there may be several.
func Invalid(field string, code Code, args ...Arg) *Error {
	var f Fields
	f.Add(field, code, args...)
	return f.refusal()
}
