package reader

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"

	"paraph/app/pdf/object"
)

// Recover opens a file with damaged cross-references by scanning it for
// objects; the last one of each number is used.
func Recover(ctx context.Context, r io.ReaderAt, size int64, password string) (*File, error) {
	f := DefaultLimits().newFile(r, size, &Budget{ctx: ctx})
	f.password, f.Scanned = &password, true
	if err := f.scanObjects(); err != nil {
		return nil, err
	}
	if f.Trailer == nil {
		return nil, Damaged("no trailer and no catalog")
	}
	f.Sections = []Section{{At: 0, End: size, trailer: f.Trailer}}
	if err := f.findCatalog(); err != nil {
		return nil, err
	}
	f.scanStreams()
	return f, f.Fault
}

// Recovered reports whether the file was opened by scanning it for objects.
func (f *File) Recovered() bool { return f.Scanned }

// scanObjects finds every uncompressed object and trailer in the file.
func (f *File) scanObjects() error {
	const window, overlap = 1 << 20, 256
	for at := int64(0); at < f.Size; at += window - overlap {
		b, err := f.BytesAt(at, window)
		if err != nil {
			return err
		}
		if err := f.Spend(int64(len(b))); err != nil {
			return err
		}
		for _, m := range objectBegin.FindAllSubmatchIndex(b, -1) {
			if number, err := strconv.Atoi(string(b[m[2]:m[3]])); err == nil {
				if err := f.foundObject(number, at+int64(m[2])); err != nil {
					return err
				}
			}
		}
		for i := bytes.Index(b, []byte("trailer")); i >= 0; {
			f.foundTrailer(at + int64(i) + int64(len("trailer")))
			next := bytes.Index(b[i+1:], []byte("trailer"))
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
	return f.synthesizeTrailer()
}

// foundObject records the offset of an object; a later object replaces an earlier one.
func (f *File) foundObject(number int, at int64) error {
	if number > MaxNumber {
		return nil
	}
	f.Xref.set(number, Entry{At: at, Kind: EntryPlain})
	if f.Xref.Count > f.Limits.Objects {
		return f.Over("more than %d objects", f.Limits.Objects)
	}
	return nil
}

func (f *File) foundTrailer(at int64) {
	var d object.Dict
	_, err := f.window(at, func(l *object.Lexer) error {
		v, err := l.Next()
		d, _ = v.(object.Dict)
		return err
	})
	if err == nil && d["Root"] != nil {
		f.Trailer = d
	}
}

// synthesizeTrailer takes the trailer from a cross-reference stream, or makes one that refers to the last catalog.
func (f *File) synthesizeTrailer() error {
	if f.Trailer != nil {
		return nil
	}
	for _, n := range f.numbers() {
		if d := f.Dict(object.Ref{Number: n}); d.Name("Type") == "XRef" && d["Root"] != nil {
			f.Trailer = d
			return nil
		}
	}
	root, err := lastCatalog(f.R, f.Size)
	if err != nil || root == "" {
		return err
	}
	v, err := object.NewLexer([]byte(root), 0).Next()
	if err != nil {
		return err
	}
	f.Trailer = object.Dict{"Root": v}
	return nil
}

// scanStreams adds the objects of object streams, except those also found
// uncompressed.
func (f *File) scanStreams() {
	for _, n := range f.numbers() {
		src, ok := f.Object(n).(*Stream)
		if !ok || src.Dict.Name("Type") != "ObjStm" {
			continue
		}
		s, err := f.objectStream(n)
		if err != nil {
			continue
		}
		for number := range s.offsets {
			if e := f.Xref.Get(number); number >= 0 && number <= MaxNumber && e.Kind != EntryPlain {
				f.Xref.set(number, Entry{At: int64(n), Gen: uint32(slices.Index(s.numbers, number)), Kind: EntryCompressed})
			}
		}
	}
}

// numbers returns the numbers of uncompressed objects, ordered by their offset
// in the file.
func (f *File) numbers() []int {
	var out []int
	for n := range f.Xref.Top {
		if f.Xref.Get(n).Kind == EntryPlain {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return int(min(max(f.Xref.Get(a).At-f.Xref.Get(b).At, -1), 1)) })
	return out
}

// set stores an entry, replacing any existing one for the number.
func (t *Table) set(n int, e Entry) {
	if t.add(n, e, false); t.Get(n) != e {
		t.Blocks[n/BlockSize][n%BlockSize] = e
	}
}
