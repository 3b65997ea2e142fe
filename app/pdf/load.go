package pdf

import (
	"bytes"
	"io"

	"paraph/app/pdf/object"
)

// A source is a stream object whose data is still in the file.
type source struct {
	dict       dict
	at, length int64
	sealed     *ref // the object whose key the data is encrypted with, or nil
}

// An objectStream is a decoded object stream (ISO 32000-2 §7.5.7).
type objectStream struct {
	data    []byte
	offsets map[int]int // object number → position in data
}

// found is an indirect object as stored in the file.
type found struct {
	ref   ref
	value any
	cost  int64 // bytes of syntax
	// ambiguous reports whether readers may interpret it differently: a
	// dictionary in it has a duplicate key.
	ambiguous bool
}

// indirect reads the indirect object at an offset.
func (f *File) indirect(at int64) (found, error) {
	var o found
	isStream := false
	end, err := f.window(at, func(l *object.Lexer) (err error) {
		defer func() { o.ambiguous = l.Ambiguous() }()
		n, ok1 := l.Int()
		g, ok2 := l.Int()
		if !ok1 || !ok2 || n < 0 || n > maxNumber || g < 0 || g > 65535 || !l.Has("obj") {
			return damaged("no object at %d", at)
		}
		o.ref = ref{Number: int(n), Generation: int(g)}
		if o.value, err = l.Next(); err != nil {
			return err
		}
		if _, ok := o.value.(object.Keyword); ok { // an immediate endobj: null
			o.value = nil
			return nil
		}
		start := l.Pos()
		if l.Space(); l.Rest() < len("endstream ") { // the window may cut off what follows
			return io.ErrUnexpectedEOF
		}
		if _, ok := o.value.(dict); ok && l.Has("stream") {
			isStream = true
			return nil
		}
		if !l.Has("endobj") { // tolerated, as by all readers
			l.Seek(start)
		}
		return nil
	})
	if err != nil {
		return found{}, err
	}
	o.cost = end - at
	if isStream {
		o.value, err = f.locate(o.value.(dict), end)
	}
	return o, err
}

// locate finds the data of a stream whose keyword ends at an offset.
func (f *File) locate(d dict, at int64) (*source, error) {
	b, err := f.bytesAt(at, 2)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")):
		at += 2
	case bytes.HasPrefix(b, []byte("\n")), bytes.HasPrefix(b, []byte("\r")):
		at++
	}
	if n, ok := object.Int(f.resolve(d["Length"])); ok && n >= 0 && n <= f.size-at && f.endsAt(at+n) {
		return &source{dict: d, at: at, length: n}, nil
	}
	n, err := f.search(at, []byte("endstream"))
	if err != nil {
		return nil, err
	}
	return &source{dict: d, at: at, length: n - at}, nil
}

func (f *File) endsAt(at int64) bool {
	b, err := f.bytesAt(at, 32)
	return err == nil && object.NewLexer(b, 0).Has("endstream")
}

// search finds word at or after an offset. The bytes searched count as parsed.
func (f *File) search(from int64, word []byte) (int64, error) {
	const size = 64 << 10
	for at := from; at < f.size; at += size - int64(len(word)) {
		b, err := f.bytesAt(at, size)
		if err != nil {
			return 0, err
		}
		if err := f.spend(int64(len(b))); err != nil {
			return 0, err
		}
		if i := bytes.Index(b, word); i >= 0 {
			return at + int64(i), nil
		}
	}
	return 0, damaged("no %s after offset %d", word, from)
}

// resolve follows references. Missing and unreadable objects are null (ISO
// 32000-2 §7.3.10).
func (f *File) resolve(v any) any {
	for range 32 {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = f.object(r.Number)
	}
	return nil
}

// object returns the value of an indirect object, or nil.
func (f *File) object(n int) any {
	if v, ok := f.cache[n]; ok {
		return v
	}
	if f.loading[n] || f.fault != nil {
		return nil
	}
	f.loading[n] = true
	defer delete(f.loading, n)
	o, err := f.load(n)
	if err != nil {
		return nil
	}
	f.keep(n, o)
	return o.value
}

// keep caches an object. A full cache is emptied first.
func (f *File) keep(n int, o found) {
	if f.cached += o.cost + 64; f.cached > f.limits.Cache {
		clear(f.cache)
		f.cached = o.cost + 64
	}
	f.cache[n] = o.value
}

