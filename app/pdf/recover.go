package pdf

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"

	"paraph/app/pdf/object"
)

// Recover opens a file with damaged cross-references by scanning it for
// objects; the last one of each number is used. The revisions of such a file
// cannot be distinguished, and it must not be appended to.
func Recover(ctx context.Context, r io.ReaderAt, size int64, password string) (*File, error) {
	f := DefaultLimits().newFile(r, size, &budget{ctx: ctx})
	f.password, f.recovered = &password, true
	if err := f.scanObjects(); err != nil {
		return nil, err
	}
	if f.trailer == nil {
		return nil, damaged("no trailer and no catalog")
	}
	f.sections = []section{{at: 0, end: size, trailer: f.trailer}}
	if err := f.findCatalog(); err != nil {
		return nil, err
	}
	f.scanStreams()
	if f.fault != nil {
		return nil, f.fault
	}
	f.pages, _ = f.readPages() // Signatures matter even if the pages can't be listed.
	return f, f.fault
}

// Recovered reports whether the file was opened by Recover.
func (f *File) Recovered() bool { return f.recovered }

// scanObjects finds every uncompressed object and trailer in the file.
func (f *File) scanObjects() error {
	const window, overlap = 1 << 20, 256
	for at := int64(0); at < f.size; at += window - overlap {
		b, err := f.bytesAt(at, window)
		if err != nil {
			return err
		}
		if err := f.spend(int64(len(b))); err != nil {
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
	return f.lastResort()
}

// foundObject records the offset of an object; a later object replaces an earlier one.
func (f *File) foundObject(number int, at int64) error {
	if number > maxNumber {
		return nil
	}
	f.xref.set(number, entry{at: at, kind: entryPlain})
	if f.xref.count > f.limits.Objects {
		return f.over("more than %d objects", f.limits.Objects)
	}
	return nil
}

func (f *File) foundTrailer(at int64) {
	var d dict
	_, err := f.window(at, func(l *object.Lexer) error {
		v, err := l.Next()
		d, _ = v.(dict)
		return err
	})
	if err == nil && d["Root"] != nil {
		f.trailer = d
	}
}

// lastResort takes the trailer from a cross-reference stream, or makes one that refers to the last catalog.
func (f *File) lastResort() error {
	if f.trailer != nil {
		return nil
	}
	for _, n := range f.numbers() {
		if d := f.dict(ref{Number: n}); d.Name("Type") == "XRef" && d["Root"] != nil {
			f.trailer = d
			return nil
		}
	}
	root, err := lastCatalog(f.r, f.size)
	if err != nil || root == "" {
		return err
	}
	v, err := object.NewLexer([]byte(root), 0).Next()
	if err != nil {
		return err
	}
	f.trailer = dict{"Root": v}
	return nil
}

// scanStreams adds the objects of object streams, except those also found
// uncompressed.
func (f *File) scanStreams() {
	for _, n := range f.numbers() {
		src, ok := f.object(n).(*source)
		if !ok || src.dict.Name("Type") != "ObjStm" {
			continue
		}
		s, err := f.objectStream(n)
		if err != nil {
			continue
		}
		for number := range s.offsets {
			if e := f.xref.get(number); number >= 0 && number <= maxNumber && e.kind != entryPlain {
				f.xref.set(number, entry{at: int64(n), kind: entryCompressed})
			}
		}
	}
}

// numbers returns the numbers of uncompressed objects, ordered by their offset
// in the file.
func (f *File) numbers() []int {
	var out []int
	for n := range f.xref.top {
		if f.xref.get(n).kind == entryPlain {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return int(min(max(f.xref.get(a).at-f.xref.get(b).at, -1), 1)) })
	return out
}

// set stores an entry, replacing any existing one for the number.
func (t *table) set(n int, e entry) {
	if t.add(n, e, false); t.get(n) != e {
		t.blocks[n/blockSize][n%blockSize] = e
	}
}
