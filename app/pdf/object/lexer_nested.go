package object

import (
	"fmt"
	"io"
)

// nested reads an array or a dictionary, of whose parts read makes the value.
func (l *Lexer) nested(read func() error, value func(parts []any) any) (any, error) {
	if l.depth++; l.depth > MaxDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrSyntax, MaxDepth)
	}
	l.p++
	start := len(l.stack)
	var v any
	err := read()
	parts := l.stack[start:]
	switch err {
	case nil:
		v = value(parts)
	case io.EOF:
		err = io.ErrUnexpectedEOF
	}
	clear(parts)
	l.stack = l.stack[:start]
	l.depth--
	return v, err
}

// The ends of almost all arrays and dictionaries, ready to be returned.
var endOfDict, endOfArray any = Keyword(">>"), Keyword("]")

func (l *Lexer) closing(c byte) any {
	if c == '>' && l.p+1 < len(l.b) && l.b[l.p+1] == '>' {
		l.p += 2
		return endOfDict
	}
	l.p++
	if c == ']' {
		return endOfArray
	}
	return Keyword(c)
}

// array reads up to the end of an array.
func (l *Lexer) array() error {
	for {
		v, err := l.Next()
		if err != nil {
			return err
		}
		if k, ok := v.(Keyword); ok {
			switch k {
			case "]":
				return nil
			case "endobj", "endstream", "stream", ">>":
				return fmt.Errorf("%w: %s in an array", ErrSyntax, k)
			}
			v, l.tolerated = nil, true
		}
		l.stack = append(l.stack, v)
	}
}

func newArray(parts []any) any {
	a := make(Array, len(parts))
	copy(a, parts)
	return a
}

// dict reads up to the end of a dictionary. Its parts are keys, each followed by its value.
func (l *Lexer) dict() error {
	l.p++
	for {
		key, err := l.Next()
		if err != nil {
			return err
		}
		if _, ok := key.(Name); !ok {
			if key == endOfDict {
				return nil
			}
			return fmt.Errorf("%w: dictionary key is %T", ErrSyntax, key)
		}
		v, err := l.Next()
		if err != nil {
			return err
		}
		switch v {
		case endOfDict: // last key without a value
			l.tolerated = true
			return nil
		case Keyword("endobj"), Keyword("stream"), endOfArray:
			return fmt.Errorf("%w: %v in a dictionary", ErrSyntax, v)
		}
		l.stack = append(l.stack, key, v)
	}
}

func (l *Lexer) newDict(parts []any) any {
	d := make(Dict, len(parts)/2)
	var nulls map[Name]bool
	for ; len(parts) > 0; parts = parts[2:] {
		key, v := parts[0].(Name), parts[1]
		if _, again := d[key]; again || nulls[key] {
			l.duplicateKey = true
		}
		_, unknown := v.(Keyword)
		l.tolerated = l.tolerated || unknown
		if unknown || v == nil { // null is equivalent to an absent value
			if nulls == nil {
				nulls = map[Name]bool{}
			}
			nulls[key] = true
			continue
		}
		d[key] = v
	}
	return d
}
