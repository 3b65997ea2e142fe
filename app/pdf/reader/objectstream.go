package reader

import "paraph/app/pdf/object"

// An objectStream is a decoded object stream (ISO 32000-2 §7.5.7).
type objectStream struct {
	data    []byte
	offsets map[int]int // object number → position in data
	numbers []int       // of its objects, in order
}

// loadCompressed reads object n, which should be the one with an index in an object stream.
func (f *File) loadCompressed(container, index, n int) (Found, error) {
	s, err := f.objectStream(container)
	if err != nil {
		return Found{}, err
	}
	at, ok := s.offsets[n]
	if !ok {
		return Found{}, Damaged("object %d is not in object stream %d", n, container)
	}
	f.Tolerated = f.Tolerated || index >= len(s.numbers) || s.numbers[index] != n
	l := object.NewLexer(s.data, at)
	v, err := l.Next()
	if err != nil {
		return Found{}, syntax(err)
	}
	cost := int64(l.Pos() - at)
	f.Tolerated = f.Tolerated || l.Ambiguous() || l.Tolerated()
	return Found{Ref: object.Ref{Number: n}, Value: v, Cost: cost, Ambiguous: l.Ambiguous()}, f.Spend(cost)
}

func (f *File) objectStream(n int) (*objectStream, error) {
	if s, ok := f.compressed[n]; ok {
		return s, nil
	}
	if f.Xref.Get(n).Kind != EntryPlain {
		return nil, Damaged("object stream %d", n)
	}
	src, ok := f.Object(n).(*Stream)
	if !ok {
		return nil, Damaged("object stream %d", n)
	}
	data, err := f.Decode(src)
	if err != nil {
		return nil, err
	}
	s, err := f.readObjectStream(src.Dict, data)
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
	if int64(kept) > f.Limits.Cache {
		clear(f.compressed)
	}
	f.compressed[n] = s
}

func (f *File) readObjectStream(d object.Dict, data []byte) (*objectStream, error) {
	count, ok1 := object.Int(f.Resolve(d["N"]))
	first, ok2 := object.Int(f.Resolve(d["First"]))
	if !ok1 || !ok2 || count < 0 || first < 0 || first > int64(len(data)) || count > first {
		return nil, Damaged("object stream header")
	}
	s := &objectStream{data: data, offsets: make(map[int]int, count)}
	l := object.NewLexer(data[:first], 0)
	for range count {
		n, ok1 := l.Int()
		at, ok2 := l.Int()
		if !ok1 || !ok2 || at < 0 || at > int64(len(data))-first {
			return nil, Damaged("object stream header")
		}
		s.numbers = append(s.numbers, int(n))
		if _, twice := s.offsets[int(n)]; !twice {
			s.offsets[int(n)] = int(first + at)
		}
	}
	return s, nil
}
