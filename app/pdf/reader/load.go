package reader

import (
	"bytes"
	"io"
	"regexp"

	"paraph/app/pdf/object"
)

// A Stream is a stream object whose data is still in the file.
type Stream struct {
	Dict       object.Dict
	At, Length int64
	sealed     *object.Ref // the object whose key the data is encrypted with, or nil
}

// Found is an indirect object as stored in the file.
type Found struct {
	Ref   object.Ref
	Value any
	Cost  int64 // bytes of syntax
	// Ambiguous reports whether readers may interpret it differently: a
	// dictionary in it has a duplicate key.
	Ambiguous bool
}

// End returns where an object ends that begins at the offset at.
func (o Found) End(at int64) int64 {
	if s, ok := o.Value.(*Stream); ok {
		return s.At + s.Length
	}
	return at + o.Cost
}

// Indirect reads the indirect object at an offset.
func (f *File) Indirect(at int64) (Found, error) {
	var o Found
	isStream, odd := false, false
	end, err := f.window(at, func(l *object.Lexer) (err error) {
		defer func() { o.Ambiguous, odd = l.Ambiguous(), odd || l.Ambiguous() || l.Tolerated() }()
		n, ok1 := l.Int()
		g, ok2 := l.Int()
		space := l.Bytes(l.Pos(), l.Pos()+1)
		if !ok1 || !ok2 || n < 0 || n > MaxNumber || g < 0 || g > 65535 || !l.Has("obj") {
			return Damaged("no object at %d", at)
		}
		odd = !object.IsSpace(space[0]) // 3 0obj
		o.Ref = object.Ref{Number: int(n), Generation: int(g)}
		if o.Value, err = l.Next(); err != nil {
			return err
		}
		if _, ok := o.Value.(object.Keyword); ok { // an immediate endobj: null
			o.Value = nil
			return nil
		}
		start := l.Pos()
		if l.Space(); l.Rest() < len("endstream ") { // the window may cut off what follows
			return io.ErrUnexpectedEOF
		}
		if _, ok := o.Value.(object.Dict); ok && l.Has("stream") {
			isStream = true
			return nil
		}
		if !l.Has("endobj") {
			l.Seek(start)
			odd = true
		}
		return nil
	})
	if err != nil {
		return Found{}, err
	}
	o.Cost, f.Tolerated = end-at, f.Tolerated || odd
	if isStream {
		o.Value, err = f.locate(o.Value.(object.Dict), end)
	}
	return o, err
}

// locate finds the data of a stream whose keyword ends at an offset.
func (f *File) locate(d object.Dict, at int64) (*Stream, error) {
	b, err := f.BytesAt(at, 2)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")):
		at += 2
	case bytes.HasPrefix(b, []byte("\n")):
		at++
	case bytes.HasPrefix(b, []byte("\r")):
		at++
		f.Tolerated = true
	default:
		f.Tolerated = true
	}
	if n, ok := object.Int(f.Resolve(d["Length"])); ok && n >= 0 && n <= f.Size-at && f.endsAt(at+n) {
		return &Stream{Dict: d, At: at, Length: n}, nil
	}
	f.Tolerated = true
	end, err := f.search(at, []byte("endstream"))
	if early, failed := f.search(at, []byte("endobj")); failed == nil && (err != nil || early < end) {
		end, err = early, nil
		// Its length is right if only the end of the stream is not marked.
		if n, ok := object.Int(f.Resolve(d["Length"])); ok && n >= 0 && at+n <= end && at+n > end-2*int64(len("endstream")) {
			end = at + n
		}
	}
	if err != nil {
		return nil, err
	}
	return &Stream{Dict: d, At: at, Length: end - at}, nil
}

// endOfStream matches what stands behind the data of a stream.
var endOfStream = regexp.MustCompile(`^(\r\n|\r|\n)?endstream\s+endobj`)

// endsAt reports whether the data of a stream ends at an offset.
func (f *File) endsAt(at int64) bool {
	b, err := f.BytesAt(at, 32)
	if err != nil || !object.NewLexer(b, 0).Has("endstream") {
		return false
	}
	f.Tolerated = f.Tolerated || !endOfStream.Match(b)
	return true
}

// search finds word at or after an offset. The bytes searched count as parsed.
func (f *File) search(from int64, word []byte) (int64, error) {
	const size = 64 << 10
	for at := from; at < f.Size; at += size - int64(len(word)) {
		b, err := f.BytesAt(at, size)
		if err != nil {
			return 0, err
		}
		if err := f.Spend(int64(len(b))); err != nil {
			return 0, err
		}
		if i := bytes.Index(b, word); i >= 0 {
			return at + int64(i), nil
		}
	}
	return 0, Damaged("no %s after offset %d", word, from)
}

// Resolve follows references. Missing and unreadable objects are null (ISO
// 32000-2 §7.3.10).
func (f *File) Resolve(v any) any {
	for range 32 {
		r, ok := v.(object.Ref)
		if !ok {
			return v
		}
		v = f.Object(r.Number)
	}
	return nil
}

// Object returns the value of an indirect object, or nil.
func (f *File) Object(n int) any {
	if v, ok := f.cache[n]; ok {
		return v
	}
	if f.loading[n] || f.Fault != nil {
		return nil
	}
	f.loading[n] = true
	defer delete(f.loading, n)
	o, err := f.Load(n)
	if err != nil {
		f.Unread = true
		return nil
	}
	f.Keep(n, o)
	return o.Value
}

// Keep caches an object. A full cache is emptied first.
func (f *File) Keep(n int, o Found) {
	if f.cached += o.Cost + 64; f.cached > f.Limits.Cache {
		clear(f.cache)
		f.cached = o.Cost + 64
	}
	f.cache[n] = o.Value
}

// Load reads an indirect object from the location in its cross-reference entry.
func (f *File) Load(n int) (Found, error) {
	switch e := f.Xref.Get(n); e.Kind {
	case EntryPlain:
		o, err := f.Indirect(e.At)
		if err == nil && o.Ref.Number != n {
			err = Damaged("object %d found in place of %d", o.Ref.Number, n)
		}
		f.Misfiled = f.Misfiled || err == nil && o.Ref.Generation != int(e.Gen)
		if err == nil {
			err = f.decrypt(&o)
		}
		return o, err
	case EntryCompressed:
		return f.loadCompressed(int(e.At), int(e.Gen), n)
	case entryNowhere:
		f.Unread = true
	}
	return Found{}, nil
}

// settled reports whether a value reads the same in every revision. A stream
// may not, because another object may define its length.
func settled(v any) bool {
	s, ok := v.(*Stream)
	if !ok {
		return v != nil
	}
	_, direct := s.Dict["Length"].(int64)
	return direct
}
