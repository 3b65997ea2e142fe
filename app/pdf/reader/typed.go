package reader

import (
	"io"

	"paraph/app/pdf/object"
)

// Dict returns the dictionary that v is or refers to, including that of a stream, or nil.
func (f *File) Dict(v any) object.Dict {
	switch x := f.Resolve(v).(type) {
	case object.Dict:
		return x
	case *Stream:
		return x.Dict
	case *object.Stream:
		return x.Dict
	}
	return nil
}

func (f *File) Array(v any) object.Array {
	a, _ := f.Resolve(v).(object.Array)
	return a
}

func (f *File) Name(v any) object.Name {
	n, _ := f.Resolve(v).(object.Name)
	return n
}

func (f *File) Text(v any) string {
	s, _ := f.Resolve(v).(object.String)
	return s.Text()
}

func (f *File) Int(v any) (int64, bool) { return object.Int(f.Resolve(v)) }

// Raw reads the stored data of a stream.
func (f *File) Raw(s *Stream) ([]byte, error) {
	if s.Length > f.Limits.Inflate {
		return nil, f.Over("a stream of %d bytes", s.Length)
	}
	data, err := f.BytesAt(s.At, int(s.Length))
	if err != nil || s.sealed == nil {
		return data, err
	}
	return f.secret.Stream(*s.sealed, s.Dict, data)
}

// Open returns the stored data of a stream, whatever its length.
func (f *File) Open(s *Stream) *io.SectionReader { return io.NewSectionReader(f.R, s.At, s.Length) }

// Inherit takes over the objects that an earlier view of the same file has
// read.
func (f *File) Inherit(older *File) {
	if len(f.cache) == 0 {
		f.cache = make(map[int]any, len(older.cache))
	}
	for n, v := range older.cache {
		if older.loading[n] || f.Xref.Get(n) != older.Xref.Get(n) {
			continue
		}
		if f.Xref.Get(n).Kind != EntryPlain || !settled(v) {
			continue
		}
		f.cache[n] = v
	}
	f.cached = older.cached
}
