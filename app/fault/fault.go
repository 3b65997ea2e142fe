// Package fault is how the domain refuses: a kind for the handlers, a stable
// code for programs, and arguments for the sentence that people read. The
// sentences themselves are in the catalogue, under "fault." and the code.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind says what sort of refusal an [Error] is. Handlers turn a kind into a
// status; anything that is not an *Error is [Internal] and is never shown.
type Kind uint8

// The kinds of refusal, each with the HTTP status it is answered with.
const (
	KindInternal           Kind = iota // a failure on our side (500)
	KindMalformed                      // the input is not what it claims to be (400)
	KindUnauthenticated                // the caller is not known (401)
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

// String is the kind in one word, such as "not_found".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[KindInternal]
}

// Code names one refusal, such as "document_not_draft". Where one word that
// programs rely on has several sentences, a part behind a dot tells them apart:
// "role_not_allowed.approver".
type Code string

// Word is the stable part of a code, which programs branch on.
func (c Code) Word() string {
	word, _, _ := strings.Cut(string(c), ".")
	return word
}

// Error is one refusal, or the refusal of an input with all its fields at fault.
type Error struct {
	Kind   Kind
	Code   Code
	Args   []Arg   // what the sentence of Code names
	Fields []Field // in the order they were found; only for KindInvalid

	RetryAfter time.Duration // how long to wait; only for KindThrottled
	Limit      int           // how many are allowed in a window; only for KindThrottled

	cause error
}

// Sentinels for errors.Is. They match any *Error of their kind; a sentinel with
// a code matches that code only.
var (
	ErrUnauthenticated error = &Error{Kind: KindUnauthenticated}
	ErrForbidden       error = &Error{Kind: KindForbidden}
	ErrNotFound        error = &Error{Kind: KindNotFound}
	ErrConflict        error = &Error{Kind: KindConflict}
	ErrInvalid         error = &Error{Kind: KindInvalid}
	ErrThrottled       error = &Error{Kind: KindThrottled}
)

// Error is the code with everything known about it, for logs. People read the
// sentence of the catalogue instead.
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

// FieldsOf returns the fields that err finds at fault, nil if it is not an *Error.
func FieldsOf(err error) []Field {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fields
	}
	return nil
}