// load reads an indirect object from the location in its cross-reference entry.
func (f *File) load(n int) (found, error) {
	switch e := f.xref.get(n); e.kind {
	case entryPlain:
		o, err := f.indirect(e.at)
		if err == nil && o.ref.Number != n {
			err = damaged("object %d found in place of %d", o.ref.Number, n)
		}
		if err == nil {
			err = f.reveal(&o)
		}
		return o, err
	case entryCompressed:
		return f.loadCompressed(int(e.at), n)
	}
	return found{}, nil
}

func (f *File) loadCompressed(container, n int) (found, error) {
	s, err := f.objectStream(container)
	if err != nil {
		return found{}, err
	}
	at, ok := s.offsets[n]
	if !ok {
		return found{}, damaged("object %d is not in object stream %d", n, container)
	}
	l := object.NewLexer(s.data, at)
	v, err := l.Next()
	if err != nil {
		return found{}, syntax(err)
	}
	cost := int64(l.Pos() - at)
	return found{ref: ref{Number: n}, value: v, cost: cost, ambiguous: l.Ambiguous()}, f.spend(cost)
}

func (f *File) objectStream(n int) (*objectStream, error) {
	if s, ok := f.compressed[n]; ok {
		return s, nil
	}
	if f.xref.get(n).kind != entryPlain {
		return nil, damaged("object stream %d", n)
	}
	src, ok := f.object(n).(*source)
	if !ok {
		return nil, damaged("object stream %d", n)
	}
	data, err := f.decode(src)
	if err != nil {
		return nil, err
	}
	s, err := f.readObjectStream(src.dict, data)
	if err != nil {
		return nil, err
	}
	f.keepStream(n, s)
	return s, nil
}

// keepStream caches a few decoded object streams, because neighbouring objects
// are usually requested together.
func (f *File) keepStream(n int, s *objectStream) {
	kept := len(s.data)
	for _, other := range f.compressed {
		kept += len(other.data)
	}
	if int64(kept) > f.limits.Cache {
		clear(f.compressed)
	}
	f.compressed[n] = s
}

func (f *File) readObjectStream(d dict, data []byte) (*objectStream, error) {
	count, ok1 := object.Int(f.resolve(d["N"]))
	first, ok2 := object.Int(f.resolve(d["First"]))
	if !ok1 || !ok2 || count < 0 || first < 0 || first > int64(len(data)) || count > first {
		return nil, damaged("object stream header")
	}
	s := &objectStream{data: data, offsets: make(map[int]int, count)}
	l := object.NewLexer(data[:first], 0)
	for range count {
		n, ok1 := l.Int()
		at, ok2 := l.Int()
		if !ok1 || !ok2 || at < 0 || at > int64(len(data))-first {
			return nil, damaged("object stream header")
		}
		if _, twice := s.offsets[int(n)]; !twice {
			s.offsets[int(n)] = int(first + at)
		}
	}
	return s, nil
}

// dict returns the dictionary that v is or refers to, including that of a stream, or nil.
func (f *File) dict(v any) dict {
	switch x := f.resolve(v).(type) {
	case dict:
		return x
	case *source:
		return x.dict
	case *stream:
		return x.Dict
	}
	return nil
}

func (f *File) array(v any) array {
	a, _ := f.resolve(v).(array)
	return a
}

func (f *File) name(v any) name {
	n, _ := f.resolve(v).(name)
	return n
}

func (f *File) text(v any) string {
	s, _ := f.resolve(v).(object.String)
	return s.Text()
}

func (f *File) int(v any) (int64, bool) { return object.Int(f.resolve(v)) }

// raw reads the stored data of a stream.
func (f *File) raw(s *source) ([]byte, error) {
	if s.length > f.limits.Inflate {
		return nil, f.over("a stream of %d bytes", s.length)
	}
	data, err := f.bytesAt(s.at, int(s.length))
	if err != nil || s.sealed == nil {
		return data, err
	}
	return f.secret.Stream(*s.sealed, s.dict, data)
}

// open returns the stored data of a stream, whatever its length.
func (f *File) open(s *source) *io.SectionReader { return io.NewSectionReader(f.r, s.at, s.length) }
