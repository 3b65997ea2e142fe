// Package object implements the object model of PDF (ISO 32000-2 §7.3): the
// types, a lexer that reads them and a serialiser that writes them.
//
// It does not deal with files: cross-references, filters and pages are left to
// its callers. A value that is read and written again keeps its meaning, though
// its bytes may differ.
//
// A PDF object is represented by one of
//
//	nil, bool, int, int64, float64,
//	Name, String, Ref, Array, Dict, *Stream, Raw
//
// The lexer returns numbers as int64 and float64; the serialiser also accepts
// int.
package object

import "maps"

// A Name is a name object without its slash and with #xx escapes decoded.
type Name string

// A String is a string object: bytes, not text. See Text and TextString.
type String []byte

// A Ref refers to an indirect object.
type Ref struct{ Number, Generation int }

// An Array is an array object.
type Array []any

// A Dict is a dictionary object. It is written with its keys sorted.
type Dict map[Name]any

// A Stream is a stream object. Data is encoded with the filters listed in Dict.
// Length is set when the stream is written.
type Stream struct {
	Dict Dict
	Data []byte
}

// Raw is written to the file unchanged. It is for parts whose position and
// width matter, such as the byte range of a signature.
type Raw []byte

// A Keyword is a bare word: an operator in a content stream, or obj, R, xref
// and the like. The serialiser refuses it.
type Keyword string

// A Writer adds new indirect objects and returns references to them. Errors are
// recorded and reported when the revision is finished.
type Writer interface{ Add(obj any) Ref }

// Clone copies the top level of d; for a nil d it returns an empty Dict.
func (d Dict) Clone() Dict {
	c := make(Dict, len(d)+4)
	maps.Copy(c, d)
	return c
}

// Name returns the direct name under key, or "".
func (d Dict) Name(key Name) Name {
	n, _ := d[key].(Name)
	return n
}

// Int returns the direct whole number under key.
func (d Dict) Int(key Name) (int64, bool) { return Int(d[key]) }

// Int converts a number to a whole number, truncating fractions.
func Int(v any) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case int:
		return int64(x), true
	case float64:
		if x >= -1<<62 && x <= 1<<62 {
			return int64(x), true
		}
	}
	return 0, false
}

// Float converts a number to a float64.
func Float(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}
