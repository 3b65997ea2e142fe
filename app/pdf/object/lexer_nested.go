package object

import (
	"fmt"
	"io"
)

func (l *Lexer) nested(read func() (any, error)) (any, error) {
	if l.depth++; l.depth > MaxDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrSyntax, MaxDepth)
	}
	v, err := read()
	l.depth--
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
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

func (l *Lexer) array() (any, error) {
	l.p++
	a := Array{}
	for {
		v, err := l.Next()
		if err != nil {
			return nil, err
		}
		if k, ok := v.(Keyword); ok {
			switch k {
			case "]":
				return a, nil
			case "endobj", "endstream", "stream", ">>":
				return nil, fmt.Errorf("%w: %s in an array", ErrSyntax, k)
			}
			v = nil
		}
		a = append(a, v)
	}
}

func (l *Lexer) dict() (any, error) {
	l.p += 2
	d := Dict{}
	var nulls map[Name]bool
	for {
		v, err := l.Next()
		if err != nil {
			return nil, err
		}
		key, ok := v.(Name)
		if !ok {
			if v == Keyword(">>") {
				return d, nil
			}
			return nil, fmt.Errorf("%w: dictionary key is %T", ErrSyntax, v)
		}
		if v, err = l.Next(); err != nil {
			return nil, err
		}
		switch v {
		case Keyword(">>"): // last key without a value
			return d, nil
		case Keyword("endobj"), Keyword("stream"), Keyword("]"):
			return nil, fmt.Errorf("%w: %v in a dictionary", ErrSyntax, v)
		}
		if _, again := d[key]; again || nulls[key] {
			l.duplicateKey = true
		}
		if _, ok := v.(Keyword); ok || v == nil { // null is equivalent to an absent value
			if nulls == nil {
				nulls = map[Name]bool{}
			}
			nulls[key] = true
			continue
		}
		d[key] = v
	}
}
