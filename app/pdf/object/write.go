package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zlib"
)

// ErrType indicates that a value is not a PDF object and can't be written.
var ErrType = errors.New("not a PDF object")

// Append appends v in PDF syntax to b. The error wraps ErrType.
func Append(b []byte, v any) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, x), nil
	case int:
		return strconv.AppendInt(b, int64(x), 10), nil
	case int64:
		return strconv.AppendInt(b, x, 10), nil
	case float64:
		return appendFloat(b, x)
	case Name:
		return appendName(b, x), nil
	case String:
		return appendString(b, x), nil
	case Ref:
		return AppendRef(b, x), nil
	case Raw:
		return append(b, x...), nil
	case Array:
		return appendArray(b, x)
	case Dict:
		return appendDict(b, x)
	case *Stream:
		return appendStream(b, x)
	}
	return b, fmt.Errorf("%w: %T", ErrType, v)
}

// AppendRef appends a reference, such as 12 0 R.
func AppendRef(b []byte, r Ref) []byte {
	b = strconv.AppendInt(b, int64(r.Number), 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(r.Generation), 10)
	return append(b, " R"...)
}

func appendFloat(b []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, fmt.Errorf("%w: %v", ErrType, f)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64), nil
}

func appendArray(b []byte, a Array) ([]byte, error) {
	var err error
	b = append(b, '[')
	for i, v := range a {
		if i > 0 {
			b = append(b, ' ')
		}
		if b, err = Append(b, v); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendDict(b []byte, d Dict) ([]byte, error) {
	var err error
	b = append(b, "<<"...)
	var room [16]Name // enough for most dictionaries
	keys := slices.AppendSeq(room[:0], maps.Keys(d))
	slices.Sort(keys)
	for _, k := range keys {
		b = append(appendName(b, k), ' ')
		if b, err = Append(b, d[k]); err != nil {
			return b, err
		}
	}
	return append(b, ">>"...), nil
}

func appendStream(b []byte, s *Stream) ([]byte, error) {
	d := s.Dict.Clone()
	d["Length"] = len(s.Data)
	b, err := appendDict(b, d)
	if err != nil {
		return b, err
	}
	b = append(b, "\nstream\n"...)
	b = append(b, s.Data...)
	return append(b, "\nendstream"...), nil
}

const hexDigits = "0123456789ABCDEF"

func appendName(b []byte, n Name) []byte {
	b = append(b, '/')
	for i := range len(n) {
		c := n[i]
		if c <= ' ' || c > '~' || c == '#' || isDelimiter(c) {
			b = append(b, '#', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b
}

// appendString writes readable strings as literals and others, such as UTF-16,
// in hexadecimal, so that no tool stumbles over unusual bytes.
func appendString(b []byte, s String) []byte {
	if !isPlain(string(s)) {
		b = append(b, '<')
		for _, c := range s {
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		}
		return append(b, '>')
	}
	b = append(b, '(')
	for _, c := range s {
		switch c {
		case '(', ')', '\\':
			b = append(b, '\\', c)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, ')')
}

// level takes 0.5 ms for the streams that signing a document writes, which are 40 KB then. The
// default one, 5, takes 0.9 ms and makes them 2 KB smaller.
const level = 1

// spare holds compressors for reuse, one for each processor up to a few: a new one takes longer
// than compressing a small stream. A sync.Pool would lose them to the collector several times a
// second.
var spare = make(chan *zlib.Writer, min(runtime.GOMAXPROCS(0), 4))

func takeCompressor() *zlib.Writer {
	select {
	case z := <-spare:
		return z
	default:
	}
	z, err := zlib.NewWriterLevel(io.Discard, level)
	if err != nil {
		panic(err) // there is no such level
	}
	return z
}

func keepCompressor(z *zlib.Writer) {
	z.Reset(io.Discard) // so that what it has written can be freed
	select {
	case spare <- z:
	default:
	}
}

// Compress returns a FlateDecode stream of data with the entries of d.
func Compress(d Dict, data []byte) *Stream {
	var b bytes.Buffer
	b.Grow(len(data)/4 + 64)
	z := takeCompressor()
	z.Reset(&b)
	// Writes to a bytes.Buffer never fail.
	_, _ = z.Write(data)
	_ = z.Close()
	keepCompressor(z)
	d = d.Clone()
	d["Filter"] = Name("FlateDecode")
	return &Stream{Dict: d, Data: b.Bytes()}
}

// Round rounds to a ten-thousandth of a point, so that files are not bloated
// with digits.
func Round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
