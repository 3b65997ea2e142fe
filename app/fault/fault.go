// Package fault defines the errors with which the domain refuses a request: a kind for the
// handlers, a stable code for programs, and arguments for the sentence that people read. The
// sentences themselves are in the catalogue, under "fault." and the code.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is the category of an [Error]. Handlers map a kind to a status; any error
// that is not an *Error is [KindInternal] and is never shown.
type Kind uint8

// The kinds of errors, each with its HTTP status.
const (
	KindInternal           Kind = iota // a failure on our side (500)
	KindMalformed                      // the input is not what it claims to be (400)
	KindUnauthenticated                // the caller is unknown
	KindForbidden                      // the role or scope does not allow it (403)
	KindNotFound                       // no such record for this caller (404)
	KindConflict                       // the record's state does not allow it (409)
	KindPreconditionFailed             // the record was changed in the meantime (412)
	KindTooLarge                       // over a configured limit (413)
	KindUnsupported                    // a file type that is not accepted (415)
	KindInvalid                        // fields at fault, see Error.Fields (422)
	KindThrottled                      // too often, see Error.RetryAfter (429)
	KindUnavailable                    // cannot be done now (503)
	KindNoSpace                        // the disk is full or below its reserve (507)
)

var kindNames = [...]string{
	KindInternal: "internal", KindMalformed: "malformed", KindUnauthenticated: "unauthenticated",
	KindForbidden: "forbidden", KindNotFound: "not_found", KindConflict: "conflict",
	KindPreconditionFailed: "precondition_failed", KindTooLarge: "too_large",
	KindUnsupported: "unsupported", KindInvalid: "invalid", KindThrottled: "throttled",
	KindUnavailable: "unavailable", KindNoSpace: "no_space",
}

// String returns the kind as one word, such as "not_found".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindInternal]
}

// Code names one error, such as "document_not_draft". If a word that programs rely on has
// several sentences, a suffix after a dot tells them apart: "role_not_allowed.approver".
type Code string

// Word returns the stable part of a code, which programs branch on.
func (c Code) Word() string {
	word, _, _ := strings.Cut(string(c), ".")
	return word
}

// Error is a refused request; for invalid input, it holds all faulty fields.
type Error struct {
	Kind   Kind
	Code   Code
	Args   []Arg   // values inserted into the sentence of Code
	Fields []Field // in the order they were found; only for KindInvalid

	RetryAfter time.Duration // how long to wait; only for KindThrottled
	Limit      int           // events allowed in a window; only for KindThrottled

	cause error
}

// Sentinels for errors.Is. They match any *Error of their kind; a sentinel with a code matches
// only that code.
var (
	ErrUnauthenticated error = &Error{Kind: KindUnauthenticated}
	ErrForbidden       error = &Error{Kind: KindForbidden}
	ErrNotFound        error = &Error{Kind: KindNotFound}
	ErrConflict        error = &Error{Kind: KindConflict}
	ErrInvalid         error = &Error{Kind: KindInvalid}
	ErrThrottled       error = &Error{Kind: KindThrottled}
)

// Error returns the code with all details, for logs. People read the sentence of
// the catalogue instead.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.String())
	if e.Code != "" && string(e.Code) != e.Kind.String() {
		fmt.Fprintf(&b, ": %s", e.Code)
	}
	writeArgs(&b, e.Args)
	for _, f := range e.Fields {
		fmt.Fprintf(&b, "; %s: %s", f.Name, f.Code)
		writeArgs(&b, f.Args)
	}
	if e.cause != nil {
		fmt.Fprintf(&b, ": %v", e.cause)
	}
	return b.String()
}

func writeArgs(b *strings.Builder, args []Arg) {
	for _, a := range args {
		fmt.Fprintf(b, " %s=%s", a.Name, a)
	}
}

// Unwrap returns the cause, if there is one.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is an *Error of the same kind and, if target has a
// code, of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && (t.Code == "" || t.Code == e.Code)
}

// Because returns a copy of e with a cause for the log.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// KindOf returns the kind of err, KindInternal if it is not an *Error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// CodeOf returns the code of err, "" if it is not an *Error.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// FieldsOf returns the faulty fields of err, nil if it is not an *Error.
func FieldsOf(err error) []Field {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fields
	}
	return nil
}
