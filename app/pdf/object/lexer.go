package object

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
)

// ErrSyntax indicates that bytes are not PDF syntax or nest too deeply.
var ErrSyntax = errors.New("PDF syntax")

// MaxDepth is the maximum nesting depth of arrays and dictionaries.
const MaxDepth = 100

// A Lexer reads consecutive objects from bytes in memory. Like common viewers
// it tolerates errors that can't be misread. It never reads past its bytes: an
// object that is cut off results in io.ErrUnexpectedEOF.
type Lexer struct {
	b            []byte
	p            int
	depth        int
	duplicateKey bool
	tolerated    bool
	// stack holds what was read of the arrays and dictionaries that have no end yet, so that
	// they are made in their final size.
	stack []any
}

// NewLexer returns a lexer that reads b from the given position on.
func NewLexer(b []byte, at int) *Lexer { return &Lexer{b: b, p: min(max(at, 0), len(b))} }

// Reset makes the lexer read b, as a new one would, but with the memory it already has unless
// that is a lot.
func (l *Lexer) Reset(b []byte) {
	stack := l.stack[:0]
	if cap(stack) > maxKept {
		stack = nil
	}
	*l = Lexer{b: b, stack: stack}
}

const maxKept = 512

// Pos returns the position of the next byte to read.
func (l *Lexer) Pos() int { return l.p }

// Bytes returns the bytes between two positions.
func (l *Lexer) Bytes(from, to int) []byte { return l.b[from:min(to, len(l.b))] }

// Seek continues reading at the given position.
func (l *Lexer) Seek(at int) { l.p = min(max(at, 0), len(l.b)) }

// AtEnd reports whether all bytes have been read. In a window of a file, the
// last token may then continue after the window.
func (l *Lexer) AtEnd() bool { return l.p >= len(l.b) }

// Ambiguous reports whether a dictionary that was read has a duplicate key.
// Readers differ in which value they use (ISO 32000-2 §7.3.7); the lexer uses
// the last.
func (l *Lexer) Ambiguous() bool { return l.duplicateKey }

// Tolerated reports whether something that was read is no PDF syntax, so that other readers complain of it:
// a malformed number or name, an unknown word, a key without a value.
func (l *Lexer) Tolerated() bool { return l.tolerated }

// Rest returns the number of unread bytes.
func (l *Lexer) Rest() int { return len(l.b) - l.p }

// IsSpace reports whether c is white space (ISO 32000-2 §7.2.3).
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == 0 || c == '\f'
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// Space skips white space and comments.
func (l *Lexer) Space() {
	for l.p < len(l.b) {
		switch c := l.b[l.p]; {
		case c == '%':
			for l.p < len(l.b) && l.b[l.p] != '\n' && l.b[l.p] != '\r' {
				l.p++
			}
		case IsSpace(c):
			l.p++
		default:
			return
		}
	}
}

// Has reports whether word comes next, after white space, and skips it in that
// case.
func (l *Lexer) Has(word string) bool {
	l.Space()
	if !bytes.HasPrefix(l.b[l.p:], []byte(word)) {
		return false
	}
	l.p += len(word)
	return true
}

// Int reads a whole number. If there is none, ok is false and only white space
// is skipped.
func (l *Lexer) Int() (n int64, ok bool) {
	l.Space()
	start := l.p
	n, err := strconv.ParseInt(string(l.word()), 10, 64)
	if err != nil {
		l.p = start
		return 0, false
	}
	return n, true
}

// word reads regular characters up to the next delimiter or white space.
func (l *Lexer) word() []byte {
	start := l.p
	for l.p < len(l.b) && !IsSpace(l.b[l.p]) && !isDelimiter(l.b[l.p]) {
		l.p++
	}
	return l.b[start:l.p]
}

// Next reads one object. Bare words and unmatched closing brackets are returned
// as Keyword. At the end of the bytes the error is io.EOF.
func (l *Lexer) Next() (any, error) {
	l.Space()
	if l.p >= len(l.b) {
		return nil, io.EOF
	}
	switch c := l.b[l.p]; {
	case c == '/':
		return l.name(), nil
	case c == '(':
		return l.literal()
	case c == '<' && l.p+1 < len(l.b) && l.b[l.p+1] == '<':
		return l.nested(l.dict, l.newDict)
	case c == '<':
		return l.hex()
	case c == '[':
		return l.nested(l.array, newArray)
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		return l.number(), nil
	case isDelimiter(c):
		return l.closing(c), nil
	}
	switch w := string(l.word()); w {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	default:
		return Keyword(w), nil
	}
}

// number reads a number or, if two whole numbers are followed by R, a
// reference. Like in viewers, a malformed number counts as 0.
func (l *Lexer) number() any {
	w := l.word()
	if bytes.IndexByte(w, '.') >= 0 {
		return l.realNumber(w)
	}
	if n, err := strconv.ParseInt(string(w), 10, 64); err == nil {
		if n >= 0 && n <= math.MaxInt32 && w[0] != '+' {
			if g, ok := l.reference(); ok {
				return Ref{Number: int(n), Generation: g}
			}
		}
		return n
	}
	return l.realNumber(w)
}

// realNumber parses a number that is not an integer; invalid ones are 0.
func (l *Lexer) realNumber(w []byte) any {
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.IsInf(f, 0) || bytes.ContainsAny(w, "eExXpPiInN_") {
		l.tolerated = true
		return int64(0)
	}
	return f
}

// reference reads the rest of a reference, or nothing if there is none.
func (l *Lexer) reference() (generation int, ok bool) {
	start := l.p
	l.Space()
	if l.p < len(l.b) && l.b[l.p] >= '0' && l.b[l.p] <= '9' {
		g, err := strconv.ParseUint(string(l.word()), 10, 16)
		l.Space()
		if err == nil && string(l.word()) == "R" {
			return int(g), true
		}
	}
	l.p = start
	return 0, false
}
