// Package object is the object model of PDF (ISO 32000-2 §7.3): the types,
// a lexer that reads them and a serialiser that writes them.
//
// It knows nothing of files: no cross-references, no filters, no pages. A
// value read and written again means the same, though its bytes may differ.
//
// A PDF object is held as one of
//
//	nil, bool, int, int64, float64,
//	Name, String, Ref, Array, Dict, *Stream, Raw
//
// The lexer gives int64 and float64 for numbers; the serialiser also takes int.
package object

import "maps"

// A Name is a name object without its slash and with #xx escapes undone.
type Name string

// A String is a string object: bytes, not text. See Text and TextString.
type String []byte

// A Ref names an indirect object.
type Ref struct{ Number, Generation int }

// An Array is an array object.
type Array []any

// A Dict is a dictionary object. It is written with its keys sorted.
type Dict map[Name]any

// A Stream is a stream object. Data is as stored in the file: encoded with
// the filters that Dict names. Length is set when the stream is written.
type Stream struct {
	Dict Dict
	Data []byte
}

// Raw is written to the file exactly as it is. It is for parts whose place
// and width matter, such as the byte range of a signature.
type Raw []byte

// A Keyword is a bare word: an operator in a content stream, or obj, R, xref
// and the like. The serialiser refuses it.
type Keyword string

// A Writer takes new indirect objects and says how they are referred to. An
// error it meets is kept and reported when the revision is finished.
type Writer interface{ Add(obj any) Ref }

// Clone copies the top level of d; a nil d gives an empty one.
func (d Dict) Clone() Dict {
	c := make(Dict, len(d)+4)
	maps.Copy(c, d)
	return c
}

// Name gives the direct name under key, or "".
func (d Dict) Name(key Name) Name {
	n, _ := d[key].(Name)
	return n
}

// Int gives the direct whole number under key.
func (d Dict) Int(key Name) (int64, bool) { return Int(d[key]) }

// Int gives a number as a whole number; fractions are cut off.
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

// Float gives a number as a float64.
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
